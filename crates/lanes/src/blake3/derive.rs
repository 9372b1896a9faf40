//! Keys for key derivation, whose context is hashed itself.

use zeroize::Zeroize;

use super::Blake3Key;
use super::lanes::hash_one;
use crate::kernels::blake3::{DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL, IV};

impl Blake3Key {
    /// Returns what derives keys in a context. The context is no secret: it is a constant of the
    /// application that no other application and no other purpose uses. The messages that are then
    /// hashed are the key material, and the output is the derived key.
    pub fn derive(context: &str) -> Self {
        let mode = Blake3Key { words: IV, flags: DERIVE_KEY_CONTEXT };
        let mut derived = [0; 32];
        hash_one(&mode, context.as_bytes(), &mut derived);
        let key = Blake3Key { flags: DERIVE_KEY_MATERIAL, ..Self::keyed(&derived) };
        derived.zeroize();
        key
    }
}
