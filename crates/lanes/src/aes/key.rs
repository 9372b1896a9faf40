//! Expands AES keys with the instructions that a CPU has.

use crate::arch;
use crate::cpu::{Cpu, Isa};
use crate::features::Feature;
use crate::kernels::aes::gcm::key::Powers;
use crate::kernels::aes::key::{AesKey, KeyLengthError};
use crate::kernels::aes::soft;

impl AesKey {
    /// Expands a key of 16, 24 or 32 bytes, with the best instructions that the machine has.
    ///
    /// # Errors
    ///
    /// [`KeyLengthError`] for any other length.
    pub fn new(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::expanded(key, Expansion::detect().sub_word)
    }

    /// Expands a key of 16, 24 or 32 bytes, with the instructions that `cpu` may use and no others.
    ///
    /// The round keys equal those of [`new`](AesKey::new).
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, Cpu, Isa};
    ///
    /// let portable = Cpu::with_isa(Isa::Portable).expect("every machine has it");
    /// assert_eq!(AesKey::with_cpu(&[7; 32], &portable)?.bits(), 256);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`KeyLengthError`] for any other length.
    pub fn with_cpu(key: &[u8], cpu: &Cpu) -> Result<Self, KeyLengthError> {
        Self::expanded(key, Expansion::of(cpu).sub_word)
    }
}

/// Which functions expand keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expansion {
    sub_word: fn(u32) -> u32,
    /// The powers of GCM's hash key, by instructions for AES and for carry-less products.
    powers: Option<Powers>,
}

impl Expansion {
    /// Returns the best that the machine has.
    pub(super) fn detect() -> Self {
        Self::allowed(true, true)
    }

    /// Returns the instructions that a CPU may use, as the caller restricted it.
    pub(super) fn of(cpu: &Cpu) -> Self {
        // Plain integers: no other instructions are used.
        let uses = |feature| cpu.isa() != Isa::Portable && cpu.has(feature);
        let aes = uses(Feature::Aes);
        Self::allowed(aes, aes && uses(Feature::Pclmulqdq))
    }

    /// Returns the ways that use the instructions that are allowed, where the machine has them.
    fn allowed(aes: bool, clmul: bool) -> Self {
        Expansion {
            sub_word: arch::sub_word().filter(|_| aes).unwrap_or(soft::sub_word),
            powers: arch::hash_expansion().filter(|_| clmul),
        }
    }

    /// Returns the function for SubWord.
    pub(super) fn sub_word(self) -> fn(u32) -> u32 {
        self.sub_word
    }

    /// Returns the function for the powers of GCM's hash key; `None` where integers compute them.
    pub(super) fn powers(self) -> Option<Powers> {
        self.powers
    }
}

#[cfg(test)]
mod tests {
    use core::borrow::Borrow;

    use super::*;
    use crate::kernels::aes::key::CipherKey;

    /// Both ways of SubWord, so that the one this CPU does not take is tested as well.
    #[test]
    fn every_sub_word_agrees() {
        let chosen = Expansion::detect().sub_word;
        for byte in 0..=255_u8 {
            let word = u32::from_le_bytes([byte, byte ^ 0x5a, byte ^ 0xa5, 255 - byte]);
            assert_eq!(chosen(word), soft::sub_word(word), "{word:#010x}");
        }
    }

    /// A CPU that is held to plain integers, or that is said to lack AES, expands keys without
    /// AES-NI.
    #[test]
    fn expansion_uses_no_instruction_that_was_not_asked_for() {
        let detected = Cpu::detect();
        let held = [
            Cpu::with_isa(crate::Isa::Portable).unwrap(),
            detected.without(Feature::Aes).expect("no instruction set needs AES"),
        ];
        for cpu in held {
            let expansion = Expansion::of(&cpu);
            assert!(expansion.powers.is_none(), "{expansion:?}");
            let software: fn(u32) -> u32 = soft::sub_word;
            assert!(core::ptr::fn_addr_eq(expansion.sub_word, software), "{expansion:?}");
            let (new, held) = (AesKey::new(&[3; 32]), AesKey::with_cpu(&[3; 32], &cpu));
            let round_keys = |key: Result<AesKey, KeyLengthError>| {
                let key = key.expect("it has 32 bytes");
                *Borrow::<CipherKey>::borrow(&key).encryption()
            };
            assert_eq!(round_keys(new), round_keys(held));
        }
        let without = detected.without(Feature::Pclmulqdq).expect("no instruction set needs it");
        assert!(Expansion::of(&without).powers.is_none());
    }
}
