/**
 * The contract between Ferronet's Java modules: the binding interface, record layouts, statuses and the ABI check.
 * Nothing in here makes a native call.
 */
module io.ferronet.api {
    exports io.ferronet.api;
    exports io.ferronet.api.spi;

    uses io.ferronet.api.spi.BindingProvider;
}
