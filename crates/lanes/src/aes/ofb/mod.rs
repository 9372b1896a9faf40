//! AES in OFB mode (SP 800-38A, 6.4): a key stream whose blocks are each the encryption of the
//! block before.
//!
//! OFB is serial within a buffer, so each buffer gets a lane, as in CFB encryption. Both directions
//! are the same. The kernels fulfil the contract of CBC, with the last block of key stream as the
//! state of a lane, and the scheduler of CBC serves them. `pipeline` is the one description for
//! CPUs with AES instructions.

use zeroize::Zeroize;

use super::cbc::CbcLaneSet;
use super::key::{AesKey, Block};

mod job;
mod lanes;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(super) mod soft;

pub use job::OfbJob;
pub use lanes::OfbLanes;

/// Makes a kernel of what encrypts several lanes: the way back is the same for one.
macro_rules! ofb_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $lanes:expr, $narrow:expr, $encrypt:ident) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::aes::cbc::CbcKernel = {
            use $crate::aes::key::{AesKey, Block};

            unsafe fn decrypt(
                key: &AesKey,
                iv: &Block,
                src: *const u8,
                dst: *mut u8,
                blocks: usize,
            ) {
                // SAFETY: the contract.
                unsafe { $crate::aes::ofb::alone($encrypt, key, iv, (src, dst), blocks) }
            }

            $crate::aes::cbc::CbcKernel {
                name: $name,
                lanes: $lanes,
                narrow: $narrow,
                encrypt: $encrypt,
                decrypt,
            }
        };
    };
}
pub(crate) use ofb_kernel;

/// [`CbcKernel::decrypt`](super::cbc::CbcKernel) by the same kernel's `encrypt`.
///
/// # Safety
/// The contract of both.
pub(crate) unsafe fn alone(
    encrypt: unsafe fn(set: &mut CbcLaneSet, n: usize, blocks: usize),
    key: &AesKey,
    iv: &Block,
    (src, dst): (*const u8, *mut u8),
    blocks: usize,
) {
    if blocks == 0 {
        return;
    }
    let mut set = CbcLaneSet::new();
    (set.key[0], set.src[0], set.dst[0], set.state[0]) = (key, src, dst, *iv);
    // SAFETY: the contract, for one lane.
    unsafe { encrypt(&mut set, 1, blocks) };
    set.state.zeroize();
}
