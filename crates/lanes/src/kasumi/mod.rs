//! KASUMI (3GPP TS 35.202) in the modes of TS 35.201: F8, a key stream (UEA1), and F9, a message
//! authentication code (UIA1).
//!
//! Both modes are chains: a block needs the block before. So each buffer gets a lane, and the
//! cipher is bitsliced: a register holds one bit of every lane's block, S-boxes are logic, and no
//! address or branch depends on a key. `sbox` has the S-boxes, `cipher` the rounds, `lanes` puts
//! buffers onto lanes, and `f8` and `f9` say what a lane does between two blocks.

mod bits;
pub(crate) mod cipher;
mod f8;
mod f9;
mod key;
mod lanes;
mod sbox;
mod select;
pub(crate) mod table;

pub use f8::{F8Job, LinkDirection};
pub use f9::F9Job;
pub use key::{KasumiError, KasumiKey};
pub use lanes::KasumiLanes;
pub(crate) use select::kernel_infos;

/// The rows of a key schedule: 16 bits of eight words, the first form of each twice over.
const ROWS: usize = 8 * (32 + 16);

/// The 64 bits of a row's or a lane's element, 512 bits together, so that rows begin where cache
/// lines do.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// KASUMI on as many lanes as a register has bits.
///
/// # Safety
///
/// The caller promises that
///
/// - the CPU has the instructions of the kernel;
/// - a schedule has room for [`ROWS`] registers, and blocks or halves of keys are so many as there
///   are lanes;
/// - all of them are aligned as a [`Line`] is.
pub(crate) struct KasumiKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// How many lanes it has. All are computed, whatever they hold.
    pub lanes: usize,
    /// Makes a schedule of every lane's key: the first and the last eight bytes, as big-endian
    /// integers. Both are used up.
    pub schedule: unsafe fn(high: *mut u64, low: *mut u64, schedule: *mut u64),
    /// Encrypts a block of every lane, in place: big-endian integers.
    pub encrypt: unsafe fn(schedule: *const u64, blocks: *mut u64),
}
