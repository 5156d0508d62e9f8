/**
 * The binding over the Foreign Function and Memory API: finds, checks and maps the native library, and calls it. The only module of Ferronet with
 * restricted calls: {@code --enable-native-access=io.ferronet.ffm}.
 */
module io.ferronet.ffm {
    requires io.ferronet.api;

    uses io.ferronet.api.spi.NativeLibrary;

    provides io.ferronet.api.spi.BindingProvider with io.ferronet.ffm.FfmBindingProvider;
}
