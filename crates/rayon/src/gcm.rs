//! One message of AES-GCM, cut into parts.
//!
//! GCM encrypts in counter mode, so a part of the text only needs a counter further on. Its tag is
//! a polynomial (SP 800-38D, 6.4): GHASH of blocks X<sub>1</sub> to X<sub>n</sub> is the sum of all
//! X<sub>i</sub>·H<sup>n+1-i</sup>. So the GHASH of two texts, one behind the other, is that of the
//! first one, times H to the number of blocks of the second one, plus that of the second one.
//!
//! Sessions of GMAC compute the GHASH of pieces. Their tag, for the message's own nonce, is
//! (GHASH(piece) + L)·H + M, where L is the block with the piece's length and M is the mask that
//! all tags under this nonce have. None of these tags leaves this module.

use std::sync::Mutex;

use broadloom_engine::provider::Buffers;
use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, CipherAlgorithm, Direction, Job, JobError, MacAlgorithm,
    Processor, Session, Transform, TransformError,
};
use broadloom_lanes::public;
use ghash::universal_hash::UniversalHash;
use ghash::{GHash, Key};
use rayon::ThreadPool;
use rayon::prelude::*;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use crate::one::{self, Wiped};
use crate::{PoolProcessor, status, with_own};

/// Bytes of a block.
const BLOCK: usize = 16;
/// Bytes that are encrypted and then authenticated, or the other way round, while they are in a
/// core's own cache. Parts are whole pieces.
const PIECE: usize = one::STEP;
/// Bytes of the longest text (SP 800-38D, 5.2.1.1).
const LONGEST: u64 = (1 << 36) - 32;
/// The counter of a text's first block, where the nonce has 12 bytes (SP 800-38D, 7.1).
const FIRST: u32 = 2;

/// A session of AES-GCM whose messages can be split over threads, for
/// [`PoolProcessor::seal_one`] and [`PoolProcessor::open_one`].
///
/// A session does not show its keys, and its parts need a counter that GCM does not take. So this
/// holds sessions of counter mode, of GMAC and of single blocks under the same key. The keys are
/// wiped when it is dropped.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{AeadAlgorithm, AesSize, JobError, Transform};
/// use broadloom_rayon::{PoolProcessor, SplitGcm};
///
/// # let key = [7; 16];
/// let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
/// let seal = Transform::aead(gcm, &key).seal()?;
/// let seal = SplitGcm::open(&seal, |transform| registry.open(transform))?;
/// let open = Transform::aead(gcm, &key).open()?;
/// let open = SplitGcm::open(&open, |transform| registry.open(transform))?;
///
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let mut processor = PoolProcessor::new();
/// let mut image = vec![7; 8 << 20];
/// let tag = processor.seal_one(&pool, &seal, &[1; 12], b"image 1", &mut image)?;
/// processor.open_one(&pool, &open, &[1; 12], b"image 1", &mut image, &tag)?;
/// assert!(image.iter().all(|byte| *byte == 7));
/// let forged = processor.open_one(&pool, &open, &[1; 12], b"image 1", &mut image, &tag);
/// assert_eq!(forged, Err(JobError::TagMismatch));
/// assert!(image.iter().all(|byte| *byte == 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SplitGcm {
    whole: Session,
    counter: Session,
    mac: Session,
    block: Session,
}

impl SplitGcm {
    /// Opens all that is needed for a transform of AES-GCM, each by a call of `open`: one session
    /// of the transform itself, and one each of counter mode with 32 bits, GMAC and ECB.
    ///
    /// # Errors
    /// The first error of `open`.
    ///
    /// # Panics
    /// If the transform is not one of AES-GCM.
    pub fn open<E>(
        transform: &Transform,
        mut open: impl FnMut(&Transform) -> Result<Session, E>,
    ) -> Result<SplitGcm, E> {
        let Algorithm::Aead(AeadAlgorithm::AesGcm(size)) = transform.algorithm() else {
            panic!("{} is not AES-GCM", transform.algorithm());
        };
        let mut open_part = |part: Result<Transform, TransformError>| {
            let part = part.expect("all modes of AES have the same keys");
            open(&part.label(transform.session_label()).expect("another transform has the label"))
        };
        let cipher = |mode: fn(AesSize) -> CipherAlgorithm| {
            Transform::cipher(mode(size), transform.key()).encrypt()
        };
        let gmac = MacAlgorithm::AesGmac(size);
        Ok(SplitGcm {
            counter: open_part(cipher(CipherAlgorithm::AesCtr32))?,
            mac: open_part(Transform::mac(gmac, transform.key()).generate())?,
            block: open_part(cipher(CipherAlgorithm::AesEcb))?,
            whole: open(transform)?,
        })
    }

    /// Returns the session of the transform itself.
    pub fn session(&self) -> &Session {
        &self.whole
    }

    /// Returns what the parts of a message have in common.
    fn message(&self, processor: &mut Processor, nonce: [u8; 12]) -> Result<Message<'_>, JobError> {
        let mut blocks = Zeroizing::new([0; 2 * BLOCK]);
        blocks[BLOCK..].copy_from_slice(&counter_block(&nonce, FIRST - 1));
        let mut jobs = [Job::new(&self.block, &mut blocks[..])];
        processor.process_many(&mut jobs);
        status(&jobs[0])?;
        drop(jobs);
        let block = |at: usize| Element::new(blocks[at..][..BLOCK].try_into().expect("a block"));
        Ok(Message { gcm: self, nonce, h: block(0), mask: block(BLOCK) })
    }
}

impl PoolProcessor {
    /// Encrypts one long message of AES-GCM on all threads of the pool, in place, or from a source
    /// to a destination of the same length. Returns the tag. The result is that of one job.
    ///
    /// A text of less than two times [`LEAST_PART`](PoolProcessor::LEAST_PART), and a message whose
    /// nonce has another length than 12 bytes, go through one thread.
    ///
    /// # Errors
    /// As of a job of the session. If the provider failed, what was to be written is wiped.
    ///
    /// # Panics
    /// If the transform does not seal, or if a provider panics: what was to be written is then
    /// wiped.
    pub fn seal_one<'a>(
        &mut self,
        pool: &ThreadPool,
        gcm: &SplitGcm,
        nonce: &[u8],
        associated: &[u8],
        text: impl Into<Buffers<'a>>,
    ) -> Result<Vec<u8>, JobError> {
        assert_eq!(gcm.whole.direction(), Direction::Seal, "the direction of the transform");
        let text = text.into();
        let Some(cut) = Cut::new(pool, nonce, &text) else {
            return self.whole(gcm, nonce, associated, text, None);
        };
        let mut text = Wiped::new(text);
        let tag = self.parts(pool, gcm, &cut, associated, &mut text.text)?;
        text.keep();
        Ok(tag[..gcm.whole.tag_len()].to_vec())
    }

    /// Decrypts one long message of AES-GCM on all threads of the pool, as
    /// [`seal_one`](PoolProcessor::seal_one) encrypts it. The tags are compared in constant time.
    ///
    /// # Errors
    /// As of a job of the session. If the tag is wrong ([`JobError::TagMismatch`]), or if the
    /// provider failed, what was to be written is wiped.
    ///
    /// # Panics
    /// If the transform does not open, or if a provider panics: what was to be written is then
    /// wiped.
    pub fn open_one<'a>(
        &mut self,
        pool: &ThreadPool,
        gcm: &SplitGcm,
        nonce: &[u8],
        associated: &[u8],
        text: impl Into<Buffers<'a>>,
        tag: &[u8],
    ) -> Result<(), JobError> {
        assert_eq!(gcm.whole.direction(), Direction::Open, "the direction of the transform");
        let text = text.into();
        let cut = Cut::new(pool, nonce, &text);
        let Some(cut) = cut.filter(|_| tag.len() == gcm.whole.tag_len()) else {
            return self.whole(gcm, nonce, associated, text, Some(tag)).map(drop);
        };
        let mut text = Wiped::new(text);
        let made = self.parts(pool, gcm, &cut, associated, &mut text.text)?;
        if !public(made[..tag.len()].ct_eq(tag)) {
            return Err(JobError::TagMismatch);
        }
        text.keep();
        Ok(())
    }

    /// Processes a message as one job.
    fn whole(
        &mut self,
        gcm: &SplitGcm,
        nonce: &[u8],
        associated: &[u8],
        text: Buffers<'_>,
        tag: Option<&[u8]>,
    ) -> Result<Vec<u8>, JobError> {
        let job = Job::new(&gcm.whole, one::data(text)).nonce(nonce).associated(associated);
        let mut jobs = [match tag {
            Some(tag) => job.expect_tag(tag),
            None => job,
        }];
        self.caller.process_many(&mut jobs);
        status(&jobs[0])?;
        Ok(jobs[0].tag().unwrap_or_default().to_vec())
    }

    /// Processes a message in parts, and returns its whole tag.
    fn parts(
        &mut self,
        pool: &ThreadPool,
        gcm: &SplitGcm,
        &Cut { nonce, part }: &Cut,
        associated: &[u8],
        text: &mut Buffers<'_>,
    ) -> Result<Zeroizing<[u8; BLOCK]>, JobError> {
        let len = text.input().len();
        self.make_room(pool.current_num_threads());
        let message = gcm.message(&mut self.caller, nonce)?;
        let piece = message.power(PIECE / BLOCK);
        let mut sum = message.hash(&mut self.caller, associated)?;

        let processors: &[Mutex<Option<Processor>>] = &self.threads;
        let work = |(number, text): (usize, Buffers<'_>)| {
            let first = number * (part / BLOCK);
            with_own(processors, |processor| message.part(processor, first, text, &piece))
        };
        let parts = one::cut(text, part, len.div_ceil(part));
        let sums: Vec<Element> =
            pool.install(|| parts.into_par_iter().enumerate().map(work).collect::<Result<_, _>>())?;
        for (number, next) in sums.iter().enumerate() {
            let len = part.min(len - number * part);
            sum = sum.times(&message.power(len.div_ceil(BLOCK))).plus(next);
        }
        Ok(message.tag(&sum, associated.len(), len))
    }
}

/// How a message is cut.
struct Cut {
    nonce: [u8; 12],
    /// Bytes of each part of the text but the last.
    part: usize,
}

impl Cut {
    /// Returns how a message is cut; `None` if it goes through one thread.
    fn new(pool: &ThreadPool, nonce: &[u8], text: &Buffers<'_>) -> Option<Cut> {
        let len = text.input().len();
        let part = one::part(len, pool.current_num_threads())?;
        let fits = len as u64 <= LONGEST && one::are_equal(text);
        nonce.try_into().ok().filter(|_| fits).map(|nonce| Cut { nonce, part })
    }
}

/// What the parts of a message have in common.
struct Message<'a> {
    gcm: &'a SplitGcm,
    nonce: [u8; 12],
    /// The key of GHASH.
    h: Element,
    /// What is added to every tag under the nonce.
    mask: Element,
}

impl Message<'_> {
    /// Encrypts or decrypts a part that begins at a block of the text. Returns GHASH of its
    /// ciphertext, times H. `piece` is H to the number of blocks of a piece.
    fn part(
        &self,
        processor: &mut Processor,
        first: usize,
        mut text: Buffers<'_>,
        piece: &Element,
    ) -> Result<Element, JobError> {
        let opens = self.gcm.whole.direction() == Direction::Open;
        let count = text.input().len().div_ceil(PIECE);
        let mut sum = Element::new([0; BLOCK]);
        for (number, mut text) in one::cut(&mut text, PIECE, count).into_iter().enumerate() {
            let block = first + number * (PIECE / BLOCK);
            let next = if opens {
                let next = self.hash(processor, text.input())?;
                self.cipher(processor, block, one::reborrow(&mut text))?;
                next
            } else {
                self.cipher(processor, block, one::reborrow(&mut text))?;
                self.hash(processor, one::output(&text))?
            };
            let before = match text.input().len() {
                PIECE => sum.times(piece),
                len => sum.times(&self.power(len.div_ceil(BLOCK))),
            };
            sum = before.plus(&next);
        }
        Ok(sum)
    }

    /// Encrypts or decrypts what begins at a block of the text.
    fn cipher(
        &self,
        processor: &mut Processor,
        block: usize,
        text: Buffers<'_>,
    ) -> Result<(), JobError> {
        // The longest text has 2^32 - 2 blocks.
        let nonce = counter_block(&self.nonce, FIRST + block as u32);
        let mut jobs = [Job::new(&self.gcm.counter, one::data(text)).nonce(&nonce)];
        processor.process_many(&mut jobs);
        status(&jobs[0])
    }

    /// Returns GHASH of a text, times H.
    fn hash(&self, processor: &mut Processor, text: &[u8]) -> Result<Element, JobError> {
        if text.is_empty() {
            return Ok(Element::new([0; BLOCK]));
        }
        let mut jobs = [Job::new(&self.gcm.mac, text).nonce(&self.nonce)];
        processor.process_many(&mut jobs);
        status(&jobs[0])?;
        let tag = jobs[0].tag().and_then(|tag| tag.try_into().ok()).ok_or(JobError::NotDone)?;
        Ok(Element::new(tag).plus(&self.mask).plus(&self.lengths(text.len(), 0)))
    }

    /// Returns the tag of a message, of the GHASH of its associated data and ciphertext, times H.
    fn tag(&self, sum: &Element, associated: usize, text: usize) -> Zeroizing<[u8; BLOCK]> {
        self.lengths(associated, text).plus(sum).plus(&self.mask).0
    }

    /// Returns the last block of GHASH, the lengths in bits, times H.
    fn lengths(&self, associated: usize, text: usize) -> Element {
        let lengths = [associated, text].map(|len| (len as u64 * 8).to_be_bytes());
        Element::new(lengths.as_flattened().try_into().expect("16 bytes")).times(&self.h)
    }

    /// Returns a power of H. The exponent is public.
    fn power(&self, exponent: usize) -> Element {
        let bits = usize::BITS - exponent.leading_zeros();
        let mut power = Element::one();
        for bit in (0..bits).rev() {
            power = power.times(&power);
            if exponent >> bit & 1 == 1 {
                power = power.times(&self.h);
            }
        }
        power
    }
}

/// Returns a counter block.
fn counter_block(nonce: &[u8; 12], counter: u32) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..12].copy_from_slice(nonce);
    block[12..].copy_from_slice(&counter.to_be_bytes());
    block
}

/// An element of GHASH's field. It is wiped when it is dropped.
struct Element(Zeroizing<[u8; BLOCK]>);

impl Element {
    fn new(block: [u8; BLOCK]) -> Self {
        Element(Zeroizing::new(block))
    }

    /// Returns the neutral element of products: the first bit is the coefficient of 1.
    fn one() -> Self {
        let mut block = [0; BLOCK];
        block[0] = 0x80;
        Element::new(block)
    }

    fn plus(mut self, other: &Element) -> Self {
        self.0.iter_mut().zip(other.0.iter()).for_each(|(own, other)| *own ^= other);
        self
    }

    /// Returns the product: GHASH of one block under the other.
    fn times(&self, other: &Element) -> Self {
        let mut key: Key = (*other.0).into();
        let mut hash = GHash::new(&key);
        key.as_mut_slice().zeroize();
        hash.update_padded(&self.0[..]);
        let mut product = hash.finalize();
        let element = Element(Zeroizing::new(product.into()));
        product.as_mut_slice().zeroize();
        element
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_that_of_ghash() {
        let [a, b, c] = [3, 0x80, 0xff].map(|byte| Element::new([byte; BLOCK]));
        assert_eq!(a.times(&b).0, b.times(&a).0);
        assert_eq!(a.times(&Element::one()).0, a.0);
        assert_eq!(a.times(&b.times(&c)).0, a.times(&b).times(&c).0);
        // GHASH of two blocks is their polynomial.
        let key: Key = (*c.0).into();
        let mut hash = GHash::new(&key);
        hash.update_padded(&[*a.0, *b.0].concat());
        let expected: [u8; BLOCK] = hash.finalize().into();
        assert_eq!(a.times(&c.times(&c)).plus(&b.times(&c)).0[..], expected);
    }
}
