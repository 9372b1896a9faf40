//! libcrypto's hashes by its low-level functions, such as `SHA256_Init`, `SHA256_Update` and
//! `SHA256_Final`.
//!
//! The default provider computes digests by the same functions. It allocates their structure for
//! each message, and clears and frees it afterwards, which takes a quarter of the time of a short
//! message. Here, a thread keeps the structures of messages that have ended, cleared, for those
//! that come.

use std::cell::RefCell;
use std::ffi::{CStr, c_int, c_void};
use std::hint::black_box;
use std::mem;
use std::sync::LazyLock;

use broadloom::HashAlgorithm;

use crate::libcrypto::find;

/// The low-level functions of a hash.
#[derive(Debug)]
pub struct LowLevel {
    pub init: unsafe extern "C" fn(*mut c_void) -> c_int,
    pub update: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int,
    pub last: unsafe extern "C" fn(*mut u8, *mut c_void) -> c_int,
    pub len: usize,
    pub block_len: usize,
}

/// The hashes with low-level functions, and the names of these.
const HASHES: [(HashAlgorithm, [&CStr; 3]); 6] = [
    (HashAlgorithm::Md5, [c"MD5_Init", c"MD5_Update", c"MD5_Final"]),
    (HashAlgorithm::Sha1, [c"SHA1_Init", c"SHA1_Update", c"SHA1_Final"]),
    (HashAlgorithm::Sha224, [c"SHA224_Init", c"SHA224_Update", c"SHA224_Final"]),
    (HashAlgorithm::Sha256, [c"SHA256_Init", c"SHA256_Update", c"SHA256_Final"]),
    (HashAlgorithm::Sha384, [c"SHA384_Init", c"SHA384_Update", c"SHA384_Final"]),
    (HashAlgorithm::Sha512, [c"SHA512_Init", c"SHA512_Update", c"SHA512_Final"]),
];

static ALL: LazyLock<[Option<LowLevel>; HASHES.len()]> = LazyLock::new(|| {
    HASHES.map(|(hash, [init, update, last])| {
        let (init, update, last) = (find(init)?, find(update)?, find(last)?);
        // SAFETY: the types are those of libcrypto's headers for all six hashes, but for the types
        // of what the pointers point to.
        unsafe {
            Some(LowLevel {
                init: mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_void) -> c_int>(
                    init,
                ),
                update: mem::transmute::<
                    *const c_void,
                    unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int,
                >(update),
                last: mem::transmute::<
                    *const c_void,
                    unsafe extern "C" fn(*mut u8, *mut c_void) -> c_int,
                >(last),
                len: hash.digest_len(),
                block_len: hash.block_len(),
            })
        }
    })
});

impl LowLevel {
    /// Returns the functions of a hash; `None` if it has none, or if libcrypto was built without
    /// them.
    #[inline(always)]
    pub fn of(hash: HashAlgorithm) -> Option<&'static LowLevel> {
        let place = match hash {
            HashAlgorithm::Md5 => 0,
            HashAlgorithm::Sha1 => 1,
            HashAlgorithm::Sha224 => 2,
            HashAlgorithm::Sha256 => 3,
            HashAlgorithm::Sha384 => 4,
            HashAlgorithm::Sha512 => 5,
            _ => return None,
        };
        ALL[place].as_ref()
    }

    /// Begins a message.
    #[inline]
    pub fn begin(&self, room: &mut Room) {
        // SAFETY: there is room for the structure.
        unsafe { (self.init)(room.place()) };
    }

    /// Takes a piece of a message that has begun in this room.
    #[inline]
    pub fn absorb(&self, room: &mut Room, piece: &[u8]) {
        // SAFETY: the function takes any bytes of a room for a structure, of which it uses one
        // number as a place: that is within the structure where a message has begun.
        unsafe { (self.update)(room.place(), piece.as_ptr(), piece.len()) };
    }

    /// Ends a message that has begun in this room, and writes its digest to the start of `out`.
    ///
    /// # Panics
    /// If there is too little room for the digest.
    #[inline]
    pub fn end(&self, room: &mut Room, out: &mut [u8]) {
        assert!(out.len() >= self.len, "{} bytes for a digest of {}", out.len(), self.len);
        // SAFETY: as above, and there is room for the digest.
        unsafe { (self.last)(out.as_mut_ptr(), room.place()) };
    }
}

/// Room for the structure of any of these hashes. The largest is `SHA512_CTX`, of 216 bytes.
#[repr(C, align(64))]
pub struct Room([u8; SIZE]);

const SIZE: usize = 256;

impl Drop for Room {
    fn drop(&mut self) {
        self.wipe();
    }
}

thread_local! {
    /// Rooms that are free, all of zeros.
    #[allow(clippy::vec_box, reason = "libcrypto has the address of a room")]
    static FREE: RefCell<Vec<Box<Room>>> = const { RefCell::new(Vec::new()) };
}

/// A thread keeps so many rooms.
const MOST_KEPT: usize = 16;

impl Room {
    /// Returns a room, whose bytes are zeros.
    #[inline]
    pub fn take() -> Box<Room> {
        let kept = FREE.try_with(|free| free.borrow_mut().pop()).ok().flatten();
        kept.unwrap_or_else(|| Box::new(Room([0; SIZE])))
    }

    /// Wipes a room, and keeps it for another message.
    #[inline]
    pub fn put(mut self: Box<Room>) {
        self.wipe();
        // At the end of a thread, it is dropped.
        let _ = FREE.try_with(|free| {
            let mut free = free.borrow_mut();
            if free.len() < MOST_KEPT {
                free.push(self);
            }
        });
    }

    #[inline]
    fn wipe(&mut self) {
        clear(&mut self.0);
    }

    /// Returns a copy of a room. No bytes of it are anywhere else.
    pub fn copy(&self) -> Box<Room> {
        let mut copy = Room::take();
        copy.copy_from(self);
        copy
    }

    /// Becomes a copy of another room.
    #[inline]
    pub fn copy_from(&mut self, other: &Room) {
        self.0.copy_from_slice(&other.0);
    }

    /// Its place, as the low-level functions take it.
    #[inline]
    pub fn place(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// Overwrites bytes with zeros, a vector at a time.
#[inline]
pub fn clear(bytes: &mut [u8]) {
    bytes.fill(0);
    // The zeros may be read, as far as the compiler knows.
    black_box(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_at_their_places() {
        for (place, (hash, [init, ..])) in HASHES.into_iter().enumerate() {
            let name = hash.to_string().to_uppercase().replace('-', "");
            let init = init.to_str().expect("names are of ASCII");
            assert_eq!(init, format!("{name}_Init"), "at {place}");
        }
    }

    #[test]
    fn rooms_come_back_wiped() {
        let mut room = Room::take();
        room.0.fill(7);
        let address = room.place().addr();
        room.put();
        let mut again = Room::take();
        assert_eq!((again.place().addr(), again.0), (address, [0; SIZE]));
        // More than are kept come and go, too.
        let rooms: Vec<Box<Room>> = (0..2 * MOST_KEPT).map(|_| Room::take()).collect();
        rooms.into_iter().for_each(Room::put);
        assert_eq!(FREE.with_borrow(Vec::len), MOST_KEPT);
    }
}
