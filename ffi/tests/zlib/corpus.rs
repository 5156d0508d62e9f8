//! Documents of several shapes, made here.

use std::fmt::Write;

use crate::support::Random;

const WORDS: &[&str] = &[
    "account", "balance", "city", "delivery", "error", "february", "grey", "height", "invoice", "june", "kilogram",
    "limit", "message", "number", "order", "price", "quantity", "region", "street", "total", "unit", "value", "weight",
];

/// Records that differ in every value.
pub fn varied_json(length: usize) -> Vec<u8> {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut text = String::from("[");
    while text.len() < length {
        let (a, b) = (WORDS[random.below(WORDS.len())], WORDS[random.below(WORDS.len())]);
        let _ = write!(
            text,
            "{{\"id\":{},\"name\":\"{a} {b} {}\",\"amount\":{}.{:02},\"token\":\"{:016x}\",\"active\":{},\"{a}\":[{},{}]}},",
            random.below(1_000_000),
            random.below(1000),
            random.below(100_000),
            random.below(100),
            random.next(),
            random.below(2) == 0,
            random.below(100),
            random.below(100),
        );
    }
    text.into_bytes()[..length].to_vec()
}

/// Records that differ in a number only.
pub fn repetitive_json(length: usize) -> Vec<u8> {
    let mut text = String::from("[");
    let mut id = 0;
    while text.len() < length {
        let _ = write!(
            text,
            "{{\"id\":{id},\"name\":\"item-{id}\",\"price\":12.5,\"tags\":[\"new\",\"sale\"],\"active\":true}},"
        );
        id += 1;
    }
    text.into_bytes()[..length].to_vec()
}

pub fn html(length: usize) -> Vec<u8> {
    let mut random = Random(77);
    let mut text = String::from("<!doctype html>\n<html><body>\n<table>\n");
    while text.len() < length {
        let _ = writeln!(
            text,
            "  <tr class=\"row {}\"><td>{}</td><td><a href=\"/item/{}\">{} {}</a></td></tr>",
            if random.below(2) == 0 { "odd" } else { "even" },
            random.below(500),
            random.below(9999),
            WORDS[random.below(WORDS.len())],
            WORDS[random.below(WORDS.len())],
        );
    }
    text.into_bytes()[..length].to_vec()
}

pub fn prose(length: usize) -> Vec<u8> {
    let mut random = Random(99);
    let mut text = String::new();
    while text.len() < length {
        text.push_str(WORDS[random.below(WORDS.len())]);
        text.push_str(if random.below(9) == 0 { ".\n" } else { " " });
    }
    text.into_bytes()[..length].to_vec()
}

pub fn noise(length: usize) -> Vec<u8> {
    let mut random = Random(0xfeed_beef);
    (0..length).map(|_| random.next() as u8).collect()
}

/// Name and content of each document.
pub fn documents() -> Vec<(String, Vec<u8>)> {
    let mut all = vec![
        ("empty".to_owned(), vec![]),
        ("one byte".to_owned(), vec![b'a']),
        ("varied json".to_owned(), varied_json(100_000)),
        ("repetitive json".to_owned(), repetitive_json(100_000)),
        ("html".to_owned(), html(60_000)),
        ("prose".to_owned(), prose(60_000)),
        ("noise".to_owned(), noise(70_000)),
        ("zeros".to_owned(), vec![0; 200_000]),
    ];
    let packed = crate::support::compress(
        ferronet::zlib::DeflateConfig::new(ferronet::zlib::Format::Gzip),
        &varied_json(100_000),
    );
    all.push(("already compressed".to_owned(), packed));
    for length in [1_000, 4_096] {
        all.push((format!("repetitive json of {length}"), repetitive_json(length)));
        all.push((format!("html of {length}"), html(length)));
        all.push((format!("prose of {length}"), prose(length)));
        all.push((format!("noise of {length}"), noise(length)));
    }
    for base in [512, 4096, 32_768, 65_536, 131_072] {
        for length in [base - 1, base, base + 1] {
            all.push((format!("varied json of {length}"), varied_json(length)));
        }
    }
    all
}

/// The beginning, again and again.
pub fn periodic(beginning: &[u8], length: usize) -> Vec<u8> {
    beginning.iter().copied().cycle().take(length).collect()
}

/// Text that refers to one of three images of 4,000 bytes every now and then.
fn text_with_images(length: usize) -> Vec<u8> {
    let mut random = Random(3);
    let images = noise(12_000);
    let words = prose(length);
    let mut document = Vec::new();
    for text in words.chunks(100) {
        document.extend_from_slice(text);
        let image = random.below(3) * 4_000;
        document.extend_from_slice(&images[image..image + 4_000]);
    }
    document.truncate(length);
    document
}

/// Text and runs of all lengths and short periods, in turn.
fn text_and_runs(length: usize) -> Vec<u8> {
    let mut random = Random(11);
    let words = prose(length);
    let mut document = Vec::new();
    for text in words.chunks(300) {
        document.extend_from_slice(text);
        let period = 1 + random.below(30);
        let run = random.below(4_000);
        document.extend(periodic(&text[..period.min(text.len())], run));
    }
    document.truncate(length);
    document
}

/// Name and content of documents that repeat themselves.
pub fn repeating_documents() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for length in [4_096, 16 << 10, 128 << 10, 1_000_000] {
        all.push((format!("zeros of {length}"), vec![0; length]));
        all.push((format!("abcabcabd of {length}"), periodic(b"abcabcabd", length)));
        all.push((format!("text and runs of {length}"), text_and_runs(length)));
        all.push((format!("text with images of {length}"), text_with_images(length)));
        for period in [2, 3, 4, 5, 7, 16, 31, 64, 100, 177, 251, 257, 258, 259, 300] {
            let name = format!("period {period} of {length}");
            all.push((name, periodic(&noise(period), length)));
            let name = format!("period of text {period} of {length}");
            all.push((name, periodic(&prose(period), length)));
        }
    }
    all
}
