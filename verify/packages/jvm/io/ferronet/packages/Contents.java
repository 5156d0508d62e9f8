package io.ferronet.packages;

import static io.ferronet.packages.Suite.require;
import static io.ferronet.packages.Suite.requireEqual;
import static io.ferronet.packages.Suite.requireParts;

import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** What is in the jars and POMs. */
final class Contents {
    private static final List<String> JARS = List.of("ferronet-api", "ferronet-ffm", "ferronet-netty", "ferronet-native-image");
    private static final Map<String, Integer> NEWEST = Map.of("ferronet-api", 61, "ferronet-ffm", 66, "ferronet-netty", 61, "ferronet-native", 61,
        "ferronet-native-image", 66);
    private static final Map<String, String> PACKAGES = Map.of("ferronet-api", "io/ferronet/api/", "ferronet-ffm", "io/ferronet/ffm/",
        "ferronet-netty", "io/ferronet/netty/", "ferronet-native", "io/ferronet/natives/", "ferronet-native-image", "io/ferronet/nativeimage/");
    private static final Pattern COMMON = Pattern.compile(
        "META-INF/(MANIFEST\\.MF|LICENSE|NOTICE|services/[a-zA-Z.]+"
        + "|native-image/io\\.ferronet/ferronet-[a-z-]+/[a-z-]+\\.(json|properties)|maven/io\\.ferronet/ferronet-[a-z-]+/pom\\.(xml|properties))");
    private static final Pattern NATIVE = Pattern.compile("META-INF/(native/[a-z0-9_-]+/(libferronet\\.(so|a)|ferronet\\.h|link\\.txt"
        + "|abi\\.properties|THIRD-PARTY-NOTICES\\.txt)|sbom/ferronet-native-[a-z0-9_-]+\\.cdx\\.json)");

    private final Staged staged;

    Contents(Staged staged) {
        this.staged = staged;
    }

    void addTo(Suite suite) {
        for (String name : JARS) {
            suite.add(name + " holds its own classes and nothing else", () -> classes(name, staged.artifact(name, ".jar"), false));
            suite.add(name + " has the sources of its classes", () -> sources(name));
            suite.add(name + " has the documentation of its exported packages", () -> documentation(name));
        }
        suite.add("ferronet-native holds the library and what describes it", () -> {
            classes("ferronet-native", staged.nativeJar(), true);
            library(staged.nativeJar(), Staged.CLASSIFIER, "libferronet.so");
        });
        suite.add("ferronet-native of Native Image holds the archive and what describes it", () -> {
            String classifier = Staged.CLASSIFIER + "-static";
            Path jar = staged.artifact("ferronet-native", "-" + classifier + ".jar");
            Map<String, byte[]> entries = Zips.all(jar);
            require(entries.keySet().stream().allMatch(entry -> COMMON.matcher(entry).matches() || NATIVE.matcher(entry).matches()), entries.keySet());
            require(!entries.containsKey("META-INF/native/" + classifier + "/libferronet.so"), "an image would carry the library twice");
            library(jar, classifier, "libferronet.a");
        });
        suite.add("every POM is complete", this::poms);
        suite.add("the bill of materials names every artifact", this::bom);
        suite.add("every checksum in the repository is right", this::checksums);
        suite.add("the binding depends on the JDK alone", this::dependencies);
        suite.add("restricted methods are called by the binding alone", this::restricted);
    }

    private void classes(String name, Path jar, boolean library) throws Exception {
        Map<String, byte[]> entries = Zips.all(jar);
        for (String entry : entries.keySet()) {
            boolean own = entry.startsWith(PACKAGES.get(name)) && entry.endsWith(".class") || entry.equals("module-info.class");
            require(own || COMMON.matcher(entry).matches() || library && NATIVE.matcher(entry).matches(), entry + " does not belong into " + name);
            if (entry.endsWith(".class")) {
                ByteBuffer header = ByteBuffer.wrap(entries.get(entry));
                requireEqual(0xcafebabe, header.getInt(0));
                require(header.getShort(6) <= NEWEST.get(name), entry + " has class-file version " + header.getShort(6));
            }
        }
        for (String needed : List.of("META-INF/LICENSE", "META-INF/NOTICE", "module-info.class")) {
            require(entries.containsKey(needed), name + " has no " + needed);
        }
        ModuleDescriptor module = ModuleDescriptor.read(ByteBuffer.wrap(entries.get("module-info.class")));
        requireEqual(PACKAGES.get(name).replace('/', '.'), (module.name() + ".").substring(0, PACKAGES.get(name).length()));
        for (ModuleDescriptor.Provides provides : module.provides()) {
            String listed = new String(entries.getOrDefault("META-INF/services/" + provides.service(), new byte[0]), StandardCharsets.UTF_8);
            // A security provider is asked for by its class, never found by chance.
            if (!provides.service().equals("java.security.Provider")) {
                requireEqual(provides.providers(), listed.lines().toList());
            }
        }
    }

    private void sources(String name) throws Exception {
        Map<String, byte[]> sources = Zips.all(staged.artifact(name, "-sources.jar"));
        for (String entry : Zips.all(staged.artifact(name, ".jar")).keySet()) {
            if (entry.endsWith(".class") && !entry.contains("$")) {
                String source = entry.replace(".class", ".java");
                boolean nested = sources.values().stream().anyMatch(text -> new String(text, StandardCharsets.UTF_8).contains(
                    "class " + source.substring(source.lastIndexOf('/') + 1, source.length() - 5) + " "));
                require(sources.containsKey(source) || nested, "no " + source);
            }
        }
        require(sources.keySet().stream().noneMatch(entry -> entry.endsWith(".class") || entry.endsWith(".so")), sources.keySet());
    }

    private void documentation(String name) throws Exception {
        Map<String, byte[]> pages = Zips.all(staged.artifact(name, "-javadoc.jar"));
        Map<String, byte[]> classes = Zips.all(staged.artifact(name, ".jar"));
        ModuleDescriptor module = ModuleDescriptor.read(ByteBuffer.wrap(classes.get("module-info.class")));
        require(pages.containsKey("index.html"), pages.keySet());
        for (ModuleDescriptor.Exports exports : module.exports()) {
            String page = module.name() + "/" + exports.source().replace('.', '/') + "/package-summary.html";
            require(pages.containsKey(page), "no " + page);
        }
    }

    private void library(Path jar, String classifier, String file) throws Exception {
        Map<String, byte[]> entries = Zips.all(jar);
        String directory = "META-INF/native/" + classifier + "/";
        byte[] library = entries.get(directory + file);
        Properties properties = new Properties();
        properties.load(new ByteArrayInputStream(entries.get(directory + "abi.properties")));
        requireEqual(Zips.sha256(library), properties.getProperty("sha256"));
        requireEqual(String.valueOf(library.length), properties.getProperty("size"));
        requireEqual(classifier, properties.getProperty("classifier"));
        for (String key : List.of("target", "version", "revision", "floor", "fingerprint")) {
            require(properties.getProperty(key) != null, "abi.properties has no " + key);
        }
        String notices = new String(entries.get(directory + "THIRD-PARTY-NOTICES.txt"), StandardCharsets.UTF_8);
        String bill = new String(entries.get("META-INF/sbom/ferronet-native-" + classifier + ".cdx.json"), StandardCharsets.UTF_8);
        requireParts(bill, "\"bomFormat\": \"CycloneDX\"", "\"specVersion\": \"1.6\"", Zips.sha256(library), "classifier=" + classifier);
        Set<String> billed = new TreeSet<>();
        var purl = Pattern.compile("\"purl\": \"pkg:cargo/([^@\"]+)@([^\"]+)\"").matcher(bill);
        while (purl.find()) {
            billed.add(purl.group(1) + " " + purl.group(2));
        }
        requireEqual(new TreeSet<>(staged.crates()), billed);
        for (String crate : staged.crates()) {
            if (!crate.startsWith("ferronet ")) {
                require(notices.contains("\n" + crate + "\n    "), "the notices do not list " + crate);
                // A text comes below the names of its crates, which a rule precedes.
                boolean text = notices.contains("-\n" + crate + "\n-") || notices.contains("-\n" + crate + ", ")
                    || notices.contains(", " + crate + "\n-") || notices.contains(", " + crate + ", ");
                require(text, "the notices have no text for " + crate);
            }
        }
    }

    private void poms() throws Exception {
        Element parent = pom("ferronet-parent");
        for (String name : List.of("ferronet-parent", "ferronet-bom", "ferronet-api", "ferronet-ffm", "ferronet-netty", "ferronet-native",
                "ferronet-native-image")) {
            Element pom = pom(name);
            for (String own : List.of("name", "description", "artifactId")) {
                require(child(pom, own) != null, name + " has no " + own + " of its own");
            }
            boolean inherits = child(pom, "parent") != null;
            for (String path : List.of("url", "licenses/license/name", "licenses/license/url", "scm/url", "scm/connection",
                    "developers/developer/organization")) {
                require(at(pom, path) || inherits && at(parent, path), name + " has no " + path);
            }
            require(!Files.readString(staged.artifact(name, ".pom")).contains("SNAPSHOT"), name);
        }
    }

    private void bom() throws Exception {
        String bom = Files.readString(staged.artifact("ferronet-bom", ".pom"));
        for (String name : JARS) {
            requireParts(bom, "<artifactId>" + name + "</artifactId>");
        }
        requireParts(bom, "<classifier>" + Staged.CLASSIFIER + "</classifier>");
    }

    private Element pom(String name) throws Exception {
        Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(staged.artifact(name, ".pom").toFile());
        return document.getDocumentElement();
    }

    private static boolean at(Element element, String path) {
        Element found = element;
        for (String name : path.split("/")) {
            found = found == null ? null : child(found, name);
        }
        return found != null && !found.getTextContent().isBlank();
    }

    private static Element child(Element element, String name) {
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element found && found.getTagName().equals(name)) {
                return found;
            }
        }
        return null;
    }

    private void checksums() throws Exception {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> found = Files.walk(staged.repository())) {
            found.filter(file -> file.toString().endsWith(".jar") || file.toString().endsWith(".pom")).forEach(files::add);
        }
        require(files.size() >= 6 + 3 * JARS.size(), files);
        for (Path file : files) {
            requireEqual(Zips.digest("SHA-1", Files.readAllBytes(file)), Files.readString(Path.of(file + ".sha1")).strip());
        }
    }

    private void dependencies() {
        String output = tool("jdeps", "-s", "--multi-release", "base", staged.ffm().toString(), staged.api().toString());
        for (String line : output.lines().toList()) {
            String target = line.substring(line.indexOf("->") + 2).strip();
            require(List.of("java.base", "io.ferronet.api").contains(target), output);
        }
        require(output.contains("java.base"), output);
    }

    /** {@code jnativescan} is a tool of JDK 24 and later. */
    private void restricted() throws Exception {
        if (ToolProvider.findFirst("jnativescan").isEmpty()) {
            throw new Suite.Skipped("this JDK has no jnativescan");
        }
        String modules = Jvm.join(List.of(staged.api(), staged.ffm(), staged.nativeJar()));
        String found = tool("jnativescan", "--module-path", modules, "--add-modules", "io.ferronet.ffm,io.ferronet.natives."
            + Staged.CLASSIFIER.replace('-', '.'), "--print-native-access");
        requireEqual("io.ferronet.ffm", found.strip());
        String netty = tool("jnativescan", "--class-path", Jvm.join(staged.libraries()));
        for (String line : netty.lines().toList()) {
            require(!line.contains("ferronet-netty") && !line.contains("ferronet-api"), netty);
        }
    }

    private static String tool(String name, String... arguments) {
        StringWriter text = new StringWriter();
        PrintWriter writer = new PrintWriter(text, true);
        int status = ToolProvider.findFirst(name).orElseThrow().run(writer, writer, arguments);
        requireEqual(name + " 0 " + text, name + " " + status + " " + text);
        return text.toString();
    }
}
