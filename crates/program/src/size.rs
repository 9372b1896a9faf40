//! Sizes on command lines.

use std::num::NonZeroU64;

/// Reads a size: digits, then perhaps K, M, G or T (powers of 1024), written `K`, `KiB` or `k`.
///
/// # Errors
/// What would be right, in words: for anything else, and for 0.
pub fn parse_size(text: &str) -> Result<NonZeroU64, String> {
    let wrong = || "expected a number of bytes above 0, such as 4096, 64K or 1M".to_owned();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let shift = match text[digits.len()..].to_ascii_lowercase().trim_end_matches("ib") {
        "" if text.len() == digits.len() => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(wrong()),
    };
    let size = number.checked_mul(1 << shift).ok_or("more bytes than a file can have")?;
    NonZeroU64::new(size).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bytes_or_powers_of_1024() {
        let size = |text| parse_size(text).map(NonZeroU64::get);
        assert_eq!(size("1"), Ok(1));
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("64K"), Ok(65536));
        assert_eq!(size("64k"), Ok(65536));
        assert_eq!(size("3MiB"), Ok(3 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("1T"), Ok(1 << 40));
        for wrong in ["", "0", "0K", "K", "-1", "4 K", "4KB", "4ib", "1.5M", "99999999999T", "٣"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
