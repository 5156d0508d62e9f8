package io.ferronet.netty.ssl;

import java.util.List;
import java.util.Set;

/**
 * What is special to a connection.
 *
 * @param serverName the name that a client sends, or {@code null}
 * @param checkedName the name that the library checks, or {@code null}
 * @param hostChecked whether the library checks the name
 * @param key what a client's session is kept under for resumption; {@code null} if it is neither kept nor resumed
 * @param versions the versions, at least one
 * @param suites the suites, at least one
 * @param groups the groups; empty for the context's
 * @param alpn the application protocols
 * @param alpnOptional whether a server goes on without a common protocol
 * @param clientCertificate what a server does with its client's certificate
 */
record SessionSettings(String serverName, String checkedName, boolean hostChecked, String key, Set<TlsVersion> versions, List<CipherSuite> suites,
        List<String> groups, List<String> alpn, boolean alpnOptional, TlsSettings.ClientCertificate clientCertificate) {
    /**
     * What an engine asks for.
     *
     * @param engine the engine
     * @param settings its context's
     * @param alpn the application protocols
     * @param alpnOptional whether a server goes on without a common protocol
     */
    static SessionSettings of(FerronetSslEngine engine, TlsSettings settings, List<String> alpn, boolean alpnOptional) {
        EngineParameters parameters = engine.parameters();
        String sent = settings.client ? parameters.sentName(engine.getPeerHost(), true) : null;
        boolean hostChecked = settings.client && settings.trust == TlsSettings.Trust.PLATFORM && parameters.endpointIdentification != null
            && !parameters.endpointIdentification.isEmpty();
        String checked = hostChecked ? sent != null ? sent : engine.getPeerHost() : null;
        return new SessionSettings(sent, checked, hostChecked, key(engine, settings.client), parameters.versions, parameters.suites, parameters.groups, alpn, alpnOptional,
            parameters.clientCertificate);
    }

    /** What a client's session is kept under for resumption: the peer, and what was asked of it; {@code null} if its sessions are not kept. */
    static String key(FerronetSslEngine engine, boolean client) {
        if (!client || engine.getPeerHost() == null || engine.getPeerPort() < 0) {
            return null;
        }
        EngineParameters parameters = engine.parameters();
        return engine.getPeerHost() + ':' + engine.getPeerPort() + '/' + parameters.endpointIdentification + '/' + parameters.sentName(engine.getPeerHost(), true);
    }
}
