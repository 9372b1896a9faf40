//! X25519 (RFC 7748): keys, and the Montgomery ladder over lanes.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::kernels::curves::scalar;

/// A private key of X25519 (RFC 7748, section 5): any 32 bytes. Wiped when dropped.
///
/// ```
/// use broadloom_lanes::{Cpu, Planner};
/// use broadloom_public_key::{CurveJob, X25519Key};
///
/// let (one, other) = (X25519Key::new(&[1; 32]), X25519Key::new(&[2; 32]));
/// let mut base = vec![0; 32];
/// base[0] = 9;
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut public = [&one, &other].map(|key| CurveJob::x25519(key, base.clone(), ()).expect("32"));
/// planner.process_many(&mut public);
/// let [ours, theirs] = public.map(|job| job.into_parts().0);
/// let mut shared = [
///     CurveJob::x25519(&one, theirs, ()).expect("32 bytes"),
///     CurveJob::x25519(&other, ours, ()).expect("32 bytes"),
/// ];
/// planner.process_many(&mut shared);
/// assert_eq!(shared[0].output(), shared[1].output());
/// ```
#[derive(Clone)]
pub struct X25519Key {
    /// The clamped scalar.
    scalar: [u64; 4],
}

impl X25519Key {
    /// Takes the bytes, of which five bits are set or cleared as the standard says.
    pub fn new(bytes: &[u8; 32]) -> Self {
        let mut clamped = *bytes;
        clamped[0] &= 0xf8;
        clamped[31] = clamped[31] & 0x7f | 0x40;
        let scalar = scalar::from_bytes(&clamped);
        clamped.zeroize();
        X25519Key { scalar }
    }

    pub(super) fn scalar(&self) -> &[u64; 4] {
        &self.scalar
    }
}

impl Drop for X25519Key {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl ZeroizeOnDrop for X25519Key {}

impl fmt::Debug for X25519Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("X25519Key")
    }
}
