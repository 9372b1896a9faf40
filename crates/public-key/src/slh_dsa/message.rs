//! Messages, and what is hashed of them: PRF_msg and H_msg (FIPS 205, section 11).

use core::ptr;

use broadloom_lanes::inside::hash::HashState;
use broadloom_lanes::inside::vector::MAX_LANES;
use broadloom_lanes::{Hash, HmacKey, Occupancy};
use zeroize::Zeroize;

use super::absorb::{Pointers, ShaLanes, SlhDsaAbsorb};
use super::error::SlhDsaError;
use super::hasher::{Hasher, ROWS, Row};
use super::key::{Prf, SlhDsaPrivateKey, SlhDsaPublicKey};
use crate::prehash::{PREFIXES, PreHash};

/// A message, and the context string that it is signed under (FIPS 205, algorithms 22 and 24).
///
/// ```
/// use broadloom_public_key::{PreHash, SlhDsaError, SlhDsaMessage};
///
/// let message = SlhDsaMessage::new(b"a message").context(b"an application")?;
/// let hashed = SlhDsaMessage::hashed(PreHash::Sha256, &[7; 32])?;
/// let error = message.context(&[0; 256]).unwrap_err();
/// assert_eq!(error, SlhDsaError::Context { len: 256 });
/// # Ok::<(), SlhDsaError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SlhDsaMessage<'a> {
    prefix: &'a [u8],
    context: &'a [u8],
    identifier: &'a [u8],
    message: &'a [u8],
}

impl<'a> SlhDsaMessage<'a> {
    /// Makes a message without a context.
    pub fn new(message: &'a [u8]) -> Self {
        SlhDsaMessage { prefix: &PREFIXES[0][0], context: &[], identifier: &[], message }
    }

    /// Makes a message of which a digest is signed, without a context (HashSLH-DSA).
    ///
    /// # Errors
    /// [`SlhDsaError::Digest`] if the digest has another length than the hash's.
    pub fn hashed(hash: PreHash, digest: &'a [u8]) -> Result<Self, SlhDsaError> {
        let (len, valid) = (digest.len(), hash.digest_len());
        if len != valid {
            return Err(SlhDsaError::Digest { hash: hash.name(), len, valid });
        }
        let (prefix, identifier) = (&PREFIXES[1][0], hash.identifier());
        Ok(SlhDsaMessage { prefix, context: &[], identifier, message: digest })
    }

    /// Returns the message under a context string, which tells the uses of a key apart.
    ///
    /// # Errors
    /// [`SlhDsaError::Context`] if it has more than 255 bytes.
    pub fn context(self, context: &'a [u8]) -> Result<Self, SlhDsaError> {
        let hashed = usize::from(!self.identifier.is_empty());
        match PREFIXES[hashed].get(context.len()) {
            Some(prefix) => Ok(SlhDsaMessage { prefix, context, ..self }),
            None => Err(SlhDsaError::Context { len: context.len() }),
        }
    }

    /// Makes a message that is signed as it is, as the standard's internal functions do (FIPS 205,
    /// algorithms 19 and 20), of which there are test vectors.
    #[cfg(test)]
    pub(super) fn internal(message: &'a [u8]) -> Self {
        SlhDsaMessage { prefix: &[], context: &[], identifier: &[], message }
    }

    /// Returns its pieces.
    fn pieces(&self) -> [&'a [u8]; 4] {
        [self.prefix, self.context, self.identifier, self.message]
    }

    /// Returns the message as a scheduler sees it.
    pub(super) fn raw(&self) -> RawMessage {
        RawMessage { pieces: self.pieces().map(|piece| &raw const *piece) }
    }
}

/// A message whose borrower is not known here.
#[derive(Clone, Copy)]
pub(super) struct RawMessage {
    pieces: [*const [u8]; 4],
}

impl RawMessage {
    /// No message.
    pub const NONE: RawMessage = RawMessage { pieces: [&[]; 4] };

    /// Returns the message.
    ///
    /// # Safety
    /// The message is borrowed for `'a`.
    pub unsafe fn get<'a>(&self) -> SlhDsaMessage<'a> {
        // SAFETY: the pieces are borrowed for `'a`, by this function's contract.
        let [prefix, context, identifier, message] = self.pieces.map(|piece| unsafe { &*piece });
        SlhDsaMessage { prefix, context, identifier, message }
    }
}

/// The most pieces of a message.
const PIECES: usize = 6;

/// A message in pieces that lie apart.
struct Pieces<'m, S: ?Sized> {
    start: &'m S,
    /// Blocks that the start has absorbed.
    before: usize,
    pieces: [&'m [u8]; PIECES],
}

/// How far a message is absorbed.
#[derive(Clone, Copy)]
struct Cursor {
    piece: usize,
    at: usize,
    /// What is absorbed next, and how many blocks of it.
    data: *const u8,
    left: usize,
    /// `true` if these are the last.
    is_last: bool,
}

impl<S: ?Sized> Pieces<'_, S> {
    /// Moves a cursor to the next blocks: those of one piece, where they are, or one that is
    /// brought together in a row, padded where it is the last.
    fn turn<A: SlhDsaAbsorb>(&self, cursor: &mut Cursor, row: &mut Row) {
        while cursor.piece < PIECES && cursor.at == self.pieces[cursor.piece].len() {
            (cursor.piece, cursor.at) = (cursor.piece + 1, 0);
        }
        if let Some(piece) = self.pieces.get(cursor.piece) {
            let blocks = (piece.len() - cursor.at) / A::BLOCK;
            if blocks > 0 {
                (cursor.data, cursor.left) = (piece[cursor.at..].as_ptr(), blocks);
                cursor.at += blocks * A::BLOCK;
                return;
            }
        }
        let mut filled = 0;
        while filled < A::BLOCK && cursor.piece < PIECES {
            let piece = &self.pieces[cursor.piece][cursor.at..];
            let len = piece.len().min(A::BLOCK - filled);
            row.0[filled..][..len].copy_from_slice(&piece[..len]);
            (filled, cursor.at) = (filled + len, cursor.at + len);
            if len == piece.len() {
                (cursor.piece, cursor.at) = (cursor.piece + 1, 0);
            }
        }
        (cursor.data, cursor.left) = (row.0.as_ptr(), 1);
        if filled < A::BLOCK {
            let total: usize = self.pieces.iter().map(|piece| piece.len()).sum();
            cursor.left = A::pad(&mut row.0, filled, self.before * A::BLOCK + total);
            cursor.is_last = true;
        }
    }
}

/// Absorbs messages side by side. Each digest is reported by the numbers of message and lane.
fn absorb_all<'m, A: SlhDsaAbsorb>(
    absorb: &mut A,
    rows: &mut [Row],
    occupancy: &mut Occupancy,
    count: usize,
    message: impl Fn(usize) -> Pieces<'m, A::Start>,
    mut done: impl FnMut(usize, usize, &A),
) where
    A::Start: 'm,
{
    let lanes = absorb.lanes().min(rows.len());
    for begun in (0..count).step_by(lanes) {
        let count = lanes.min(count - begun);
        let none = Cursor { piece: 0, at: 0, data: ptr::null(), left: 0, is_last: false };
        let mut cursors = [none; MAX_LANES];
        let cursors = &mut cursors[..count];
        for (lane, cursor) in cursors.iter_mut().enumerate() {
            let message = message(begun + lane);
            absorb.begin(lane, message.start);
            message.turn::<A>(cursor, &mut rows[lane]);
        }
        while let Some(active) = cursors.iter().find(|cursor| cursor.left > 0).copied() {
            let left = cursors.iter().map(|cursor| cursor.left).filter(|left| *left > 0);
            let blocks = left.min().unwrap_or(0);
            let mut data: Pointers = [active.data; MAX_LANES];
            for (data, cursor) in data.iter_mut().zip(&*cursors) {
                if cursor.left > 0 {
                    *data = cursor.data;
                }
            }
            // SAFETY: each lane has at least `blocks` blocks left, or reads those of a lane that
            // has.
            unsafe { absorb.absorb(&mut data, count, blocks, occupancy) };
            for (lane, cursor) in cursors.iter_mut().enumerate() {
                if cursor.left == 0 {
                    continue;
                }
                cursor.left -= blocks;
                // Within the data, or at its end.
                cursor.data = cursor.data.wrapping_add(blocks * A::BLOCK);
                match (cursor.left, cursor.is_last) {
                    (0, true) => done(begun + lane, lane, absorb),
                    (0, false) => message(begun + lane).turn::<A>(cursor, &mut rows[lane]),
                    _ => {}
                }
            }
        }
    }
}

/// The most bytes of a message's digest.
pub(super) const MAX_DIGEST: usize = 49;

/// What is hashed to make a randomizer.
#[derive(Clone, Copy)]
pub(super) struct Randomized<'m> {
    pub key: &'m SlhDsaPrivateKey,
    pub message: SlhDsaMessage<'m>,
    /// The randomness, or PK.seed for deterministic signatures.
    pub random: &'m [u8],
}

/// What is hashed to choose leaves.
#[derive(Clone, Copy)]
pub(super) struct Chosen<'m> {
    pub key: &'m SlhDsaPublicKey,
    pub message: SlhDsaMessage<'m>,
    pub randomizer: &'m [u8],
}

/// Where messages are hashed.
struct PrfPlace<'h, A> {
    absorb: &'h mut A,
    rows: &'h mut [Row],
    occupancy: &'h mut Occupancy,
}

impl Hasher {
    /// Computes PRF_msg: the randomizers of up to [`ROWS`] messages under keys of one set.
    pub fn randomizers(&mut self, all: &[Randomized<'_>], done: impl FnMut(usize, &[u8])) {
        let [Randomized { key, .. }, ..] = all else { return };
        let Hasher { all: lanes, rows, occupancy, .. } = self;
        let (n, rows) = (key.set().node_len(), &mut rows[..]);
        match &key.prf {
            Prf::Shake => {
                let place = PrfPlace { absorb: &mut lanes.shake, rows, occupancy };
                let message = |at: usize| {
                    let Randomized { key, message, random } = all[at];
                    let [prefix, context, identifier, text] = message.pieces();
                    let pieces = [key.prf_key(), random, prefix, context, identifier, text];
                    Pieces { start: &(), before: 0, pieces }
                };
                place.digests((all.len(), n), message, done);
            }
            Prf::Sha256(_) => {
                let key = |at: usize| match &all[at].key.prf {
                    Prf::Sha256(key) => key,
                    _ => unreachable!("keys of one set"),
                };
                PrfPlace { absorb: &mut lanes.sha256, rows, occupancy }.hmacs(all, n, key, done);
            }
            Prf::Sha512(_) => {
                let key = |at: usize| match &all[at].key.prf {
                    Prf::Sha512(key) => key,
                    _ => unreachable!("keys of one set"),
                };
                PrfPlace { absorb: &mut lanes.sha512, rows, occupancy }.hmacs(all, n, key, done);
            }
        }
    }

    /// Computes H_msg: the digests of up to [`ROWS`] messages under keys of one set.
    pub fn choose(&mut self, all: &[Chosen<'_>], done: impl FnMut(usize, &[u8])) {
        let [Chosen { key, .. }, ..] = all else { return };
        let Hasher { all: lanes, rows, occupancy, .. } = self;
        let (params, rows) = (key.params(), &mut rows[..]);
        if params.is_shake {
            let place = PrfPlace { absorb: &mut lanes.shake, rows, occupancy };
            let message = |at: usize| Pieces { start: &(), before: 0, pieces: all[at].pieces() };
            place.digests((all.len(), params.digest_len()), message, done);
        } else if params.n == 16 {
            let place = PrfPlace { absorb: &mut lanes.sha256, rows, occupancy };
            place.masks(all, params.digest_len(), done);
        } else {
            let place = PrfPlace { absorb: &mut lanes.sha512, rows, occupancy };
            place.masks(all, params.digest_len(), done);
        }
    }
}

impl<'m> Chosen<'m> {
    fn pieces(&self) -> [&'m [u8]; PIECES] {
        let [prefix, context, identifier, text] = self.message.pieces();
        [self.randomizer, self.key.bytes(), prefix, context, identifier, text]
    }
}

impl<A: SlhDsaAbsorb> PrfPlace<'_, A> {
    /// Returns the first `len` bytes of the digests of messages.
    fn digests<'m>(
        self,
        (count, len): (usize, usize),
        message: impl Fn(usize) -> Pieces<'m, A::Start>,
        mut done: impl FnMut(usize, &[u8]),
    ) where
        A::Start: 'm,
    {
        let PrfPlace { absorb, rows, occupancy } = self;
        absorb_all(absorb, rows, occupancy, count, message, |at, lane, lanes| {
            let mut digest = [0; MAX_DIGEST];
            lanes.digest(lane, &mut digest[..len]);
            done(at, &digest[..len]);
        });
    }
}

/// Digests of SHA-256 or SHA-512.
type Digests = [[u8; 64]; ROWS];

impl<A: Hash> PrfPlace<'_, ShaLanes<A>> {
    /// Returns the digests of up to [`ROWS`] messages.
    fn whole<'m>(
        &mut self,
        count: usize,
        message: impl Fn(usize) -> Pieces<'m, HashState<A::Word>>,
    ) -> Digests {
        let mut digests = [[0; 64]; ROWS];
        let PrfPlace { absorb, rows, occupancy } = self;
        absorb_all(*absorb, rows, occupancy, count, message, |at, lane, lanes| {
            lanes.digest(lane, &mut digests[at][..A::DIGEST_LEN]);
        });
        digests
    }

    /// Computes HMACs of the randomness and the message, with SK.prf.
    fn hmacs<'m>(
        mut self,
        all: &[Randomized<'m>],
        n: usize,
        key: impl Fn(usize) -> &'m HmacKey<A>,
        mut done: impl FnMut(usize, &[u8]),
    ) {
        let mut inner = self.whole(all.len(), |at| {
            let Randomized { message, random, .. } = all[at];
            let [prefix, context, identifier, text] = message.pieces();
            let pieces = [random, prefix, context, identifier, text, &[]];
            Pieces { start: &key(at).inner, before: 1, pieces }
        });
        let mut outer = self.whole(all.len(), |at| {
            let digest = &inner[at][..A::DIGEST_LEN];
            Pieces { start: &key(at).outer, before: 1, pieces: [digest, &[], &[], &[], &[], &[]] }
        });
        inner.zeroize();
        for (at, digest) in outer.iter().enumerate().take(all.len()) {
            done(at, &digest[..n]);
        }
        outer.zeroize();
    }

    /// Masks of `len` bytes by MGF1 (RFC 8017, B.2.1) of the digests of messages.
    fn masks(mut self, all: &[Chosen<'_>], len: usize, mut done: impl FnMut(usize, &[u8])) {
        let seeds = self.whole(all.len(), |at| Pieces {
            start: A::INITIAL,
            before: 0,
            pieces: all[at].pieces(),
        });
        let mut masks = [[0; MAX_DIGEST]; ROWS];
        for (counter, begin) in (0..len).step_by(A::DIGEST_LEN).enumerate() {
            let counter = (counter as u32).to_be_bytes();
            let pieces = self.whole(all.len(), |at| {
                let Chosen { key, randomizer, .. } = all[at];
                let seed = &seeds[at][..A::DIGEST_LEN];
                let pieces = [randomizer, key.seed(), seed, &counter, &[], &[]];
                Pieces { start: A::INITIAL, before: 0, pieces }
            });
            for (mask, piece) in masks.iter_mut().zip(pieces) {
                let end = len.min(begin + A::DIGEST_LEN);
                mask[begin..end].copy_from_slice(&piece[..end - begin]);
            }
        }
        for (at, mask) in masks.iter().enumerate().take(all.len()) {
            done(at, &mask[..len]);
        }
    }
}
