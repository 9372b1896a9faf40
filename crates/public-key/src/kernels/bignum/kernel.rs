//! What multiplies: the kernels' contract.

/// A modulus for every lane, and room to work in.
#[derive(Clone, Copy)]
pub(crate) struct Modulo {
    /// Limbs of a number.
    pub limbs: usize,
    /// The moduli, which are odd. On vectors, one more than a multiple of each, whose lowest limb
    /// is therefore zero: so that quotients are limbs as they are found.
    pub modulus: *const u64,
    /// On integers, the inverse of minus the modulus, modulo 2^64.
    pub inverse: *const u64,
    /// Room for another number, for quotients.
    pub quotients: *mut u64,
}

/// Writes a·b/R of every lane to `out`, which may be `a`, `b` or both.
///
/// On vectors, factors are below four times the multiple of the modulus, and products below twice
/// the multiple; on integers, one of the factors is below the modulus, as products are.
///
/// # Safety
/// The CPU has the kernel's instruction set. All pointers are good for as many limbs as there are,
/// in every lane; `inverse` for one of them.
pub(crate) type Multiply = unsafe fn(out: *mut u64, a: *const u64, b: *const u64, modulo: &Modulo);

/// Writes a·a/R of every lane to `out`, which may be `a`. All else is as for [`Multiply`].
pub(crate) type Square = unsafe fn(out: *mut u64, a: *const u64, modulo: &Modulo);

/// Writes a number of every lane to an entry of a table.
///
/// # Safety
/// The CPU has the kernel's instruction set. `number` is readable for `limbs` limbs of every lane,
/// `entry` writable for as many words of every lane as [`Radix::entry`] says.
pub(crate) type Keep = unsafe fn(entry: *mut u64, number: *const u64, limbs: usize);

/// Writes two numbers of each lane from [`ENTRIES`] entries: those with the indices of the lane.
/// All entries are read.
///
/// # Safety
/// The CPU has the kernel's instruction set. `outs` are writable for `limbs` limbs of every lane,
/// and do not overlap; `table` is readable for [`ENTRIES`] entries of that, at least
/// [`CHUNK`](super::select::SelectLanes::CHUNK) words each, and `indices` for one of each lane.
pub(crate) type Select =
    unsafe fn(outs: [*mut u64; 2], table: *const u64, indices: [*const u64; 2], limbs: usize);

/// Bits of an exponent that are taken together.
pub(crate) const WINDOW: usize = 5;

/// Numbers in a table of powers.
pub(crate) const ENTRIES: usize = 1 << WINDOW;

/// How numbers stand in limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Radix {
    /// For products of 32 bits: sums of products have room in 64 bits.
    Bits28,
    /// For instructions that multiply and add 52 bits.
    Bits52,
    /// For integers.
    Bits64,
}

impl Radix {
    /// All of them, in order.
    pub const ALL: [Radix; 3] = [Radix::Bits28, Radix::Bits52, Radix::Bits64];

    /// Returns the bits of a limb.
    pub const fn bits(self) -> usize {
        match self {
            Radix::Bits28 => 28,
            Radix::Bits52 => 52,
            Radix::Bits64 => 64,
        }
    }

    /// Limbs for a modulus of so many bits. On vectors there is one for the multiple, and R is at
    /// least sixteen times that.
    pub const fn limbs(self, bits: usize) -> usize {
        match self {
            Radix::Bits28 | Radix::Bits52 => 1 + (bits + 4).div_ceil(self.bits()),
            Radix::Bits64 => bits.div_ceil(64),
        }
    }

    /// Returns the words of an entry in a table, for a number of so many limbs: those of up to 32
    /// bits go in pairs, which halves what is to be read.
    pub const fn entry(self, limbs: usize) -> usize {
        match self {
            Radix::Bits28 => limbs.div_ceil(2),
            Radix::Bits52 | Radix::Bits64 => limbs,
        }
    }
}

/// A kernel of one instruction set.
pub(crate) struct BignumKernel {
    /// The instruction set.
    pub name: &'static str,
    /// Numbers that it multiplies at once, at most [`MAX_LANES`].
    pub lanes: usize,
    pub radix: Radix,
    pub multiply: Multiply,
    pub square: Square,
    pub keep: Keep,
    pub select: Select,
}

/// The most lanes a kernel has.
pub(crate) const MAX_LANES: usize = 8;
