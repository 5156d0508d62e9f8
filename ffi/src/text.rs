//! Foreign bytes and foreign identifiers in texts for users.

use std::fmt::Write as _;

/// The most bytes that are shown.
const MOST: usize = 200;

/// Bytes in quotation marks: as text where they are printable, as \xNN where not; the end of what is long is left out.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(MOST)];
    let mut text = String::with_capacity(shown.len() + 2);
    text.push('"');
    for chunk in shown.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.is_control() {
                hexadecimal(&mut text, letter.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                text.push(letter);
            }
        }
        hexadecimal(&mut text, chunk.invalid());
    }
    text.push('"');
    if shown.len() < bytes.len() {
        text.push_str("...");
    }
    text
}

fn hexadecimal(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "\\x{byte:02x}");
    }
}

/// Identifiers that are no words, and what they stand for.
#[cfg(feature = "tls")]
const TERMS: &[(&str, &str)] = &[
    ("Ccs", "ChangeCipherSpec"),
    ("Cert", "certificate"),
    ("Crl", "CRL"),
    ("Dh", "DH"),
    ("Ec", "elliptic curve"),
    ("Ech", "ECH"),
    ("Ems", "extended master secret"),
    ("Kx", "key exchange"),
    ("Ocsp", "OCSP"),
    ("Psk", "PSK"),
    ("Quic", "QUIC"),
    ("Sct", "SCT"),
    ("Sig", "signature"),
    ("Tls", "TLS"),
    ("Tls12", "TLS 1.2"),
    ("Tls13", "TLS 1.3"),
    ("Tls12Or13", "TLS 1.2 or 1.3"),
];

/// A name such as `TooManyKeyUpdateRequests` in words. Of a value with parts (`MissingData("ServerName")`) the parts that are words or
/// numbers follow a colon.
#[cfg(feature = "tls")]
pub(crate) fn words(identifier: &str) -> String {
    let end = identifier.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(identifier.len());
    let (name, rest) = identifier.split_at(end);
    let mut parts: Vec<&str> = Vec::new();
    let mut start = 0;
    for (place, letter) in name.char_indices() {
        // A capital after another one goes on with an abbreviation.
        if letter.is_ascii_uppercase() && place > start && !name[..place].ends_with(|c: char| c.is_ascii_uppercase()) {
            parts.push(&name[start..place]);
            start = place;
        }
    }
    parts.push(&name[start..]);
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() {
            text.push(' ');
        }
        match TERMS.iter().find(|(term, _)| *term == part) {
            Some((_, meaning)) => text.push_str(meaning),
            None => text.push_str(&part.to_ascii_lowercase()),
        }
    }
    let inner = rest.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
    if inner.chars().all(|letter| letter.is_ascii_alphanumeric()) && !inner.is_empty() {
        text.push_str(": ");
        text.push_str(&words(inner));
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_as_far_as_they_can_be() {
        assert_eq!(quoted(b"GET / HTTP"), "\"GET / HTTP\"");
        assert_eq!(quoted("M\u{fc}nchen".as_bytes()), "\"M\u{fc}nchen\"");
        assert_eq!(quoted(b"\x16\x03\xff\"\0"), "\"\\x16\\x03\\xff\"\\x00\"");
        let long = quoted(&[b'a'; 1000]);
        assert!(long.len() == MOST + 5 && long.ends_with("a\"..."), "{long}");
    }

    #[test]
    #[cfg(feature = "tls")]
    fn identifiers_become_words() {
        for (identifier, text) in [
            ("TooManyKeyUpdateRequests", "too many key update requests"),
            (
                "AttemptedDowngradeToTls12WhenTls13IsSupported",
                "attempted downgrade to TLS 1.2 when TLS 1.3 is supported",
            ),
            ("MissingData(\"ServerName\")", "missing data: server name"),
            ("DuplicateExtension(35)", "duplicate extension: 35"),
            ("Unknown(0x2f)", "unknown: 0x2f"),
            ("InvalidCcs", "invalid ChangeCipherSpec"),
            ("Context { time: 1, list: [1, 2] }", "context"),
            ("", ""),
        ] {
            assert_eq!(words(identifier), text);
        }
    }

    /// Sources below a directory.
    fn sources(directory: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if !path.ends_with("failure_tests.rs") && !path.ends_with("option_tests.rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn no_text_is_made_from_what_is_for_programmers() {
        let mut found = Vec::new();
        sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        assert!(found.len() > 50);
        for path in found {
            let text = std::fs::read_to_string(&path).unwrap();
            let shipped = text.split("#[cfg(test)]").next().unwrap();
            for line in shipped.lines().filter(|line| line.contains(":?}") || line.contains(":02x?}")) {
                // Identifiers of rustls go through `words`; an alert's is made lower case.
                let converted = line.contains("words(&format!") || line.contains("let camel = format!");
                assert!(converted, "{}: {line}: use quoted or words", path.display());
            }
        }
    }
}
