//! Algorithms with their keys, and the sessions that are opened for them.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, ChainOrder, CipherAlgorithm, Direction, MacAlgorithm, Session, Transform,
    TransformError,
};
use fastrand::Rng;

use crate::limits::Limits;

/// An algorithm with keys and a length of tags.
#[derive(Debug, Clone)]
pub(crate) struct Keyed {
    pub algorithm: Algorithm,
    pub key: Vec<u8>,
    pub mac_key: Vec<u8>,
    pub tag_len: usize,
    /// The longest text that its provider takes.
    pub limits: Limits,
}

pub(crate) fn random_bytes(rng: &mut Rng, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    rng.fill(&mut bytes);
    bytes
}

impl Keyed {
    /// Given keys, and tags of full length, for a provider that takes everything.
    pub fn new(algorithm: Algorithm, key: Vec<u8>, mac_key: Vec<u8>) -> Self {
        Keyed { algorithm, key, mac_key, tag_len: algorithm.tag_len(), limits: Limits::NONE }
    }

    /// Random keys, and tags of full length, for a provider.
    pub fn random(rng: &mut Rng, provider: &Arc<dyn Provider>, algorithm: Algorithm) -> Self {
        Keyed::unlimited(rng, algorithm).within(Limits::of(provider, algorithm))
    }

    /// The same for another provider as well, with these limits.
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = self.limits.and(limits);
        self
    }

    /// Random keys, for a provider that takes everything.
    pub fn unlimited(rng: &mut Rng, algorithm: Algorithm) -> Self {
        let mut mac_key = |mac: MacAlgorithm| match mac {
            MacAlgorithm::Hmac(hash) => {
                // Empty, short, a digest's length, a block's, one more, and long.
                let block = hash.block_len();
                let lens =
                    [0, 1, hash.digest_len(), hash.digest_len(), block, block + 1, 2 * block + 3];
                let len = lens[rng.usize(..lens.len())];
                random_bytes(rng, len)
            }
            _ => random_bytes(rng, Algorithm::Mac(mac).key_len()),
        };
        let (key, mac_key) = match algorithm {
            Algorithm::Mac(mac) => (mac_key(mac), Vec::new()),
            Algorithm::Cipher(cipher) => (cipher_key(rng, cipher), Vec::new()),
            Algorithm::Chain(cipher, mac, _) => {
                let mac_key = mac_key(mac);
                (cipher_key(rng, cipher), mac_key)
            }
            _ => (random_bytes(rng, algorithm.key_len()), Vec::new()),
        };
        Keyed::new(algorithm, key, mac_key)
    }

    /// The same with tags of another length.
    pub fn with_tag_len(mut self, tag_len: usize) -> Self {
        self.tag_len = tag_len;
        self
    }

    /// The longest text of no more than `len` bytes that the algorithm takes, or the shortest there
    /// is.
    pub fn text_len(&self, len: usize) -> usize {
        (len - len % self.algorithm.granularity()).max(self.algorithm.min_len())
    }

    /// The transform for a direction.
    pub fn transform(&self, direction: Direction) -> Result<Transform, TransformError> {
        let Keyed { algorithm, key, mac_key, tag_len, .. } = self;
        Transform::new(*algorithm, direction, key, mac_key).tag_len(*tag_len).build()
    }

    /// A session at a provider.
    pub fn open(&self, provider: &Arc<dyn Provider>, direction: Direction) -> Session {
        let Keyed { algorithm, tag_len, .. } = self;
        let transform = self.transform(direction).unwrap_or_else(|error| {
            panic!("{algorithm} {direction} with {tag_len} bytes of tag is no transform: {error}")
        });
        Session::open(Arc::clone(provider), &transform).unwrap_or_else(|error| {
            let name = provider.name();
            panic!("{name} supports {algorithm}, and opens no session to {direction}: {error}")
        })
    }

    /// Sessions for all its directions, first the direction that generates.
    pub fn open_all(&self, provider: &Arc<dyn Provider>) -> Vec<Session> {
        let directions = self.algorithm.directions();
        directions.iter().map(|direction| self.open(provider, *direction)).collect()
    }

    /// Lengths that its tags may have.
    pub fn tag_lens(&self) -> Vec<usize> {
        self.algorithm.tag_lens().iter().collect()
    }
}

/// The usual key of a cipher, or for triple DES one of two keys.
fn cipher_key(rng: &mut Rng, cipher: CipherAlgorithm) -> Vec<u8> {
    let two = cipher.key_len() == 24 && cipher.key_lens().contains(16) && rng.bool();
    random_bytes(rng, if two { 16 } else { cipher.key_len() })
}

/// The algorithms that a provider supports, without chains.
pub(crate) fn simple(provider: &Arc<dyn Provider>) -> Vec<Algorithm> {
    Algorithm::simple().filter(|algorithm| provider.supports(*algorithm)).collect()
}

/// All chains that a provider supports.
pub(crate) fn chains(provider: &Arc<dyn Provider>) -> Vec<Algorithm> {
    let (ciphers, macs) = halves(&|algorithm| provider.supports(algorithm));
    let pairs = ciphers.iter().flat_map(|cipher| macs.iter().map(|mac| (*cipher, *mac)));
    pairs.flat_map(in_both_orders).collect()
}

/// Everything that a provider supports but most of the chains.
pub(crate) fn varied(provider: &Arc<dyn Provider>) -> Vec<Algorithm> {
    varied_of(&|algorithm| provider.supports(algorithm))
}

/// All algorithms of a provider, with just enough chains to have each cipher and each MAC in one.
pub(crate) fn varied_of(has: &dyn Fn(Algorithm) -> bool) -> Vec<Algorithm> {
    let mut all: Vec<_> = Algorithm::simple().filter(|algorithm| has(*algorithm)).collect();
    let (ciphers, macs) = halves(has);
    if !ciphers.is_empty() && !macs.is_empty() {
        let pairs =
            ciphers.iter().cycle().zip(macs.iter().cycle()).map(|(cipher, mac)| (*cipher, *mac));
        all.extend(pairs.take(ciphers.len().max(macs.len())).flat_map(in_both_orders));
    }
    all
}

fn in_both_orders((cipher, mac): (CipherAlgorithm, MacAlgorithm)) -> [Algorithm; 2] {
    [ChainOrder::CipherThenMac, ChainOrder::MacThenCipher]
        .map(|order| Algorithm::Chain(cipher, mac, order))
}

/// The ciphers, and the MACs that take no nonce, that there are.
fn halves(has: &dyn Fn(Algorithm) -> bool) -> (Vec<CipherAlgorithm>, Vec<MacAlgorithm>) {
    let ciphers = CipherAlgorithm::all().filter(|cipher| has(Algorithm::Cipher(*cipher)));
    let plain = MacAlgorithm::all().filter(|mac| mac.nonce_lens().is_none());
    (ciphers.collect(), plain.filter(|mac| has(Algorithm::Mac(*mac))).collect())
}
