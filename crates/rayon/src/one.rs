//! One long text of a cipher, cut into parts.

use broadloom_engine::provider::Buffers;
use broadloom_engine::{Algorithm, CipherAlgorithm, Data, Direction, Session};
use zeroize::Zeroize;

/// Bytes of a part, at least. The last one may be a few steps shorter.
///
/// It was measured with `cargo run --release -p broadloom-rayon --example one_text`. On two busy
/// cores (Zen 4), two threads took 0.6 times the speed of one for 1 MiB of AES-128-CTR, 1.06 times
/// for 4 MiB, and 1.7 times for 8 MiB.
pub(crate) const PART: usize = 2 << 20;

/// Bytes that all parts but the last are a multiple of: little enough that parts are nearly equal.
pub(crate) const STEP: usize = 128 << 10;

/// Where the parts of a text begin to depend on what is before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Nowhere: each block stands for itself.
    Alone,
    /// In the nonce: a counter of blocks, of all 16 bytes in big-endian order, which may wrap.
    Counter,
    /// In the nonce: a counter of blocks in the last four bytes, in big-endian order.
    LastCounter,
    /// In the nonce: a counter of blocks in the first four bytes, in little-endian order.
    FirstCounter,
    /// In the nonce, which is the block of ciphertext before.
    Ciphertext,
}

/// How the texts of a session can be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    start: Start,
    /// Bytes of a block.
    block: usize,
    /// `true` if a text is whole blocks.
    whole: bool,
}

impl Cut {
    /// Returns how the texts of a session can be cut; `None` if they cannot.
    pub(crate) fn of(session: &Session) -> Option<Cut> {
        let Algorithm::Cipher(cipher) = session.algorithm() else { return None };
        let decrypts = session.direction() == Direction::Decrypt;
        let (start, block, whole) = match cipher {
            CipherAlgorithm::AesEcb(_) => (Start::Alone, 16, true),
            CipherAlgorithm::AesCtr(_) => (Start::Counter, 16, false),
            CipherAlgorithm::AesCtr32(_) => (Start::LastCounter, 16, false),
            CipherAlgorithm::ChaCha20 => (Start::FirstCounter, 64, false),
            CipherAlgorithm::AesCbc(_) if decrypts => (Start::Ciphertext, 16, true),
            CipherAlgorithm::AesCfb(_) if decrypts => (Start::Ciphertext, 16, false),
            CipherAlgorithm::TripleDesCbc | CipherAlgorithm::DesCbc if decrypts => {
                (Start::Ciphertext, 8, true)
            }
            _ => return None,
        };
        Some(Cut { start, block, whole })
    }

    /// Returns the nonce of each part, as long as there are parts of `part` bytes; `None` if the
    /// engine refuses the text, or if it is too short to be cut.
    pub(crate) fn nonces(self, nonce: &[u8], text: &[u8], part: usize) -> Option<Vec<Vec<u8>>> {
        if part >= text.len() || self.whole && !text.len().is_multiple_of(self.block) {
            return None;
        }
        let first = self.whole_nonce(nonce)?;
        let starts = (0..text.len()).step_by(part);
        starts.map(|start| self.nonce_at(&first, text, start)).collect()
    }

    /// Returns the nonce with its counter, if it has the right length.
    fn whole_nonce(self, nonce: &[u8]) -> Option<Vec<u8>> {
        let valid = if self.start == Start::Alone { 0 } else { self.block.min(16) };
        match (self.start, nonce.len()) {
            (Start::LastCounter, 12) => Some([nonce, &[0, 0, 0, 1]].concat()),
            (Start::FirstCounter, 12) => Some([&[0; 4], nonce].concat()),
            (_, len) => (len == valid).then(|| nonce.to_vec()),
        }
    }

    /// Returns the nonce of the part that begins at a byte of the text, which is the first of a
    /// block; `None` if a counter of 32 bits passes zero before the end of the text.
    fn nonce_at(self, first: &[u8], text: &[u8], start: usize) -> Option<Vec<u8>> {
        let mut nonce = first.to_vec();
        if start == 0 {
            return Some(nonce);
        }
        let blocks = (start / self.block) as u128;
        let all = text.len().div_ceil(self.block) as u64;
        let counter = |counter: u32| (u64::from(counter) + all <= 1 << 32).then_some(counter);
        match self.start {
            Start::Alone => {}
            Start::Counter => {
                let counter = u128::from_be_bytes(nonce[..].try_into().ok()?);
                nonce.copy_from_slice(&counter.wrapping_add(blocks).to_be_bytes());
            }
            Start::LastCounter => {
                let counter = counter(u32::from_be_bytes(*nonce.last_chunk()?))?;
                nonce[12..].copy_from_slice(&(counter + blocks as u32).to_be_bytes());
            }
            Start::FirstCounter => {
                let counter = counter(u32::from_le_bytes(*nonce.first_chunk()?))?;
                nonce[..4].copy_from_slice(&(counter + blocks as u32).to_le_bytes());
            }
            Start::Ciphertext => nonce.copy_from_slice(&text[start - self.block..start]),
        }
        Some(nonce)
    }
}

/// Cuts buffers into a number of parts of `part` bytes, of which the last one has all that is left.
/// A single part is all of the buffers.
pub(crate) fn cut<'a>(text: &'a mut Buffers<'_>, part: usize, count: usize) -> Vec<Buffers<'a>> {
    let len = |number: usize, rest: usize| if number + 1 < count { part } else { rest };
    match text {
        Buffers::InPlace(bytes) => {
            let mut rest: &'a mut [u8] = bytes;
            let cut = |number| {
                let len = len(number, rest.len());
                Buffers::InPlace(rest.split_off_mut(..len).expect("the parts are in the text"))
            };
            (0..count).map(cut).collect()
        }
        Buffers::Apart(source, destination) => {
            let (mut source, mut rest): (&'a [u8], &'a mut [u8]) = (source, destination);
            let cut = |number| {
                let (read, written) = (len(number, source.len()), len(number, rest.len()));
                Buffers::Apart(
                    source.split_off(..read).expect("the parts are in the source"),
                    rest.split_off_mut(..written).expect("the parts are in the destination"),
                )
            };
            (0..count).map(cut).collect()
        }
    }
}

/// Returns the buffers for a shorter time.
pub(crate) fn reborrow<'a>(text: &'a mut Buffers<'_>) -> Buffers<'a> {
    match text {
        Buffers::InPlace(bytes) => Buffers::InPlace(bytes),
        Buffers::Apart(source, destination) => Buffers::Apart(source, destination),
    }
}

/// Returns what is or was written.
pub(crate) fn output<'a>(text: &'a Buffers<'_>) -> &'a [u8] {
    match text {
        Buffers::InPlace(bytes) => bytes,
        Buffers::Apart(_, destination) => destination,
    }
}

/// Returns the data of a job over buffers.
pub(crate) fn data(buffers: Buffers<'_>) -> Data<'_> {
    match buffers {
        Buffers::InPlace(bytes) => Data::from(bytes),
        Buffers::Apart(source, destination) => Data::from((source, destination)),
    }
}

/// Returns `true` if a source and its destination have one length.
pub(crate) fn are_equal(text: &Buffers<'_>) -> bool {
    match text {
        Buffers::InPlace(_) => true,
        Buffers::Apart(source, destination) => source.len() == destination.len(),
    }
}

/// Returns the bytes of each part of a text for a number of threads, but the last, which has what
/// is left; `None` if the text is worth one thread only.
pub(crate) fn part(len: usize, threads: usize) -> Option<usize> {
    let threads = threads.min(len / PART);
    (threads > 1).then(|| len.div_ceil(threads).next_multiple_of(STEP))
}

/// A text that is wiped when it is dropped, unless [`keep`](Wiped::keep) was called.
pub(crate) struct Wiped<'a> {
    pub text: Buffers<'a>,
    is_kept: bool,
}

impl<'a> Wiped<'a> {
    pub fn new(text: Buffers<'a>) -> Self {
        Wiped { text, is_kept: false }
    }

    /// Leaves the text as it is.
    pub fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Wiped<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            reborrow(&mut self.text).into_output().zeroize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_long_and_nearly_equal() {
        for threads in [0, 1, 2, 3, 8, 64] {
            assert_eq!(part(0, threads), None);
            assert_eq!(part(2 * PART - 1, threads), None);
            for len in [2 * PART, 2 * PART + 1, 3 * PART - 1, 8 * PART + 5, 100 * PART] {
                let Some(part) = part(len, threads) else {
                    assert!(threads < 2, "{len} bytes are worth {threads} threads");
                    continue;
                };
                assert!(part >= PART && part.is_multiple_of(STEP) && part < len);
                assert!(len.div_ceil(part) <= threads, "{len} bytes for {threads}");
                assert!(part - len / threads.min(len / PART) <= STEP);
            }
        }
    }

    #[test]
    fn a_cut_text_is_its_parts_and_the_rest() {
        let mut bytes: [u8; 10] = std::array::from_fn(|at| at as u8);
        let parts = |text: &mut Buffers<'_>, part, count| -> Vec<(Vec<u8>, usize)> {
            let parts = cut(text, part, count);
            parts.iter().map(|part| (part.input().to_vec(), output(part).len())).collect()
        };
        let expected = [(vec![0, 1, 2, 3], 4), (vec![4, 5, 6, 7], 4), (vec![8, 9], 2)];
        assert_eq!(parts(&mut Buffers::InPlace(&mut bytes), 4, 3), expected);
        let mut other = [0; 10];
        assert_eq!(parts(&mut Buffers::Apart(&bytes, &mut other), 4, 3), expected);
        // Buffers that do not fit each other stay as they are, for the engine to refuse.
        let single = parts(&mut Buffers::Apart(&bytes, &mut other[..3]), 10, 1);
        assert_eq!(single, [(bytes.to_vec(), 3)]);
        assert_eq!(parts(&mut Buffers::InPlace(&mut []), 0, 1), [(vec![], 0)]);
    }

    #[test]
    fn what_is_not_kept_is_wiped() {
        let mut bytes = [7; 3];
        Wiped::new(Buffers::InPlace(&mut bytes)).keep();
        assert_eq!(bytes, [7; 3]);
        drop(Wiped::new(Buffers::InPlace(&mut bytes)));
        assert_eq!(bytes, [0; 3]);
        let mut other = [7; 3];
        drop(Wiped::new(Buffers::Apart(&[1; 3], &mut other)));
        assert_eq!(other, [0; 3]);
    }
}
