//! JSON as Go writes it, so that a tree has the same bytes, and so the same ID, as restic's.

use std::fmt::{self, Write as _};
use std::io;

use base64ct::{Base64, Encoding};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::ser::Formatter;
use zeroize::Zeroizing;

/// Go escapes what could end a script in HTML.
struct Go;

impl Formatter for Go {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let special = |c: char| matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
        let mut rest = fragment;
        while let Some(at) = rest.find(special) {
            let c = rest[at..].chars().next().expect("it was found");
            write!(writer, "{}\\u{:04x}", &rest[..at], c as u32)?;
            rest = &rest[at + c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

/// The JSON of a value.
pub fn to_json(value: &impl Serialize) -> Vec<u8> {
    let mut text = Vec::new();
    write_json(value, &mut text);
    text
}

/// Writes the JSON of a value behind what is there.
pub fn write_json(value: &impl Serialize, text: &mut Vec<u8>) {
    let mut serializer = serde_json::Serializer::with_formatter(text, Go);
    value.serialize(&mut serializer).expect("the types of this crate are representable");
}

/// A file's name as restic writes it: Go's `strconv.Quote`, without the quotes.
pub mod name {
    use super::{Deserialize, Deserializer, Serializer, quote, unquote};
    use serde::de::Error as _;

    /// Writes the quoted name.
    pub fn serialize<S: Serializer>(name: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&quote(name))
    }

    /// Reads a quoted name.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        unquote(&text).ok_or_else(|| D::Error::custom(format!("{text:?} is not a quoted name")))
    }
}

/// Quotes bytes as Go's `strconv.Quote` does, without the quotes around.
pub fn quote(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => text.extend(['\\', c]),
                ' '..='~' => text.push(c),
                '\x07' => text.push_str("\\a"),
                '\x08' => text.push_str("\\b"),
                '\x0c' => text.push_str("\\f"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\x0b' => text.push_str("\\v"),
                '\0'..='\x7f' => write!(text, "\\x{:02x}", c as u32).expect("it is memory"),
                _ if is_printable(c) => text.push(c),
                '\u{80}'..='\u{ffff}' => {
                    write!(text, "\\u{:04x}", c as u32).expect("it is memory");
                }
                _ => write!(text, "\\U{:08x}", c as u32).expect("it is memory"),
            }
        }
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("it is memory");
        }
    }
    text
}

/// Returns `true` if a character has a shape. Rust's escapes for debugging decide by the same
/// classes of Unicode as Go's; only behind another character do they leave combining marks as they
/// are.
fn is_printable(c: char) -> bool {
    let mut bytes = *b"aaaaa";
    let len = 1 + c.encode_utf8(&mut bytes[1..]).len();
    let text = std::str::from_utf8(&bytes[..len]).expect("two characters");
    text.escape_debug().count() == 2
}

/// The bytes that [`quote`] was given; `None` for text that it does not make.
pub fn unquote(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '"']) {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = rest[at..].strip_prefix('\\')?;
        let kind = escape.chars().next()?;
        rest = &escape[kind.len_utf8()..];
        let number = |digits: usize, radix: u32, from: &str| {
            let value = from.get(..digits)?;
            let valid = value.bytes().all(|byte| (byte as char).is_digit(radix));
            valid.then(|| u32::from_str_radix(value, radix).ok())?
        };
        match kind {
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'f' => bytes.push(12),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(11),
            '\\' | '"' => bytes.push(kind as u8),
            'x' => {
                bytes.push(number(2, 16, rest)? as u8);
                rest = &rest[2..];
            }
            '0'..='7' => {
                bytes.push(u8::try_from(number(3, 8, escape)?).ok()?);
                rest = &escape[3..];
            }
            'u' | 'U' => {
                let digits = if kind == 'u' { 4 } else { 8 };
                let c = char::from_u32(number(digits, 16, rest)?)?;
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[digits..];
            }
            _ => return None,
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(bytes)
}

/// Bytes in base64 with padding, as Go writes them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Base64Bytes(pub Vec<u8>);

impl Serialize for Base64Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // What is encoded may be a key.
        serializer.serialize_str(&Zeroizing::new(Base64::encode_string(&self.0)))
    }
}

impl<'de> Deserialize<'de> for Base64Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(Base64Text)
    }
}

/// Decodes a text where it lies, without a copy that nobody wipes: it may be a key. `null` is
/// empty, as in Go.
struct Base64Text;

impl<'de> Visitor<'de> for Base64Text {
    type Value = Base64Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text in base64, or null")
    }

    fn visit_none<E: de::Error>(self) -> Result<Base64Bytes, E> {
        Ok(Base64Bytes::default())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Base64Bytes, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Base64Bytes, E> {
        let bytes = Base64::decode_vec(text);
        bytes.map(Base64Bytes).map_err(|_| E::custom("the text is not base64"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_go_quotes_them() {
        let cases: [(&[u8], &str); 8] = [
            (b"plain name", "plain name"),
            (b"a\"b\\c", "a\\\"b\\\\c"),
            (b"tab\tbell\x07\x1b\x7f", "tab\\tbell\\a\\x1b\\x7f"),
            (b"\xff\xfe", "\\xff\\xfe"),
            ("grün 日本".as_bytes(), "grün 日本"),
            ("e\u{301}".as_bytes(), "e\u{301}"),
            ("\u{a0}\u{200b}".as_bytes(), "\\u00a0\\u200b"),
            ("\u{e0001}".as_bytes(), "\\U000e0001"),
        ];
        for (name, quoted) in cases {
            assert_eq!(quote(name), quoted);
            assert_eq!(unquote(quoted).as_deref(), Some(name));
        }
        assert_eq!(unquote("\\101"), Some(b"A".to_vec()));
        for wrong in ["\\", "\\q", "\\x1", "\\u12", "a\"b", "\\ud800", "\\777", "\\x+1"] {
            assert_eq!(unquote(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn text_is_escaped_as_go_escapes_it() {
        let text = to_json(&"<a>&\u{2028}\n\"ü");
        assert_eq!(text, "\"\\u003ca\\u003e\\u0026\\u2028\\n\\\"ü\"".as_bytes());
    }

    proptest::proptest! {
        #[test]
        fn every_name_comes_back(name: Vec<u8>) {
            proptest::prop_assert_eq!(unquote(&quote(&name)), Some(name));
        }
    }
}
