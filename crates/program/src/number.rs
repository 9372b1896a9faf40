//! Whole numbers on command lines.

use std::ops::RangeInclusive;

/// A parser of whole numbers that says which ones are valid.
pub fn number<T: TryFrom<u64>>(
    what: &'static str,
    valid: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| valid.contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| format!("{what} is {} to {}", valid.start(), valid.end()))
    }
}

/// The highest level that a provider has.
const MOST_LEVEL: u8 = 12;

/// Reads a level of compression. Which of them a provider has is for the provider to say.
///
/// # Errors
/// What would be right, in words.
pub fn level(text: &str) -> Result<u8, String> {
    let ranges = ": isal has 0 to 3, zlib 0 to 9, libdeflate 0 to 12";
    number("a level", 0..=u64::from(MOST_LEVEL))(text).map_err(|valid| valid + ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_and_what_is_none_are_told_the_range() {
        let threads = number::<usize>("a number of threads", 1..=256);
        assert_eq!((threads("1"), threads("256")), (Ok(1), Ok(256)));
        for wrong in ["", "0", "257", "-1", "x", "1.5", "99999999999999999999"] {
            assert_eq!(
                threads(wrong),
                Err("a number of threads is 1 to 256".to_owned()),
                "{wrong}"
            );
        }
        assert_eq!((level("0"), level("12")), (Ok(0), Ok(12)));
        let valid = "a level is 0 to 12: isal has 0 to 3, zlib 0 to 9, libdeflate 0 to 12";
        assert_eq!((level("13"), level("x")), (Err(valid.to_owned()), Err(valid.to_owned())));
    }
}
