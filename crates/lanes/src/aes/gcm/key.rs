//! Expands the keys of GCM with the instructions that a CPU has.

use crate::aes::key::Expansion;
use crate::arch::prefetch;
use crate::cpu::Cpu;
use crate::kernels::aes::gcm::key::GcmKey;
use crate::kernels::aes::key::KeyLengthError;

impl GcmKey {
    /// Expands a key of 16, 24 or 32 bytes, with the best instructions that the machine has.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub fn new(key: &[u8]) -> Result<Self, KeyLengthError> {
        Expansion::detect().of_gcm(key)
    }

    /// Expands a key of 16, 24 or 32 bytes, with the instructions that `cpu` may use and no others.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub fn with_cpu(key: &[u8], cpu: &Cpu) -> Result<Self, KeyLengthError> {
        Expansion::of(cpu).of_gcm(key)
    }

    /// Asks the core to bring near what a short message needs, while it goes on: a caller with many
    /// keys asks for all that it needs next.
    #[inline]
    pub fn prefetch(&self) {
        self.lines_of_few().into_iter().for_each(prefetch);
    }
}

impl Expansion {
    /// Expands a key of GCM.
    fn of_gcm(self, key: &[u8]) -> Result<GcmKey, KeyLengthError> {
        GcmKey::expanded(key, self.sub_word(), self.powers())
    }
}
