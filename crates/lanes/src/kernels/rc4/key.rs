//! Keys.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

/// The permutation, an entry in 32 bits: loads and stores of bytes are slower.
pub(crate) type Rc4State = [u32; 256];

/// An RC4 key of 5 to 256 bytes, expanded to the state that keystreams start from. Wiped when
/// dropped.
///
/// ```
/// use broadloom_lanes::Rc4Key;
///
/// assert!(Rc4Key::new(&[7; 16]).is_ok());
/// let error = Rc4Key::new(&[7; 4]).unwrap_err();
/// assert_eq!(error.to_string(), "an RC4 key has 5 to 256 bytes, not 4");
/// ```
pub struct Rc4Key {
    state: Rc4State,
}

impl Rc4Key {
    /// Expands a key. The time it takes depends on the key, as all of RC4 does.
    ///
    /// # Errors
    /// [`Rc4KeyLengthError`] for fewer than 5 or more than 256 bytes.
    pub fn new(key: &[u8]) -> Result<Self, Rc4KeyLengthError> {
        if !(5..=256).contains(&key.len()) {
            return Err(Rc4KeyLengthError { given: key.len() });
        }
        let mut expanded = Rc4Key { state: core::array::from_fn(|i| i as u32) };
        let state = &mut expanded.state;
        let mut j = 0_u8;
        for (i, byte) in (0..256).zip(key.iter().cycle()) {
            j = j.wrapping_add(state[i] as u8).wrapping_add(*byte);
            state.swap(i, usize::from(j));
        }
        Ok(expanded)
    }

    pub(crate) fn state(&self) -> &Rc4State {
        &self.state
    }
}

impl Drop for Rc4Key {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

impl ZeroizeOnDrop for Rc4Key {}

impl fmt::Debug for Rc4Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rc4Key")
    }
}

/// A key had fewer than 5 bytes, or more than 256.
///
/// ```
/// use broadloom_lanes::Rc4Key;
///
/// let error = Rc4Key::new(&[7; 4]).err().expect("4 bytes are too few");
/// assert_eq!(error.to_string(), "an RC4 key has 5 to 256 bytes, not 4");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rc4KeyLengthError {
    given: usize,
}

impl Rc4KeyLengthError {
    /// Returns the length that was given, in bytes.
    pub fn given(&self) -> usize {
        self.given
    }
}

impl fmt::Display for Rc4KeyLengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an RC4 key has 5 to 256 bytes, not {}", self.given)
    }
}

impl core::error::Error for Rc4KeyLengthError {}
