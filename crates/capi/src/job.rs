//! The structures of a job.

use std::ffi::c_void;

use crate::session::bl_session;
use crate::status::bl_status;

/// Bytes in one piece, of several.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_piece {
    /// The first byte. Pieces of a source are only read.
    pub bytes: *mut u8,
    /// How many there are.
    pub len: usize,
}

/// Bytes of a job's data, from `start` on, up to `end` and without it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_range {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
}

/// `bl_extras.has`: the cipher works on the range `cipher`, not on all data.
pub const BL_HAS_CIPHER_RANGE: u32 = 1;
/// `bl_extras.has`: the hash or the MAC reads the range `mac`, not all data.
pub const BL_HAS_MAC_RANGE: u32 = 2;
/// `bl_extras.has`: the tag lies in the data, at `tag_at`.
pub const BL_HAS_TAG_AT: u32 = 4;
/// `bl_extras.has`: the text has `bits` bits (KASUMI).
pub const BL_HAS_BITS: u32 = 8;
/// `bl_extras.has`: a decompression fails where more than `limit` bytes would come out.
pub const BL_HAS_LIMIT: u32 = 16;
/// `bl_extras.has`: a queue pair processes the job within `wait_ns` nanoseconds, at its next call.
pub const BL_HAS_WAIT: u32 = 32;
/// `bl_extras.has`: the source is in pieces.
pub const BL_HAS_SOURCE_PIECES: u32 = 64;
/// `bl_extras.has`: the destination is in pieces.
pub const BL_HAS_DESTINATION_PIECES: u32 = 128;

/// What few jobs need. Only the members that `has` names count.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_extras {
    /// sizeof(bl_extras)
    pub size: usize,
    /// Which members count: `BL_HAS_...`, or-ed.
    pub has: u32,
    /// The bytes that the cipher is for.
    pub cipher: bl_range,
    /// The bytes that are hashed or authenticated.
    pub mac: bl_range,
    /// Where in the data the tag goes, or is.
    pub tag_at: usize,
    /// The length of the text in bits.
    pub bits: usize,
    /// The most bytes that may come out of a decompression.
    pub limit: u64,
    /// The longest wait for other jobs.
    pub wait_ns: u64,
    /// The source in pieces; the job's `source` is null and its `len` 0.
    pub source_pieces: *const bl_piece,
    /// How many pieces the source has.
    pub source_count: usize,
    /// The destination in pieces; the job's `destination` is null. The same array as
    /// `source_pieces` is in place.
    pub destination_pieces: *const bl_piece,
    /// How many pieces the destination has.
    pub destination_count: usize,
}

/// One buffer's work. Set all members to zero but those that are needed; `size` always is.
///
/// From the call that takes a job until the job comes back, the job and everything that it points
/// to belong to the library: nobody else reads or writes them. Jobs of one call may read the same
/// bytes; what one job writes no other job reads or writes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_job {
    /// sizeof(bl_job)
    pub size: usize,
    /// What to do. Null for the functions `bl_..._many`, which say it themselves.
    pub session: *const bl_session,
    /// The bytes to read.
    pub source: *const u8,
    /// How many there are.
    pub len: usize,
    /// Where the output goes: the same as `source` is in place. Null where there is none: for
    /// hashes, MACs and signatures. It must not overlap the source otherwise, nor the associated
    /// data.
    pub destination: *mut u8,
    /// Bytes of room at the destination. A cipher, an AEAD and a chain write `len` bytes.
    pub room: usize,
    /// The nonce, the IV or the first counter block.
    pub nonce: *const u8,
    /// Bytes of the nonce.
    pub nonce_len: usize,
    /// The associated data of an AEAD.
    pub associated: *const u8,
    /// Bytes of associated data.
    pub associated_len: usize,
    /// Where a digest, a tag or a signature goes; or, where one is checked, where it is. May be
    /// null where the tag lies in the data.
    pub tag: *mut u8,
    /// Bytes of room at `tag`; where a tag or a signature is checked, its length.
    pub tag_len: usize,
    /// What few jobs need; may be null.
    pub extras: *const bl_extras,
    /// For the caller.
    pub user: *mut c_void,
    /// Out: how it went.
    pub status: bl_status,
    /// Out: the session's checksum of the uncompressed bytes.
    pub checksum: u32,
    /// Out: bytes of output or of a signature, of an algorithm that decides on its own how many
    /// there are: compression, decompression, public key. With `BL_E_ROOM`, how many there would
    /// be. Else the bytes of the digest or tag that was made.
    pub produced: usize,
    /// Out: bytes of input that a decompression has read.
    pub consumed: usize,
}
