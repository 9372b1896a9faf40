//! The CBC kernels' contract (SP 800-38A, 6.2).

use super::key::{AesKey, Block};

/// The most lanes any kernel has.
pub(crate) const MAX_LANES: usize = 16;

/// The lanes of a CBC encryption: one buffer each, with a key of its own.
///
/// Pointers of lanes that are not in use may be anything.
pub struct CbcLaneSet {
    /// The key.
    pub key: [*const AesKey; MAX_LANES],
    /// Where the next plaintext block is read.
    pub src: [*const u8; MAX_LANES],
    /// Where the next ciphertext block is written.
    pub dst: [*mut u8; MAX_LANES],
    /// The ciphertext block before it, or the IV.
    pub state: [Block; MAX_LANES],
}

impl CbcLaneSet {
    /// Returns a set with no lane in use.
    pub(crate) const fn new() -> Self {
        Self {
            key: [core::ptr::null(); MAX_LANES],
            src: [core::ptr::null(); MAX_LANES],
            dst: [core::ptr::null_mut(); MAX_LANES],
            state: [[0; 16]; MAX_LANES],
        }
    }

    /// Makes lanes `n..to` the same as the one before them.
    #[allow(dead_code, reason = "not every architecture has AES instructions")]
    #[inline(always)]
    pub(crate) fn repeat(&mut self, n: usize, to: usize) {
        for lane in n..to {
            self.key[lane] = self.key[n - 1];
            self.src[lane] = self.src[n - 1];
            self.dst[lane] = self.dst[n - 1];
            self.state[lane] = self.state[n - 1];
        }
    }

    /// Moves the pointers of lanes `0..n` on by `blocks` blocks.
    ///
    /// # Safety
    ///
    /// Their buffers hold that many blocks.
    #[inline(always)]
    pub(crate) unsafe fn advance(&mut self, n: usize, blocks: usize) {
        for lane in 0..n {
            // SAFETY: the buffers hold `blocks` blocks, so the ends are in or just past them.
            unsafe {
                self.src[lane] = self.src[lane].add(blocks * 16);
                self.dst[lane] = self.dst[lane].add(blocks * 16);
            }
        }
    }
}

/// Lanes that need not wait for more, if their keys differ and one of them has fewer than so many
/// blocks left.
pub struct Narrow {
    pub lanes: usize,
    pub blocks: usize,
}

impl Narrow {
    /// All lanes are always worth waiting for.
    pub(crate) const NEVER: Narrow = Narrow { lanes: 0, blocks: 0 };
}

/// AES-CBC, or CFB, in one instruction set.
///
/// # Safety
///
/// This is the contract of both functions of every kernel. The caller promises that
///
/// - the CPU has the instructions of the kernel: AES-NI for `AESNI`, AVX2 and VAES beside it for
///   that of `vaes`, the AES extension for `NEON`, nothing for `SOFT`;
/// - every source is readable and every destination writable for `blocks` blocks of 16 bytes, at
///   any alignment;
/// - a destination is exactly its own source or overlaps no source, no other destination, no key
///   and not the lane set;
/// - for `encrypt`: the keys of lanes `0..n` are valid, not changed meanwhile, and all have the
///   same number of rounds. What lanes from `n` on hold is of no account.
///
/// `encrypt` panics, having done nothing, unless `n` is 1 to [`lanes`](Self::lanes).
pub struct CbcKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// The most lanes that `encrypt` takes, and the number at which it is fastest.
    pub lanes: usize,
    /// Where fewer are as fast.
    pub narrow: Narrow,
    /// Encrypts the next `blocks` blocks in each of lanes `0..n`; leaves each lane's `state` at the
    /// last ciphertext block, and its pointers unchanged.
    pub encrypt: unsafe fn(set: &mut CbcLaneSet, n: usize, blocks: usize),
    /// Decrypts `blocks` blocks of one buffer.
    pub decrypt:
        unsafe fn(key: &AesKey, iv: &[u8; 16], src: *const u8, dst: *mut u8, blocks: usize),
}
