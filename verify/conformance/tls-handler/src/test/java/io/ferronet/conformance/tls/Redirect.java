package io.ferronet.conformance.tls;

import io.ferronet.netty.ssl.HandlerBridge;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Lays out what stands before Netty's classes on the class path: a folder for each provider that ours takes the place of, with its contexts, and in each folder copies of
 * Netty's test classes that make engines and handlers by themselves, of which those of the copies are ours.
 */
public final class Redirect {
    private static final String PACKAGE = "io/netty/handler/ssl/";
    private static final Map<String, List<String>> CONTEXTS = Map.of(
        "jdk", List.of("JdkSslClientContext", "JdkSslServerContext"),
        "openssl", List.of("OpenSslClientContext", "OpenSslContext", "OpenSslServerContext"));
    private static final List<String> TESTS = List.of("ApplicationProtocolNegotiationHandlerTest", "ParameterizedSslHandlerTest", "SniClientTest", "SniClientJava8TestUtil",
        "SniHandlerTest", "SslHandlerTest");

    private static final ClassDesc BRIDGE = HandlerBridge.class.describeConstable().orElseThrow();
    private static final ClassDesc HANDLER = ClassDesc.of("io.netty.handler.ssl.SslHandler");
    private static final ClassDesc CONTEXT = ClassDesc.of("javax.net.ssl.SSLContext");

    private Redirect() {
    }

    /**
     * Writes the folders.
     *
     * @param arguments the folder of the compiled classes, from which the contexts are moved; and that in which the folders are made
     * @throws IOException if a class cannot be read or written
     */
    public static void main(String[] arguments) throws IOException {
        Path compiled = Path.of(arguments[0]);
        for (Map.Entry<String, List<String>> provider : CONTEXTS.entrySet()) {
            Path folder = Path.of(arguments[1], provider.getKey()).resolve(PACKAGE);
            Files.createDirectories(folder);
            for (String context : provider.getValue()) {
                Path from = compiled.resolve(PACKAGE + context + ".class");
                if (Files.exists(from)) {
                    Files.move(from, folder.resolve(context + ".class"), StandardCopyOption.REPLACE_EXISTING);
                }
            }
            for (String test : TESTS) {
                copy(test, folder);
            }
        }
    }

    private static void copy(String test, Path folder) throws IOException {
        URL found = Redirect.class.getClassLoader().getResource(PACKAGE + test + ".class");
        if (found == null || !(found.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException(test + " is in no jar of the class path");
        }
        JarFile jar = connection.getJarFile();
        try (Stream<JarEntry> entries = jar.stream()) {
            entries.filter(entry -> isPartOf(entry.getName(), PACKAGE + test)).forEach(entry -> {
                try (InputStream source = jar.getInputStream(entry)) {
                    Files.write(folder.resolve(entry.getName().substring(PACKAGE.length())), redirect(source.readAllBytes()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private static boolean isPartOf(String name, String test) {
        return name.equals(test + ".class") || name.startsWith(test + '$') && name.endsWith(".class");
    }

    private static byte[] redirect(byte[] source) {
        ClassFile file = ClassFile.of(ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
            ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(Redirect.class.getClassLoader())));
        ClassModel model = file.parse(source);
        return file.transformClass(model, ClassTransform.transformingMethodBodies(CodeTransform.ofStateful(Calls::new)));
    }

    /** The instructions that make a handler, whose two first ones fall away, and those that ask for the default context. */
    private static final class Calls implements CodeTransform {
        private boolean made;
        /** Handlers whose constructor is not called yet; a class that extends it calls it for its own object. */
        private int open;

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            switch (element) {
                case NewObjectInstruction object when object.className().asSymbol().equals(HANDLER) -> {
                    made = true;
                    open++;
                }
                case StackInstruction stack when made && stack.opcode() == Opcode.DUP -> made = false;
                case InvokeInstruction call when open > 0 && isConstructor(call) -> {
                    open--;
                    builder.invokestatic(BRIDGE, "handler", call.typeSymbol().changeReturnType(HANDLER));
                }
                case InvokeInstruction call when isDefaultContext(call) ->
                    builder.invokestatic(BRIDGE, "defaultContext", MethodTypeDesc.of(CONTEXT));
                default -> builder.with(element);
            }
        }

        private static boolean isConstructor(InvokeInstruction call) {
            return call.opcode() == Opcode.INVOKESPECIAL && call.owner().asSymbol().equals(HANDLER) && call.name().equalsString(ConstantDescs.INIT_NAME);
        }

        private static boolean isDefaultContext(InvokeInstruction call) {
            return call.owner().asSymbol().equals(CONTEXT) && call.name().equalsString("getDefault");
        }
    }
}
