//! HMAC under a key that more than one message came under, at once: by libcrypto's low-level
//! functions, which take no allocations and no calls through EVP.

use broadloom::HashAlgorithm;

use crate::low_level::{LowLevel, Room, clear};

/// HMAC's states under a key (RFC 2104), and a message.
pub(super) struct Repeated {
    hash: &'static LowLevel,
    /// The state of the hash after the block of the key that begins the message.
    inner: Box<Room>,
    /// The state after the block of the key that comes before the digest of the message.
    outer: Box<Room>,
    message: Box<Room>,
}

impl Clone for Repeated {
    fn clone(&self) -> Repeated {
        let Repeated { hash, inner, outer, message } = self;
        Repeated { hash, inner: inner.copy(), outer: outer.copy(), message: message.copy() }
    }
}

/// Bytes of the longest block, that of SHA-512.
const MAX_BLOCK: usize = 128;

impl Repeated {
    /// Expands a key; `None` if libcrypto has no low-level functions for the hash.
    pub(super) fn new(hash: HashAlgorithm, key: &[u8]) -> Option<Repeated> {
        let hash = LowLevel::of(hash)?;
        let (mut inner, mut outer) = (Room::take(), Room::take());
        let mut block = [0; MAX_BLOCK];
        let block = Wiped(&mut block);
        if key.len() > hash.block_len {
            hash.begin(&mut inner);
            hash.absorb(&mut inner, key);
            hash.end(&mut inner, block.0);
        } else {
            block.0[..key.len()].copy_from_slice(key);
        }
        for (room, pad) in [(&mut inner, 0x36), (&mut outer, 0x36 ^ 0x5c)] {
            block.0.iter_mut().for_each(|byte| *byte ^= pad);
            hash.begin(room);
            hash.absorb(room, &block.0[..hash.block_len]);
        }
        Some(Repeated { hash, inner, outer, message: Room::take() })
    }

    /// Begins a message.
    pub(super) fn begin(&mut self) {
        self.message.copy_from(&self.inner);
    }

    /// Takes a piece of the message.
    pub(super) fn update(&mut self, piece: &[u8]) {
        self.hash.absorb(&mut self.message, piece);
    }

    /// Bytes of a tag.
    pub(super) fn tag_len(&self) -> usize {
        self.hash.len
    }

    /// Ends the message, and writes its tag to the start of `out`.
    pub(super) fn finish(&mut self, out: &mut [u8]) {
        let mut digest = [0; MAX_BLOCK];
        let digest = Wiped(&mut digest);
        self.hash.end(&mut self.message, digest.0);
        self.message.copy_from(&self.outer);
        self.hash.absorb(&mut self.message, &digest.0[..self.hash.len]);
        self.hash.end(&mut self.message, out);
    }
}

/// Bytes that are wiped when they are of no more use.
struct Wiped<'a>(&'a mut [u8; MAX_BLOCK]);

impl Drop for Wiped<'_> {
    fn drop(&mut self) {
        clear(self.0);
    }
}
