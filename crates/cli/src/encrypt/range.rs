//! The bytes that `--range` asks for.

use std::ops::Range;
use std::str::FromStr;

/// Some bytes of a plaintext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// From the first number on, up to and with the second.
    Between(u64, u64),
    /// From a number on.
    From(u64),
    /// So many at the end.
    Last(u64),
}

impl Wanted {
    /// The bytes, of so many.
    pub fn of(self, len: u64) -> Range<u64> {
        match self {
            Wanted::Between(first, last) => first..last.saturating_add(1),
            Wanted::From(first) => first..u64::MAX,
            Wanted::Last(count) => len.saturating_sub(count)..len,
        }
    }
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "a range is FIRST-LAST (0-499: the first 500 bytes), FIRST- or -COUNT".to_owned();
        let (first, last) = text.split_once('-').ok_or_else(wrong)?;
        let number = |digits: &str| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => digits.parse::<u64>().map_err(|_| wrong()),
            false => Err(wrong()),
        };
        match (first, last) {
            ("", count) => number(count).map(Wanted::Last),
            (first, "") => number(first).map(Wanted::From),
            (first, last) => match (number(first)?, number(last)?) {
                (first, last) if first <= last => Ok(Wanted::Between(first, last)),
                (first, last) => {
                    Err(format!("byte {last}, the last, is before byte {first}, the first"))
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_curl() {
        let of = |text: &str| text.parse::<Wanted>().map(|wanted| wanted.of(1000));
        assert_eq!(of("0-499"), Ok(0..500));
        assert_eq!(of("7-7"), Ok(7..8));
        assert_eq!(of("500-"), Ok(500..u64::MAX));
        assert_eq!(of("-500"), Ok(500..1000));
        assert_eq!(of("-5000"), Ok(0..1000));
        for wrong in ["", "-", "5", "5-4", "a-b", "1-2-3", "+1-2", "99999999999999999999-"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
        assert_eq!(of("5-3"), Err("byte 3, the last, is before byte 5, the first".to_owned()));
    }
}
