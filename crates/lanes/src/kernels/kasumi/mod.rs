//! KASUMI, bitsliced (3GPP TS 35.202): a register holds one bit of every lane's block, S-boxes are
//! logic, and no address or branch depends on a key. `sbox` has the S-boxes, `cipher` the rounds.

pub(crate) mod cipher;
mod sbox;

/// The rows of a key schedule: 16 bits of eight words, the first form of each twice over.
pub(crate) const ROWS: usize = 8 * (32 + 16);

/// The 64 bits of a row's or a lane's element, 512 bits together, so that rows begin where cache
/// lines do.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct KasumiLine(pub [u64; 8]);

/// KASUMI on as many lanes as a register has bits.
///
/// # Safety
///
/// The caller promises that
///
/// - the CPU has the instructions of the kernel;
/// - a schedule has room for [`ROWS`] registers, and blocks or halves of keys are so many as there
///   are lanes;
/// - all of them are aligned as a [`KasumiLine`] is.
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
