//! Buffers that a job owns, or borrows for as long as a manager may hold the job.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Bytes to read.
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, Planner, Sha256};
///
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut borrowed = [HashJob::<Sha256, _>::digest(&b"borrowed"[..], ())];
/// planner.process_many(&mut borrowed);
/// let mut owned = [HashJob::<Sha256, _>::digest(b"owned".to_vec(), ())];
/// planner.process_many(&mut owned);
/// assert_ne!(borrowed[0].output(), owned[0].output());
/// ```
///
/// # Safety
///
/// - As long as the value is neither moved, nor borrowed mutably, nor dropped, every call of
///   [`bytes`](Input::bytes) returns the same slice, and no code writes to it.
/// - No call panics: lanes with other jobs would keep pointers to memory that the panic frees.
pub unsafe trait Input {
    /// Returns the bytes.
    fn bytes(&self) -> &[u8];
}

macro_rules! input {
    ($(($($generics:tt)*) $type:ty),* $(,)?) => { $(
        // SAFETY: the slice is fixed as long as the value is only read.
        unsafe impl<$($generics)*> Input for $type {
            fn bytes(&self) -> &[u8] {
                self.as_ref()
            }
        }
    )* };
}

input! {
    () &[u8],
    () &mut [u8],
    () Vec<u8>,
    () Box<[u8]>,
    () Arc<[u8]>,
    (const N: usize) [u8; N],
    (const N: usize) &[u8; N],
}

/// A buffer that a cipher reads from and writes to: one and the same, or two apart.
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, CtrJob, OutOfPlace, Planner};
///
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut owned = [CtrJob::ctr(&key, [1; 16], vec![5; 20], ())];
/// planner.process_many(&mut owned);
/// let (source, mut destination) = ([5; 20], [0; 20]);
/// let pair = OutOfPlace::new(&source[..], &mut destination[..]).expect("equal lengths");
/// let mut apart = [CtrJob::ctr(&key, [1; 16], pair, ())];
/// planner.process_many(&mut apart);
/// assert_eq!(owned[0].output(), apart[0].output());
/// ```
///
/// # Safety
///
/// As long as the value is neither moved, nor dropped, nor borrowed by other code:
///
/// - [`pointers`](CipherBuffer::pointers) returns the same two pointers, and
///   [`length`](CipherBuffer::length) the same length.
/// - The first pointer is readable for `length` bytes, and the second one is readable and writable
///   for as many: a message that ends within a byte leaves the other bits of the last byte as they
///   are.
/// - The two pointers are equal, or the two ranges do not overlap.
/// - No other code reads or writes the bytes.
///
/// No call panics, as for [`Input`].
pub unsafe trait CipherBuffer {
    /// Returns the number of bytes to process.
    fn length(&self) -> usize;
    /// Returns the pointer to the bytes, and the pointer to the room for their results.
    fn pointers(&mut self) -> (*const u8, *mut u8);
    /// Returns the results, once there are any.
    fn output(&self) -> &[u8];
}

macro_rules! in_place {
    ($($type:ty),* $(,)?) => { $(
        // SAFETY: the slice is fixed as long as the value stays where it is; it is the only one.
        unsafe impl CipherBuffer for $type {
            fn length(&self) -> usize {
                self.len()
            }
            fn pointers(&mut self) -> (*const u8, *mut u8) {
                let bytes = self.as_mut_ptr();
                (bytes.cast_const(), bytes)
            }
            #[inline]
            fn output(&self) -> &[u8] {
                self
            }
        }
    )* };
}

in_place!(&mut [u8], Vec<u8>, Box<[u8]>);

/// Where bytes are read, and where their results are written: one place, or two apart.
#[derive(Clone, Copy)]
pub struct Span {
    /// Where bytes are read.
    pub src: *const u8,
    /// Where results are written.
    pub dst: *mut u8,
    /// Bytes of each.
    pub len: usize,
}

impl Span {
    /// Makes a buffer that is written over.
    #[inline(always)]
    pub fn in_place(buffer: &mut [u8]) -> Self {
        let dst = buffer.as_mut_ptr();
        Span { src: dst.cast_const(), dst, len: buffer.len() }
    }

    /// Returns the buffers of a job.
    #[inline(always)]
    pub fn of(buffer: &mut impl CipherBuffer) -> Self {
        let len = buffer.length();
        let (src, dst) = buffer.pointers();
        Span { src, dst, len }
    }
}

/// The buffers of a [`Loan`](crate::Loan) that writes: one in place, or two apart.
///
/// A mutable slice, array or vector becomes a buffer in place.
///
/// ```
/// use broadloom_lanes::{AesKey, Buffers, Cpu, CtrLanes, Loan, Planner};
///
/// let key = AesKey::new(&[7; 16])?;
/// let mut in_place = [1; 20];
/// let (source, mut result) = ([1; 20], [0; 20]);
/// Planner::<CtrLanes>::new(&Cpu::detect()).process_each([
///     Loan::ctr(&key, &[9; 16], &mut in_place),
///     Loan::ctr(&key, &[9; 16], Buffers::Apart(&source, &mut result)),
/// ]);
/// assert_eq!(in_place, result);
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
///
/// # Panics
/// What makes a loan of two buffers panics where they have different lengths.
#[derive(Debug)]
pub enum Buffers<'a> {
    /// One buffer, which is written over.
    InPlace(&'a mut [u8]),
    /// A source, and a destination of the same length.
    Apart(&'a [u8], &'a mut [u8]),
}

impl<'a> Buffers<'a> {
    /// Returns the bytes to read.
    #[inline]
    pub fn input(&self) -> &[u8] {
        match self {
            Buffers::InPlace(bytes) => bytes,
            Buffers::Apart(source, _) => source,
        }
    }

    /// Returns the bytes to read, for as long as they are borrowed.
    #[inline]
    pub fn into_input(self) -> &'a [u8] {
        match self {
            Buffers::InPlace(bytes) => bytes,
            Buffers::Apart(source, _) => source,
        }
    }

    /// Returns the bytes to write, for as long as they are borrowed.
    #[inline]
    pub fn into_output(self) -> &'a mut [u8] {
        match self {
            Buffers::InPlace(bytes) | Buffers::Apart(_, bytes) => bytes,
        }
    }

    /// Returns where the bytes are.
    ///
    /// # Panics
    /// If a source and its destination have different lengths.
    #[doc(hidden)]
    #[inline(always)]
    pub fn span(self) -> Span {
        match self {
            Buffers::InPlace(buffer) => Span::in_place(buffer),
            Buffers::Apart(source, destination) => {
                let len = source.len();
                assert_eq!(len, destination.len(), "as many bytes of output as of input");
                Span { src: source.as_ptr(), dst: destination.as_mut_ptr(), len }
            }
        }
    }
}

impl<'a> From<&'a mut [u8]> for Buffers<'a> {
    #[inline(always)]
    fn from(buffer: &'a mut [u8]) -> Self {
        Buffers::InPlace(buffer)
    }
}

impl<'a, const N: usize> From<&'a mut [u8; N]> for Buffers<'a> {
    #[inline(always)]
    fn from(buffer: &'a mut [u8; N]) -> Self {
        Buffers::InPlace(buffer)
    }
}

impl<'a> From<&'a mut Vec<u8>> for Buffers<'a> {
    #[inline(always)]
    fn from(buffer: &'a mut Vec<u8>) -> Self {
        Buffers::InPlace(buffer)
    }
}

/// A source and a destination apart from each other, of the same length.
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, CtrJob, OutOfPlace, Planner};
///
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let pair = OutOfPlace::new(b"the source stays", vec![0; 16]).expect("equal lengths");
/// let mut jobs = [CtrJob::ctr(&key, [1; 16], pair, ())];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// let [job] = jobs;
/// let (source, ciphertext) = job.into_parts().0.into_parts();
/// assert_eq!(source, b"the source stays");
/// assert_ne!(ciphertext, source);
/// ```
#[derive(Debug)]
pub struct OutOfPlace<S, D> {
    source: S,
    destination: D,
}

impl<S: Input, D: CipherBuffer> OutOfPlace<S, D> {
    /// Pairs them.
    ///
    /// # Errors
    /// [`PairError`] with both lengths, and both buffers, if the lengths differ.
    pub fn new(source: S, destination: D) -> Result<Self, PairError<S, D>> {
        if source.bytes().len() == destination.length() {
            Ok(OutOfPlace { source, destination })
        } else {
            Err(PairError { source, destination })
        }
    }

    /// Takes them apart.
    pub fn into_parts(self) -> (S, D) {
        (self.source, self.destination)
    }
}

/// A source and a destination of different lengths.
///
/// ```
/// use broadloom_lanes::OutOfPlace;
///
/// let error = OutOfPlace::new([0; 5], vec![0; 6]).err().expect("the lengths differ");
/// assert_eq!(error.to_string(), "5 bytes of input need as many of output, not 6");
/// ```
pub struct PairError<S, D> {
    /// The source.
    pub source: S,
    /// The destination.
    pub destination: D,
}

impl<S: Input, D: CipherBuffer> core::fmt::Display for PairError<S, D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (source, destination) = (self.source.bytes().len(), self.destination.length());
        write!(f, "{source} bytes of input need as many of output, not {destination}")
    }
}

impl<S: Input, D: CipherBuffer> core::fmt::Debug for PairError<S, D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}

impl<S: Input, D: CipherBuffer> core::error::Error for PairError<S, D> {}

// SAFETY: the lengths were compared; two values that are borrowed or owned apart do not overlap.
unsafe impl<S: Input, D: CipherBuffer> CipherBuffer for OutOfPlace<S, D> {
    fn length(&self) -> usize {
        self.source.bytes().len()
    }
    fn pointers(&mut self) -> (*const u8, *mut u8) {
        (self.source.bytes().as_ptr(), self.destination.pointers().1)
    }
    #[inline]
    fn output(&self) -> &[u8] {
        self.destination.output()
    }
}
