//! Verifiers, signers, choosers and key logs of the application.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair};
use ferronet::abi::status::*;
use ferronet::tls::{
    Choice, Chooser, ClientAuth, Config, Context, Credential, CredentialConfig, KeyLog, SessionConfig, Side, Signer,
    State, Trust, Verdict, Verification, Verifier,
};

use crate::support::*;

/// Answers the same to every question, and keeps what it was asked.
struct Judge {
    verdict: Verdict,
    asked: Mutex<Vec<String>>,
}

impl Judge {
    fn new(verdict: Verdict) -> Arc<Self> {
        Arc::new(Self { verdict, asked: Mutex::default() })
    }
}

impl Verifier for Judge {
    fn verify(&self, question: &Verification<'_>) -> Verdict {
        let side = if question.side == Side::Client { "client" } else { "server" };
        self.asked.lock().unwrap().push(format!(
            "{side} {} {} {:?} {} {}",
            question.user,
            question.certificates.len(),
            question.server_name,
            question.check_host,
            String::from_utf8_lossy(question.ocsp_response)
        ));
        self.verdict.clone()
    }
}

fn judged_by(judge: &Arc<Judge>) -> Config {
    Config { trust: Trust::Callback, verifier: Some(Arc::clone(judge) as _), ..Config::new(Side::Client) }
}

#[test]
fn a_verifier_judges_the_server_in_a_task() {
    for version in [0x0303, 0x0304] {
        let judge = Judge::new(Verdict::Accept);
        let client = Context::new(Config { max_version: version, ..judged_by(&judge) }).unwrap();
        let mut config = credential_config("unknown");
        config.ocsp_response = b"response".to_vec();
        let server = Config { credentials: vec![Credential::new(config).unwrap()], ..server("unknown") };
        let server = Context::new(server).unwrap();
        let mut pair = Pair {
            client: End::new(&client, SessionConfig { user: 42, ..localhost() }),
            server: End::new(&server, SessionConfig::default()),
        }
        .connect();
        assert!(pair.client.tasks > 0 && pair.server.tasks == 0);
        assert_eq!(*judge.asked.lock().unwrap(), ["client 42 1 Some(\"localhost\") true response"]);
        pair.talk(&varied(50_000));
    }
}

#[test]
fn nothing_runs_before_the_task() {
    let judge = Judge::new(Verdict::Accept);
    let client = Context::new(judged_by(&judge)).unwrap();
    let server = Context::new(server("ecdsa256")).unwrap();
    let mut pair = Pair::of(&client, &server);
    pair.server.inbox = pair.client.flush();
    pair.server.read();
    let flight = pair.server.flush();
    let mut place = 0;
    while place < flight.len() {
        let input = ferronet::tls::Input::Keep(&[&flight[place..]]);
        let progress = pair.client.session.unwrap(input, &mut []).unwrap();
        assert_eq!(progress.state, State::NeedTask);
        let again = pair.client.session.unwrap(ferronet::tls::Input::Keep(&[&flight[place..]]), &mut []).unwrap();
        assert_eq!((again.consumed, again.state), (0, State::NeedTask), "a task comes first");
        assert!(pair.client.flush().is_empty(), "nothing is sent before it");
        place += progress.consumed;
        assert!(judge.asked.lock().unwrap().is_empty());
        let session = &mut pair.client.session;
        std::thread::scope(|scope| scope.spawn(|| session.task().unwrap()).join().unwrap());
        if !judge.asked.lock().unwrap().is_empty() {
            return;
        }
        let input = ferronet::tls::Input::Keep(&[]);
        pair.client.session.unwrap(input, &mut []).unwrap();
        pair.client.flush();
    }
    panic!("the verifier was not asked");
}

#[test]
fn a_verifier_refuses_with_its_alert() {
    for (alert, sent) in [
        (42, 42),
        (43, 43),
        (44, 44),
        (45, 45),
        (46, 46),
        (47, 47),
        (48, 48),
        (49, 49),
        (51, 51),
        (113, 113),
        (40, 40),
        (80, 40),
    ] {
        let judge = Judge::new(Verdict::Refuse(alert));
        let mut pair = Pair::new(judged_by(&judge), server("ecdsa256"));
        pair.settle();
        let error = pair.client.error.unwrap();
        assert_eq!(error.status, FERRONET_ERR_TLS_CERTIFICATE, "{error}");
        assert_eq!(pair.client.session.progress().alert, Some(sent));
        assert_eq!(pair.server.session.progress().alert, Some(sent), "{:?}", pair.server.error);
    }
}

#[test]
fn a_verifier_that_fails_is_told_apart_from_one_that_refuses() {
    let judge = Judge::new(Verdict::Fail("no trust store".into()));
    let (client, server) = Pair::new(judged_by(&judge), server("ecdsa256")).refuse();
    let error = client.unwrap();
    assert_eq!(error.status, FERRONET_ERR_TLS_CALLBACK);
    assert!(error.text.contains("no trust store"), "{error}");
    assert_eq!(server.unwrap().status, FERRONET_ERR_TLS_ALERT);
}

#[test]
fn a_verifier_judges_clients() {
    for version in [0x0303, 0x0304] {
        for (verdict, good) in [(Verdict::Accept, true), (Verdict::Refuse(42), false)] {
            let judge = Judge::new(verdict);
            let server = Config {
                trust: Trust::Callback,
                verifier: Some(Arc::clone(&judge) as _),
                client_auth: ClientAuth::Required,
                ..server("ecdsa256")
            };
            let client = Config { credentials: vec![credential("unknown")], max_version: version, ..client() };
            let mut pair = Pair::new(client, server);
            pair.settle();
            assert_eq!(pair.server.done(), good, "{:?}", pair.server.error);
            assert_eq!(*judge.asked.lock().unwrap(), ["server 0 1 Some(\"localhost\") true "]);
        }
    }
}

/// A key that the library does not see.
struct Token {
    key: EcdsaKeyPair,
    asked: AtomicU32,
    broken: bool,
}

impl Signer for Token {
    fn sign(&self, user: u64, scheme: u16, message: &[u8]) -> Result<Vec<u8>, String> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        assert_eq!((user, scheme), (7, 0x0403));
        if self.broken {
            return Err("the token was pulled".into());
        }
        let random = aws_lc_rs::rand::SystemRandom::new();
        Ok(self.key.sign(&random, message).unwrap().as_ref().to_vec())
    }
}

fn token(name: &str, broken: bool) -> (Arc<Token>, Credential) {
    use rustls::pki_types::pem::PemObject;
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from_pem_slice(&pem(&format!("{name}.key"))).unwrap();
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key.secret_pkcs8_der()).unwrap();
    let token = Arc::new(Token { key, asked: AtomicU32::new(0), broken });
    let config =
        CredentialConfig { chain: pem(name), signer: Some(Arc::clone(&token) as _), ..CredentialConfig::default() };
    (token, Credential::new(config).unwrap())
}

#[test]
fn a_signer_signs_for_servers_and_clients() {
    for version in [0x0303, 0x0304] {
        let (server_token, server_credential) = token("ecdsa256", false);
        let (client_token, client_credential) = token("client", false);
        let server = Config {
            credentials: vec![server_credential],
            client_auth: ClientAuth::Required,
            trust: Trust::Roots,
            roots: pem("root"),
            ..Config::new(Side::Server)
        };
        let client = Config { credentials: vec![client_credential], max_version: version, ..client() };
        let (client, server) = (Context::new(client).unwrap(), Context::new(server).unwrap());
        let seven = SessionConfig { user: 7, ..SessionConfig::default() };
        let pair = Pair {
            client: End::new(&client, SessionConfig { user: 7, ..localhost() }),
            server: End::new(&server, seven),
        }
        .connect();
        assert!(pair.client.tasks > 0 && pair.server.tasks > 0);
        assert_eq!((server_token.asked.load(Ordering::Relaxed), client_token.asked.load(Ordering::Relaxed)), (1, 1));
    }
}

#[test]
fn a_signer_that_fails_ends_the_handshake() {
    let (_, broken) = token("ecdsa256", true);
    let server = Context::new(Config { credentials: vec![broken], ..Config::new(Side::Server) }).unwrap();
    let client = Context::new(client()).unwrap();
    let config = SessionConfig { user: 7, ..SessionConfig::default() };
    let pair = Pair { client: End::new(&client, localhost()), server: End::new(&server, config) };
    let error = pair.refuse().1.unwrap();
    assert_eq!(error.status, FERRONET_ERR_TLS_CALLBACK);
    assert!(error.text.contains("pulled"), "{error}");
}

#[test]
fn a_signers_schemes_are_those_of_its_key() {
    let (token, _) = token("ecdsa256", false);
    let config = CredentialConfig {
        chain: pem("ecdsa256"),
        signer: Some(token),
        schemes: vec![0x0804],
        ..CredentialConfig::default()
    };
    assert!(Credential::new(config).unwrap_err().text.contains("rsa_pss_rsae_sha256"));
}

/// Chooses by a rule, and keeps what it saw.
struct Rule {
    answer: Result<Option<Credential>, String>,
    seen: Mutex<Vec<String>>,
}

impl Chooser for Rule {
    fn choose(&self, choice: &Choice<'_>) -> Result<Option<Credential>, String> {
        self.seen.lock().unwrap().push(format!(
            "{:?} {} {:?} {:?} {} {} {}",
            choice.side,
            choice.user,
            choice.server_name,
            String::from_utf8_lossy(choice.alpn),
            choice.schemes.contains(&0x0403),
            choice.suites.contains(&0x1301),
            choice.issuers.len()
        ));
        self.answer.clone()
    }
}

fn rule(answer: Result<Option<Credential>, String>) -> Arc<Rule> {
    Arc::new(Rule { answer, seen: Mutex::default() })
}

#[test]
fn a_chooser_chooses_for_servers_and_clients() {
    let of_server = rule(Ok(Some(credential("ecdsa256"))));
    let of_client = rule(Ok(Some(credential("client"))));
    let server = Config {
        chooser: Some(Arc::clone(&of_server) as _),
        client_auth: ClientAuth::Required,
        trust: Trust::Roots,
        roots: pem("root"),
        ..Config::new(Side::Server)
    };
    let client = Config { chooser: Some(Arc::clone(&of_client) as _), alpn: b"\x02h2".to_vec(), ..client() };
    let pair = connect(client, server);
    assert_eq!((pair.server.info().peer_certificates, pair.server.info().local_certificates), (1, 1));
    assert_eq!(*of_server.seen.lock().unwrap(), ["Server 0 Some(\"localhost\") \"\\u{2}h2\" true true 0"]);
    assert_eq!(*of_client.seen.lock().unwrap(), ["Client 0 Some(\"localhost\") \"\" true false 1"]);
}

#[test]
fn a_chooser_may_choose_nothing_or_fail() {
    for (answer, status) in
        [(Ok(None), FERRONET_ERR_TLS_NO_COMMON), (Err("no key store".to_owned()), FERRONET_ERR_TLS_CALLBACK)]
    {
        let choosing = Config { chooser: Some(rule(answer.clone()) as _), ..Config::new(Side::Server) };
        let error = Pair::new(client(), choosing).refuse().1.unwrap();
        assert_eq!(error.status, status, "{error}");

        let client = Config { chooser: Some(rule(answer.clone()) as _), ..client() };
        let optional =
            Config { client_auth: ClientAuth::Optional, trust: Trust::Roots, roots: pem("root"), ..server("ecdsa256") };
        let mut pair = Pair::new(client, optional);
        pair.settle();
        assert_eq!(pair.client.done(), answer.is_ok(), "{:?}", pair.client.error);
        assert_eq!(pair.server.done(), answer.is_ok(), "a client that failed has not agreed: {:?}", pair.server.error);
    }
}

#[test]
fn a_context_can_make_every_flight_a_task() {
    let mut pair = connect(Config { tasks: true, ..client() }, Config { tasks: true, ..server("ecdsa256") });
    assert!(pair.client.tasks > 0 && pair.server.tasks > 0);
    pair.talk(b"data");
}

#[derive(Default)]
struct Lines(Mutex<Vec<(u64, String)>>);

impl KeyLog for Lines {
    fn line(&self, user: u64, line: &str) {
        self.0.lock().unwrap().push((user, line.to_owned()));
    }
}

#[test]
fn the_key_log_goes_to_a_hook_and_to_a_file() {
    let path = std::env::temp_dir().join(format!("ferronet-key-log-{}", std::process::id()));
    let lines = Arc::new(Lines::default());
    let client = Context::new(Config { key_log: Some(Arc::clone(&lines) as _), ..client() }).unwrap();
    let server = Context::new(Config { key_log_path: Some(path.clone()), ..server("ecdsa256") }).unwrap();
    let config = SessionConfig { user: 5, ..localhost() };
    Pair { client: End::new(&client, config), server: End::new(&server, SessionConfig::default()) }.connect();
    let text = std::fs::read_to_string(&path).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    std::fs::remove_file(&path).unwrap();
    let mut of_server: Vec<&str> = text.lines().collect();
    let of_client = lines.0.lock().unwrap();
    let mut of_client: Vec<&str> = of_client
        .iter()
        .map(|(user, line)| {
            assert_eq!(*user, 5);
            line.as_str()
        })
        .collect();
    of_client.sort_unstable();
    of_server.sort_unstable();
    assert_eq!(of_client, of_server);
    for label in ["CLIENT_HANDSHAKE_TRAFFIC_SECRET ", "SERVER_TRAFFIC_SECRET_0 ", "EXPORTER_SECRET "] {
        assert!(of_client.iter().any(|line| line.starts_with(label)), "{label}: {of_client:?}");
    }
}
