package io.ferronet.netty.ssl;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.security.AlgorithmConstraints;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIMatcher;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLParameters;

/** What can be set on an engine before its handshake, in Java's terms. An engine shares its context's until something is set; then its own is guarded by the engine. */
final class EngineParameters {
    private static final MethodHandle GET_GROUPS = groups("getNamedGroups", MethodType.methodType(String[].class));
    private static final MethodHandle SET_GROUPS = groups("setNamedGroups", MethodType.methodType(void.class, String[].class));

    Set<TlsVersion> versions;
    List<CipherSuite> suites;
    List<String> groups;
    List<String> alpn;
    TlsSettings.ClientCertificate clientCertificate;
    String endpointIdentification;
    /** {@code null}: by the peer's host. */
    private List<SNIServerName> serverNames;
    private Collection<SNIMatcher> matchers = List.of();
    private AlgorithmConstraints constraints;
    private boolean ownOrder = true;

    EngineParameters(TlsSettings settings) {
        versions = settings.versions;
        suites = settings.suites;
        groups = settings.groups;
        alpn = settings.alpn;
        clientCertificate = settings.clientCertificate;
        endpointIdentification = settings.endpointIdentification;
    }

    EngineParameters(EngineParameters other) {
        versions = other.versions;
        suites = other.suites;
        groups = other.groups;
        alpn = other.alpn;
        clientCertificate = other.clientCertificate;
        endpointIdentification = other.endpointIdentification;
        serverNames = other.serverNames;
        matchers = other.matchers;
        constraints = other.constraints;
        ownOrder = other.ownOrder;
    }

    /** Since JDK 20, and this is compiled for an older one. */
    private static MethodHandle groups(String name, MethodType type) {
        try {
            return MethodHandles.publicLookup().findVirtual(SSLParameters.class, name, type);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }

    SSLParameters get(String peerHost, boolean client) {
        SSLParameters parameters = new SSLParameters(suiteNames(), TlsVersion.namesOf(versions));
        switch (clientCertificate) {
            case REQUIRED -> parameters.setNeedClientAuth(true);
            case OPTIONAL -> parameters.setWantClientAuth(true);
            default -> { }
        }
        parameters.setEndpointIdentificationAlgorithm(endpointIdentification);
        parameters.setServerNames(serverNames(peerHost, client));
        parameters.setSNIMatchers(matchers);
        parameters.setAlgorithmConstraints(constraints);
        parameters.setUseCipherSuitesOrder(ownOrder);
        parameters.setApplicationProtocols(alpn.toArray(String[]::new));
        if (SET_GROUPS != null && !groups.isEmpty()) {
            try {
                SET_GROUPS.invoke(parameters, groups.toArray(String[]::new));
            } catch (Throwable t) {
                throw new IllegalStateException("the groups of the SSLParameters cannot be set", t);
            }
        }
        return parameters;
    }

    void set(SSLParameters parameters) {
        List<CipherSuite> newSuites = parameters.getCipherSuites() == null ? suites : CipherSuite.parse(List.of(parameters.getCipherSuites()));
        Set<TlsVersion> newVersions = parameters.getProtocols() == null ? versions : TlsVersion.parse(parameters.getProtocols());
        List<String> newAlpn = List.of(parameters.getApplicationProtocols());
        AlpnNames.encode(newAlpn);
        suites = newSuites;
        versions = newVersions;
        alpn = newAlpn;
        clientCertificate = parameters.getNeedClientAuth() ? TlsSettings.ClientCertificate.REQUIRED
            : parameters.getWantClientAuth() ? TlsSettings.ClientCertificate.OPTIONAL : TlsSettings.ClientCertificate.NONE;
        endpointIdentification = parameters.getEndpointIdentificationAlgorithm();
        if (parameters.getServerNames() != null) {
            serverNames = List.copyOf(parameters.getServerNames());
        }
        if (parameters.getSNIMatchers() != null) {
            matchers = List.copyOf(parameters.getSNIMatchers());
        }
        constraints = parameters.getAlgorithmConstraints();
        ownOrder = parameters.getUseCipherSuitesOrder();
        String[] names = groupsOf(parameters);
        if (names != null) {
            groups = List.of(names);
        }
    }

    private static String[] groupsOf(SSLParameters parameters) {
        if (GET_GROUPS == null) {
            return null;
        }
        try {
            return (String[]) GET_GROUPS.invoke(parameters);
        } catch (Throwable t) {
            throw new IllegalStateException("the SSLParameters tell no groups", t);
        }
    }

    String[] suiteNames() {
        return suites.stream().map(Enum::name).toArray(String[]::new);
    }

    void setServerNames(List<SNIServerName> names) {
        serverNames = List.copyOf(names);
    }

    /** What a client sends as server names. */
    List<SNIServerName> serverNames(String peerHost, boolean client) {
        if (serverNames != null) {
            return serverNames;
        }
        List<SNIServerName> names = new ArrayList<>(1);
        if (client && isHostName(peerHost)) {
            try {
                names.add(new SNIHostName(peerHost));
            } catch (IllegalArgumentException e) {
                // A host that no name can be made of is not sent.
                return names;
            }
        }
        return names;
    }

    /** Java sends neither addresses nor names of one label. */
    private static boolean isHostName(String host) {
        return host != null && host.indexOf('.') > 0 && !host.endsWith(".") && host.indexOf('/') < 0 && host.indexOf(':') < 0
            && !io.netty.util.NetUtil.isValidIpV4Address(host);
    }

    /** The name that goes to the wire, or {@code null}. */
    String sentName(String peerHost, boolean client) {
        for (SNIServerName name : serverNames(peerHost, client)) {
            if (name instanceof SNIHostName host) {
                return host.getAsciiName();
            }
        }
        return null;
    }

    /** Whether a server takes connections for a name. */
    boolean accepts(String name) {
        boolean matched = true;
        for (SNIMatcher matcher : matchers) {
            if (matcher.getType() == 0) {
                matched = false;
                try {
                    if (matcher.matches(new SNIHostName(name))) {
                        return true;
                    }
                } catch (IllegalArgumentException e) {
                    return false;
                }
            }
        }
        return matched;
    }

    boolean ownOrder() {
        return ownOrder;
    }
}
