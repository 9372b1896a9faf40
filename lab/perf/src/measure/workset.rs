//! The buffers, keys and IVs of a workload, shared by all contenders.

use std::ops::Range;

use broadloom_engine::{Algorithm, Direction, Kem, PublicKeyAlgorithm};
use fastrand::Rng;

use super::keys;
use super::workload::Workload;

/// Cache lines are this long; arenas start at a multiple of it.
const LINE: usize = 64;

/// Bytes behind the last span, from the allocation's start: less than a line goes to alignment, and
/// peers may read to the end of a block that a buffer does not fill.
const SLACK: usize = 2 * LINE;

/// Bytes at known offsets from a multiple of 64, so that alignment is part of the data.
#[derive(Debug)]
struct Arena {
    bytes: Vec<u8>,
    base: usize,
    spans: Vec<Range<usize>>,
}

impl Arena {
    fn new(spans: Vec<Range<usize>>) -> Arena {
        let end = spans.last().map_or(0, |span| span.end);
        let bytes = vec![0; end + SLACK];
        let base = bytes.as_ptr().addr().wrapping_neg() % LINE;
        Arena { bytes, base, spans }
    }

    fn span(&self, index: usize) -> Range<usize> {
        let span = &self.spans[index];
        self.base + span.start..self.base + span.end
    }

    fn get(&self, index: usize) -> &[u8] {
        &self.bytes[self.span(index)]
    }

    /// The same bytes at the same offsets.
    fn copy(&self) -> Arena {
        let mut copy = Arena::new(self.spans.clone());
        let end = copy.bytes.len() - SLACK;
        copy.contents_mut().copy_from_slice(&self.bytes[self.base..self.base + end]);
        copy
    }

    /// All spans at once.
    fn split_mut(&mut self) -> Vec<&mut [u8]> {
        let spans = self.spans.clone();
        let mut rest = self.contents_mut();
        let mut at = 0;
        let mut parts = Vec::with_capacity(spans.len());
        for span in spans {
            let (part, tail) =
                std::mem::take(&mut rest)[span.start - at..].split_at_mut(span.len());
            parts.push(part);
            rest = tail;
            at = span.end;
        }
        parts
    }

    /// All spans and what lies between them.
    fn contents_mut(&mut self) -> &mut [u8] {
        let end = self.bytes.len() - SLACK;
        &mut self.bytes[self.base..self.base + end]
    }
}

/// Associated data of an AEAD, in bytes.
pub const ASSOCIATED: usize = 16;

/// The length that a buffer asked to be `len` bytes long really has: the next multiple of what the
/// algorithm takes.
pub fn fit(algorithm: Algorithm, len: usize) -> usize {
    match algorithm {
        // The buffer is the other side's public key.
        Algorithm::PublicKey(PublicKeyAlgorithm::X25519) => 32,
        Algorithm::PublicKey(PublicKeyAlgorithm::Ecdh(curve)) => curve.point_len(),
        _ => match kem(algorithm) {
            Some(kem) => kem.public_key_len(),
            None => len.next_multiple_of(algorithm.granularity()),
        },
    }
}

/// Returns how many bytes of a buffer a job reads, which are the first: all but those of ML-KEM and
/// its hybrids, whose buffers have room for a public key and are as long in all directions, and
/// none of those of which keys are generated.
pub fn read_len(algorithm: Algorithm, direction: Direction, len: usize) -> usize {
    match (kem(algorithm), direction) {
        (Some(kem), Direction::Decapsulate) => kem.ciphertext_len(),
        (_, Direction::Generate) if matches!(algorithm, Algorithm::PublicKey(_)) => 0,
        _ => len,
    }
}

/// The algorithm, if it encapsulates.
fn kem(algorithm: Algorithm) -> Option<Kem> {
    let Algorithm::PublicKey(algorithm) = algorithm else { return None };
    Kem::of(algorithm)
}

/// Bytes of output for a buffer of `len` bytes: as many, or a digest or tag.
fn output_len(algorithm: Algorithm, len: usize) -> usize {
    match algorithm {
        Algorithm::Hash(_) | Algorithm::Mac(_) => algorithm.tag_len(),
        Algorithm::PublicKey(algorithm) => match algorithm {
            PublicKeyAlgorithm::Rsa(size) => size.modulus_len(),
            PublicKeyAlgorithm::Ecdh(curve) => curve.coordinate_len(),
            PublicKeyAlgorithm::X25519 => 32,
            PublicKeyAlgorithm::SlhDsa(set) => set.signature_len(),
            // Of new keys: a signature is shorter.
            PublicKeyAlgorithm::MlDsa(set) => set.private_key_len() + set.public_key_len(),
            // A signature in DER has no more bytes than that beside its numbers.
            PublicKeyAlgorithm::Ecdsa(curve) => 9 + 2 * curve.coordinate_len(),
            // Of a new key: a ciphertext with its secret is shorter. Otherwise of Ed25519.
            _ => Kem::of(algorithm).map_or(64, Kem::generated_len),
        },
        _ => len,
    }
}

/// Bytes of the longest nonce: XChaCha20-Poly1305's.
const LONGEST_NONCE: usize = 24;

/// Bytes of the key of a chain's MAC; none elsewhere.
fn chain_mac_key_len(algorithm: Algorithm) -> usize {
    match algorithm {
        Algorithm::Chain(_, mac, _) => Algorithm::Mac(mac).key_len(),
        _ => 0,
    }
}

/// Everything that the contenders of one comparison have in common.
///
/// Each buffer has its own key, its own IV and its own place: the offset from a cache line is
/// drawn at random, so no alignment is favoured.
#[derive(Debug)]
pub struct Workset {
    algorithm: Algorithm,
    buffers: Arena,
    keys: Vec<Vec<u8>>,
    mac_keys: Vec<Vec<u8>>,
    nonces: Vec<[u8; LONGEST_NONCE]>,
}

impl Workset {
    /// Draws `count` buffers of this workload; the same for the same `seed`.
    pub fn new(workload: &Workload, algorithm: Algorithm, count: usize, seed: u64) -> Workset {
        Workset::of_lengths(algorithm, &workload.lengths(algorithm, count, seed), seed)
    }

    /// Buffers of the given lengths, rounded up to a multiple of the algorithm's granularity.
    pub fn of_lengths(algorithm: Algorithm, lengths: &[usize], seed: u64) -> Workset {
        let mut rng = Rng::with_seed(!seed);
        let mut next = 0;
        let spans = lengths
            .iter()
            .map(|&len| {
                let begin = next + rng.usize(0..LINE);
                let end = begin + fit(algorithm, len);
                next = end.next_multiple_of(LINE);
                begin..end
            })
            .collect();
        let mut buffers = Arena::new(spans);
        rng.fill(buffers.contents_mut());
        let pair = match algorithm {
            Algorithm::PublicKey(algorithm) => keys::pair(algorithm),
            _ => None,
        };
        if let Algorithm::PublicKey(algorithm) = algorithm {
            for buffer in buffers.split_mut() {
                let mut random = [0; 32];
                rng.fill(&mut random);
                if let Some(key) = keys::other_side(algorithm, &random) {
                    buffer.copy_from_slice(&key);
                }
            }
        }
        let keys = lengths
            .iter()
            .map(|_| {
                let mut key = vec![0; algorithm.key_len()];
                rng.fill(&mut key);
                pair.as_ref().map_or(key, |(private, _)| private.to_der().to_vec())
            })
            .collect();
        let nonces = lengths
            .iter()
            .map(|_| {
                let mut nonce = [0; LONGEST_NONCE];
                rng.fill(&mut nonce);
                nonce
            })
            .collect();
        let mac_keys = lengths
            .iter()
            .map(|_| {
                let mut key = vec![0; chain_mac_key_len(algorithm)];
                rng.fill(&mut key);
                key
            })
            .collect();
        Workset { algorithm, buffers, keys, mac_keys, nonces }
    }

    /// The algorithm that lengths and keys were chosen for.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Number of buffers.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns `true` if there are no buffers.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// A buffer's input.
    #[inline]
    pub fn buffer(&self, index: usize) -> &[u8] {
        self.buffers.get(index)
    }

    /// A buffer's key; empty for a plain digest, and of a public-key algorithm the private key, the
    /// same for all buffers, as PKCS #8 in DER.
    #[inline]
    pub fn key(&self, index: usize) -> &[u8] {
        &self.keys[index]
    }

    /// The key of the MAC in a chain for a buffer; else empty.
    pub fn mac_key(&self, index: usize) -> &[u8] {
        &self.mac_keys[index]
    }

    /// The buffers, to work in.
    pub fn copies(&self) -> Copies {
        Copies(self.buffers.copy())
    }

    /// A buffer's nonce, of which each algorithm takes what it needs.
    pub fn nonce(&self, index: usize) -> &[u8] {
        &self.nonces[index]
    }

    /// A buffer's IV: the start of its nonce.
    #[inline]
    pub fn iv(&self, index: usize) -> &[u8; 16] {
        self.nonces[index].first_chunk().expect("a nonce is longer")
    }

    /// The length of the longest buffer in bytes.
    pub fn longest(&self) -> usize {
        (0..self.len()).map(|index| self.buffer(index).len()).max().unwrap_or(0)
    }

    /// The mean length in bytes of the buffers in `range`.
    pub fn mean_len(&self, range: Range<usize>) -> f64 {
        let count = range.len().max(1);
        range.map(|index| self.buffer(index).len()).sum::<usize>() as f64 / count as f64
    }
}

/// Where a contender writes: one place for each buffer, none shared with another contender.
#[derive(Debug)]
pub struct Outputs(Arena);

impl Outputs {
    /// Room for the results of every buffer. A ciphertext lies at its input's offset from a cache
    /// line, a digest at the start of one.
    pub fn new(workset: &Workset) -> Outputs {
        let mut next = 0;
        let spans = workset.buffers.spans.iter().map(|input| {
            let len = output_len(workset.algorithm, input.len());
            let in_kind = len == input.len();
            let shift = if in_kind { input.start % LINE } else { 0 };
            let begin = next + shift;
            next = (begin + len).next_multiple_of(LINE);
            begin..begin + len
        });
        Outputs(Arena::new(spans.collect()))
    }

    /// A buffer's result.
    pub fn get(&self, index: usize) -> &[u8] {
        self.0.get(index)
    }

    /// A buffer's result, to write.
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> &mut [u8] {
        let span = self.0.span(index);
        &mut self.0.bytes[span]
    }

    /// Returns the address and the length of a buffer's result, for a library that keeps the
    /// address. The address stays valid when another one is asked for, but not when results are
    /// read or cleared.
    #[inline]
    pub fn address(&mut self, index: usize) -> (*mut u8, usize) {
        let span = self.0.span(index);
        (self.0.bytes.as_mut_ptr().wrapping_add(span.start), span.len())
    }

    /// Overwrites all results with zeros.
    pub fn clear(&mut self) {
        self.0.contents_mut().fill(0);
    }

    /// All results at once, to write.
    pub fn split_mut(&mut self) -> Vec<&mut [u8]> {
        self.0.split_mut()
    }
}

/// Bytes like those of a set's buffers, each at its buffer's offset from a cache line, to work in.
#[derive(Debug)]
pub struct Copies(Arena);

impl Copies {
    /// A buffer's bytes.
    pub fn get(&self, index: usize) -> &[u8] {
        self.0.get(index)
    }

    /// All buffers at once, to write.
    pub fn split_mut(&mut self) -> Vec<&mut [u8]> {
        self.0.split_mut()
    }
}

impl Clone for Copies {
    fn clone(&self) -> Self {
        Copies(self.0.copy())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use broadloom_engine::{AesSize, CipherAlgorithm, HashAlgorithm};

    const AES: Algorithm = Algorithm::Cipher(CipherAlgorithm::AesCbc(AesSize::Aes192));

    #[test]
    fn each_buffer_has_its_own_key_iv_and_place() {
        let workset = Workset::new(&Workload::Uniform, AES, 300, 9);
        assert_eq!(workset.len(), 300);
        let keys: HashSet<_> = (0..300).map(|i| workset.key(i)).collect();
        let ivs: HashSet<_> = (0..300).map(|i| workset.iv(i)).collect();
        assert_eq!((keys.len(), ivs.len()), (300, 300));
        assert!(keys.iter().all(|key| key.len() == 24));
        let offsets: HashSet<_> =
            (0..300).map(|i| workset.buffer(i).as_ptr().addr() % LINE).collect();
        assert!(offsets.len() > LINE / 2, "{} offsets", offsets.len());
    }

    #[test]
    fn the_seed_alone_decides_the_bytes_and_their_alignment() {
        let draw = |seed| Workset::new(&Workload::ThreeSizes, AES, 100, seed);
        let (one, two, other) = (draw(1), draw(1), draw(2));
        for i in 0..100 {
            assert!(one.buffer(i) == two.buffer(i), "buffer {i}");
            assert_eq!(one.key(i), two.key(i));
            assert_eq!(one.buffer(i).as_ptr().addr() % LINE, two.buffer(i).as_ptr().addr() % LINE);
        }
        assert_ne!(one.key(0), other.key(0));
    }

    #[test]
    fn outputs_do_not_overlap_and_ciphertexts_keep_their_alignment() {
        let workset = Workset::new(&Workload::Uniform, AES, 100, 4);
        let mut outputs = Outputs::new(&workset);
        for (i, part) in outputs.split_mut().into_iter().enumerate() {
            assert_eq!(part.len(), workset.buffer(i).len());
            assert_eq!(part.as_ptr().addr() % LINE, workset.buffer(i).as_ptr().addr() % LINE);
            part.fill(i as u8);
        }
        for i in 0..100 {
            assert!(outputs.get(i).iter().all(|&byte| byte == i as u8));
            assert_eq!(outputs.get_mut(i).len(), workset.buffer(i).len());
        }
    }

    #[test]
    fn digests_have_their_length() {
        let workset = Workset::new(&Workload::Small, Algorithm::Hash(HashAlgorithm::Sha384), 5, 4);
        let outputs = Outputs::new(&workset);
        assert!((0..5).all(|i| outputs.get(i).len() == 48 && workset.key(i).is_empty()));
    }

    #[test]
    fn copies_have_the_same_bytes_at_the_same_alignment() {
        let workset = Workset::new(&Workload::Uniform, AES, 50, 4);
        let mut copies = workset.copies();
        copies.split_mut()[7].fill(0);
        let again = workset.copies();
        for i in 0..50 {
            assert_eq!(copies.get(i) == workset.buffer(i), i != 7);
            assert_eq!(again.clone().get(i), workset.buffer(i));
            assert_eq!(
                copies.get(i).as_ptr().addr() % LINE,
                workset.buffer(i).as_ptr().addr() % LINE
            );
        }
    }

    #[test]
    fn only_a_chain_has_a_second_key() {
        let keys = |name: &str| {
            let workset = Workset::of_lengths(name.parse().unwrap(), &[16, 32], 1);
            (workset.key(1).len(), workset.mac_key(1).len())
        };
        assert_eq!(keys("aes-256-cbc+hmac-sha1"), (32, 20));
        assert_eq!(keys("hmac-sha256"), (32, 0));
        assert_eq!(keys("aes-192-cmac"), (24, 0));
        assert_eq!(keys("chacha20-poly1305"), (32, 0));
        assert_eq!(keys("sha1"), (0, 0));
    }
}
