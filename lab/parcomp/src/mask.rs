//! Masks of cores: a bit each, the lowest for core 0.

/// The mask where none is asked for, as the source has it: the first eight cores.
pub const DEFAULT: Mask = Mask(0xff);

/// Some cores, among the first 128.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mask(u128);

impl Mask {
    /// The numbers of its cores, in ascending order.
    pub fn cores(self) -> Vec<usize> {
        (0..u128::BITS).filter(|bit| self.0 >> bit & 1 == 1).map(|bit| bit as usize).collect()
    }

    /// Those of its cores that are among `allowed`.
    pub fn among(self, allowed: &[usize]) -> Vec<usize> {
        let mut cores = self.cores();
        cores.retain(|core| allowed.contains(core));
        cores
    }
}

/// Reads a mask in hexadecimal, with or without `0x` before it.
pub fn hexadecimal(text: &str) -> Result<Mask, String> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
    mask(digits, 16, "a hexadecimal mask of cores, such as f for the first four")
}

/// Reads a mask in decimal.
pub fn decimal(text: &str) -> Result<Mask, String> {
    mask(text, 10, "a decimal mask of cores, such as 15 for the first four")
}

fn mask(digits: &str, radix: u32, valid: &str) -> Result<Mask, String> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match u128::from_str_radix(digits, radix) {
        Ok(0) => Err("a mask has at least one core".to_owned()),
        Ok(bits) if plain => Ok(Mask(bits)),
        _ => Err(format!("valid is {valid}, of at most 128 bits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_read_in_their_base() {
        assert_eq!(hexadecimal("f").map(Mask::cores), Ok(vec![0, 1, 2, 3]));
        assert_eq!(hexadecimal("0x00ff0000").map(Mask::cores), Ok((16..24).collect()));
        assert_eq!(decimal("10").map(Mask::cores), Ok(vec![1, 3]));
        assert_eq!(hexadecimal("80000000000000000000000000000000").map(Mask::cores), Ok(vec![127]));
        for wrong in ["", "0x", "+f", "-1", "f f", "100000000000000000000000000000000"] {
            assert!(hexadecimal(wrong).is_err(), "{wrong}");
        }
        assert!(decimal("f").is_err());
    }

    #[test]
    fn a_mask_is_held_to_what_there_is() {
        assert_eq!(DEFAULT.among(&[0, 1]), [0, 1]);
        assert_eq!(DEFAULT.among(&(0..32).collect::<Vec<_>>()), (0..8).collect::<Vec<_>>());
        assert!(DEFAULT.among(&[8, 9]).is_empty());
    }
}
