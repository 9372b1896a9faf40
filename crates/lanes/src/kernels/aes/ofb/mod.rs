//! AES in OFB mode (SP 800-38A, 6.4). The kernels fulfil the contract of CBC, with the last block
//! of key stream as the state of a lane. `pipeline` is the one description for CPUs with AES
//! instructions.

#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(crate) mod soft;

use super::cbc::CbcLaneSet;
use super::key::{AesKey, Block};
use zeroize::Zeroize;

/// Makes a kernel of a function that encrypts several lanes. Decryption is the same function, for
/// one lane.
macro_rules! ofb_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $lanes:expr, $narrow:expr, $encrypt:ident) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::aes::cbc::CbcKernel = {
            use $crate::kernels::aes::key::{AesKey, Block};

            unsafe fn decrypt(
                key: &AesKey,
                iv: &Block,
                src: *const u8,
                dst: *mut u8,
                blocks: usize,
            ) {
                // SAFETY: the arguments fulfil the contract of `CbcKernel`, and `$encrypt` is of
                // the same kernel.
                unsafe { $crate::kernels::aes::ofb::alone($encrypt, key, iv, (src, dst), blocks) }
            }

            $crate::kernels::aes::cbc::CbcKernel {
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

/// Does what [`CbcKernel::decrypt`](crate::kernels::aes::cbc::CbcKernel) does, by the same kernel's
/// `encrypt`.
///
/// # Safety
/// The contract of [`CbcKernel`](crate::kernels::aes::cbc::CbcKernel), for one lane.
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
    // SAFETY: the one lane's key and buffers fulfil the contract of `CbcKernel`, by this function's
    // contract.
    unsafe { encrypt(&mut set, 1, blocks) };
    set.state.zeroize();
}
