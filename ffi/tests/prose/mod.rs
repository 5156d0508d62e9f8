//! What has no place in a text for users: the names and the notation of the language that the library is written in.

/// Words with a capital inside that are terms of the protocol or of X.509.
const TERMS: &[&str] = &[
    "CertificateRequest",
    "ChangeCipherSpec",
    "ClientHello",
    "HelloRequest",
    "KeyUpdate",
    "ServerHello",
    "nextUpdate",
    "rsaEncryption",
    "subjectAltName",
];

/// Fails for a text with notation of Rust.
#[allow(dead_code, reason = "not every test crate has such texts at hand")]
pub fn assert_prose(text: &str) {
    if let Some(found) = rust_notation(text) {
        panic!("{found:?} is Rust, in a text for users: {text}");
    }
}

/// The first piece of Rust in a text.
pub fn rust_notation(text: &str) -> Option<String> {
    for part in
        ["Some(", "None", "Ok(", "Err(", "(os error", "\\u{", "\\\"", "\\'", " { ", "core::", "std::", "rustls::"]
    {
        if text.contains(part) {
            return Some(part.to_owned());
        }
    }
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    for (start, word) in
        text.split(|letter| !is_word(letter)).map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
    {
        let rest = &text[start + word.len()..];
        let named = word.starts_with(|letter: char| letter.is_ascii_uppercase());
        if named && rest.starts_with('(') {
            return Some(format!("{word}("));
        }
        if word.contains(|letter: char| letter.is_ascii_alphabetic())
            && rest.starts_with("::")
            && rest[2..].starts_with(|letter: char| letter.is_ascii_alphabetic())
        {
            return Some(format!("{word}::"));
        }
        let letters = word.as_bytes();
        let camel = letters.windows(3).any(|three| {
            three[0].is_ascii_lowercase() && three[1].is_ascii_uppercase() && three[2].is_ascii_lowercase()
        });
        if camel && !TERMS.contains(&word) {
            return Some(word.to_owned());
        }
        // A list of numbers.
        if !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_digit())
            && text[..start].ends_with('[')
            && rest.starts_with(", ")
        {
            return Some(format!("[{word}, "));
        }
    }
    None
}

#[test]
fn notation_is_found_and_prose_is_not() {
    for text in [
        "missing data: DnsName(\"a\")",
        "PeerMisbehaved::TooMany",
        "found Some(1)",
        "the line [45, 45, 45]",
        "Unknown(3)",
        "state: KeyEpoch",
        "no such file (os error 2)",
        "Context { time: 3 }",
        "\"a\\u{2}\"",
    ] {
        assert!(rust_notation(text).is_some(), "{text}");
    }
    for text in [
        "the client's ClientHello has no name (RFC 6066, 3)",
        "TLS_AES_128_GCM_SHA256 and ECDHE-RSA-CHACHA20-POLY1305, X25519MLKEM768",
        "OpenSSL's format: BoringSSL, IPv4, ::1, fe80::1, 0x0303",
        "\"\\x16\\x03\" (20 bytes), ferronet_tls_session_wrap, [a]",
    ] {
        assert_eq!(rust_notation(text), None, "{text}");
    }
}
