//! Reads the standards' examples in the folder `vectors`.

use std::ops::Range;

use broadloom_engine::Algorithm;

use crate::case::{Case, Layout};
use crate::keyed::Keyed;

const FILES: [(&str, &str); 6] = [
    ("hashes.txt", include_str!("../vectors/hashes.txt")),
    ("hmac.txt", include_str!("../vectors/hmac.txt")),
    ("macs.txt", include_str!("../vectors/macs.txt")),
    ("ciphers.txt", include_str!("../vectors/ciphers.txt")),
    ("aeads.txt", include_str!("../vectors/aeads.txt")),
    ("chains.txt", include_str!("../vectors/chains.txt")),
];

/// An example.
pub(crate) struct Vector {
    /// Its source, and its name there.
    pub name: String,
    pub case: Case,
}

/// All of them.
///
/// # Panics
/// If a file is not as it should be.
pub(crate) fn all() -> Vec<Vector> {
    let records = FILES.into_iter().flat_map(|(file, text)| records(file, text));
    records.map(|record| record.vector()).collect()
}

/// The records of a file.
///
/// # Panics
/// If the file is not as it should be.
pub(crate) fn records<'t>(file: &'t str, text: &'t str) -> Vec<Record<'t>> {
    let mut source = "";
    let records = text.split("\n\n").map(|paragraph| {
        let mut record = Record::read(file, paragraph);
        source = record.get("source").unwrap_or(source);
        record.source = source;
        record
    });
    records.filter(|record| record.fields.iter().any(|field| field.0 != "source")).collect()
}

/// Lines of a name and a value.
pub(crate) struct Record<'t> {
    file: &'t str,
    source: &'t str,
    fields: Vec<(&'t str, &'t str)>,
}

impl<'t> Record<'t> {
    fn read(file: &'t str, paragraph: &'t str) -> Self {
        let lines = paragraph.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let fields = lines.map(|line| {
            let (name, value) =
                line.split_once(':').unwrap_or_else(|| panic!("{file}: no field: {line}"));
            (name, value.trim())
        });
        Record { file, source: "", fields: fields.collect() }
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&'t str> {
        self.all(name).next()
    }

    /// The values of a field that may be there several times.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &'t str> {
        self.fields.iter().filter(move |field| field.0 == name).map(|field| field.1)
    }

    /// The bytes of a field's value; none if it is not there.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        self.get(name).map(|value| self.bytes_of(value)).unwrap_or_default()
    }

    /// The bytes that a value stands for.
    pub fn bytes_of(&self, value: &str) -> Vec<u8> {
        bytes(value).unwrap_or_else(|| panic!("{}: no bytes: {value:?}", self.file))
    }

    /// Its source, and its name there.
    pub fn name(&self) -> String {
        format!("{}: {}", self.source, self.get("name").unwrap_or_default())
    }

    /// Its subject.
    pub fn algorithm(&self) -> Algorithm {
        let name = self.get("algorithm").unwrap_or_default();
        name.parse().unwrap_or_else(|error| panic!("{}, {}: {error}", self.file, self.name()))
    }

    fn range(&self, name: &str) -> Option<Range<usize>> {
        let (start, end) = self.get(name)?.split_once("..").expect("a range has two ends");
        let number = |text: &str| text.parse().expect("an end of a range is a number");
        Some(number(start)..number(end))
    }

    /// The example that it is.
    pub fn vector(&self) -> Vector {
        let algorithm = self.algorithm();
        let (before, tag) = (self.bytes("text"), self.bytes("tag"));
        let after =
            if self.get("output").is_some() { self.bytes("output") } else { before.clone() };
        let layout = Layout {
            cipher: self.range("cipher-range"),
            mac: self.range("mac-range"),
            tag_at: self.get("tag-at").map(|at| at.parse().expect("an offset is a number")),
        };
        let keyed =
            Keyed::new(algorithm, self.bytes("key"), self.bytes("mac-key")).with_tag_len(tag.len());
        let given = Case::given(keyed, before, after, tag);
        let (nonce, associated) = (self.bytes("nonce"), self.bytes("associated"));
        let bits = self.get("bits").map(|bits| bits.parse().expect("a number of bits"));
        let mut case = Case { nonce, associated, layout, bits, ..given };
        if let Some(at) = case.layout.tag_at {
            case.restored[at..at + case.tag.len()].copy_from_slice(&case.tag);
        }
        Vector { name: self.name(), case }
    }
}

/// Hexadecimal or quoted text, once or several times.
fn bytes(value: &str) -> Option<Vec<u8>> {
    if let Some(text) = value.strip_prefix('"') {
        return Some(text.strip_suffix('"')?.as_bytes().to_vec());
    }
    let (digits, times) = match value.split_once('*') {
        Some((digits, times)) => (digits, times.parse().ok()?),
        None => (value, 1),
    };
    if !digits.is_ascii() || digits.len() % 2 == 1 {
        return None;
    }
    let pairs = digits.as_bytes().chunks(2);
    let once = pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    Some(once.collect::<Option<Vec<u8>>>()?.repeat(times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_reference_agrees_with_every_example() {
        for Vector { name, case } in all() {
            let Case { keyed, nonce, associated, layout, before, bits, .. } = case.clone();
            let computed = Case::new(keyed, nonce, associated, layout, before).of_bits(bits);
            assert_eq!(computed.tag, case.tag, "{name}");
            assert_eq!(computed.after, case.after, "{name}");
        }
    }

    #[test]
    fn every_algorithm_has_an_example() {
        let have: BTreeSet<_> =
            all().into_iter().map(|vector| vector.case.keyed.algorithm).collect();
        let missing: Vec<_> =
            Algorithm::simple().filter(|algorithm| !have.contains(algorithm)).collect();
        assert!(missing.is_empty(), "no example of {missing:?}");
        assert!(have.iter().any(|algorithm| matches!(algorithm, Algorithm::Chain(..))));
    }

    #[test]
    fn values_are_read_as_they_are_written() {
        assert_eq!(bytes("0aff"), Some(vec![10, 255]));
        assert_eq!(bytes("0b*3"), Some(vec![11; 3]));
        assert_eq!(bytes("\"a b\""), Some(b"a b".to_vec()));
        assert_eq!(bytes(""), Some(Vec::new()));
        for wrong in ["0g", "012", "\"a", "0b*x", "\u{e9}\u{e9}"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
