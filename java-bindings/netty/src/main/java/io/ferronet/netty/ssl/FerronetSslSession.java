package io.ferronet.netty.ssl;

import java.io.ByteArrayInputStream;
import java.security.Principal;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSessionContext;

/** What was negotiated on one connection, over the state that it shares with the connections that resume it. Any thread. */
final class FerronetSslSession extends ExtendedSSLSession {
    /** The largest record of TLS 1.2 (RFC 5246, 6.2.3): header, data and what protects it. */
    static final int PACKET_SIZE = TlsRecords.HEADER + TlsRecords.LARGEST;
    static final int APPLICATION_SIZE = TlsRecords.MAX_DATA;

    private static final X509Certificate[] NONE = {};
    private static final String[] NO_ALGORITHMS = {};

    private final FerronetSslSessionContext context;
    private final String peerHost;
    private final int peerPort;
    private volatile SessionState state = new SessionState();
    private volatile String protocol = "NONE";
    private volatile String cipherSuite = "SSL_NULL_WITH_NULL_NULL";
    private volatile X509Certificate[] localCertificates = NONE;
    private volatile X509Certificate[] peerCertificates = NONE;
    private volatile List<SNIServerName> serverNames = List.of();
    private volatile String[] peerAlgorithms = NO_ALGORITHMS;
    private volatile List<byte[]> statusResponses = List.of();
    private volatile boolean resumed;

    FerronetSslSession(FerronetSslSessionContext context, String peerHost, int peerPort) {
        this.context = context;
        this.peerHost = peerHost;
        this.peerPort = peerPort;
    }

    static X509Certificate[] parse(List<byte[]> certificates) throws CertificateException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        X509Certificate[] chain = new X509Certificate[certificates.size()];
        for (int i = 0; i < chain.length; i++) {
            chain[i] = (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(certificates.get(i)));
        }
        return chain;
    }

    SessionState state() {
        return state;
    }

    void setProtocol(String name) {
        protocol = name;
    }

    void setCipherSuite(String name) {
        cipherSuite = name;
    }

    void setLocalCertificates(X509Certificate[] chain) {
        localCertificates = chain.clone();
    }

    boolean hasPeerCertificates() {
        return peerCertificates.length > 0;
    }

    void setPeerCertificates(X509Certificate[] chain) {
        peerCertificates = chain.clone();
    }

    void setRequestedServerNames(List<SNIServerName> names) {
        serverNames = List.copyOf(names);
    }

    void setPeerAlgorithms(String[] names) {
        peerAlgorithms = names;
    }

    void setStatusResponses(List<byte[]> responses) {
        statusResponses = responses;
    }

    /** Whether an earlier session was resumed. */
    boolean isResumed() {
        return resumed;
    }

    /** Goes on with the state of an earlier session; {@code null} if it is known no more. */
    void resume(SessionState earlier) {
        resumed = true;
        if (earlier != null) {
            earlier.takeValuesOf(state);
            earlier.access();
            state = earlier;
        }
    }

    @Override
    public byte[] getId() {
        return state.id();
    }

    @Override
    public SSLSessionContext getSessionContext() {
        return context;
    }

    @Override
    public long getCreationTime() {
        return state.creationTime;
    }

    @Override
    public long getLastAccessedTime() {
        return state.lastAccessedTime();
    }

    @Override
    public void invalidate() {
        if (state.invalidate()) {
            context.remove(state);
        }
    }

    @Override
    public boolean isValid() {
        return state.isValid();
    }

    @Override
    public void putValue(String name, Object value) {
        state.put(this, Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    }

    @Override
    public Object getValue(String name) {
        return state.get(Objects.requireNonNull(name, "name"));
    }

    @Override
    public void removeValue(String name) {
        state.remove(this, Objects.requireNonNull(name, "name"));
    }

    @Override
    public String[] getValueNames() {
        return state.names();
    }

    @Override
    public Certificate[] getPeerCertificates() throws SSLPeerUnverifiedException {
        return peers();
    }

    private X509Certificate[] peers() throws SSLPeerUnverifiedException {
        X509Certificate[] chain = peerCertificates;
        if (chain.length == 0) {
            throw new SSLPeerUnverifiedException("the peer has shown no certificate");
        }
        return chain.clone();
    }

    @Override
    public Certificate[] getLocalCertificates() {
        X509Certificate[] chain = localCertificates;
        return chain.length == 0 ? null : chain.clone();
    }

    @Override
    public Principal getPeerPrincipal() throws SSLPeerUnverifiedException {
        return peers()[0].getSubjectX500Principal();
    }

    @Override
    public Principal getLocalPrincipal() {
        X509Certificate[] chain = localCertificates;
        return chain.length == 0 ? null : chain[0].getSubjectX500Principal();
    }

    @Override
    public String getCipherSuite() {
        return cipherSuite;
    }

    @Override
    public String getProtocol() {
        return protocol;
    }

    @Override
    public String getPeerHost() {
        return peerHost;
    }

    @Override
    public int getPeerPort() {
        return peerPort;
    }

    @Override
    public int getPacketBufferSize() {
        return PACKET_SIZE;
    }

    @Override
    public int getApplicationBufferSize() {
        return APPLICATION_SIZE;
    }

    @Override
    public String[] getLocalSupportedSignatureAlgorithms() {
        return SignatureScheme.supportedAlgorithms();
    }

    @Override
    public String[] getPeerSupportedSignatureAlgorithms() {
        return peerAlgorithms.clone();
    }

    @Override
    public List<SNIServerName> getRequestedServerNames() {
        return serverNames;
    }

    @Override
    public List<byte[]> getStatusResponses() {
        return statusResponses.stream().map(byte[]::clone).toList();
    }

    @Override
    public String toString() {
        return "FerronetSslSession(" + protocol + ", " + cipherSuite + (resumed ? ", resumed" : "") + ", " + peerHost + ':' + peerPort + ')';
    }
}
