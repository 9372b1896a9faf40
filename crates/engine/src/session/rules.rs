//! What a job of a session must fulfil.

use crate::algorithm::{Algorithm, ChainOrder, Compression, Direction, MAX_TAG};
use crate::extra::{Extra, Extras};
use crate::made::Making;
use crate::operation::state::State;
use crate::transform::Transform;

/// What a job must fulfil, in the form that is checked fastest.
// In this order: `making` is asked for few jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Rules {
    pub nonce_min: usize,
    pub nonce_max: usize,
    pub tag_len: usize,
    /// What the cipher's range must be a multiple of, a power of two, less one.
    pub granularity_mask: usize,
    /// There is a cipher: something to write to is needed.
    pub writes: bool,
    /// There is a tag to check.
    pub checks_tag: bool,
    /// Bytes of the tag that a job makes; 0 where none is made.
    pub made_tag_len: u8,
    /// What a job may be given.
    pub takes: Extras,
    /// What makes a job another than the common case: places, and all that is not taken.
    pub uncommon: Extras,
    pub chain: bool,
    /// A chain that authenticates before it encrypts: its cipher may cover the tag, as a whole.
    pub covers_tag: bool,
    /// The fewest bytes of one piece for which nothing else need be known.
    pub min_len: u64,
    /// How many more they may be.
    pub len_range: u64,
    /// Which of its jobs may be the common case.
    pub common: Common,
    /// Where a job of the common case stands when it is begun.
    pub started: State,
    /// Once a provider is done there may be more for one to do.
    pub goes_on: bool,
    /// A job has an output of its own: a compression, a decompression, a public-key algorithm.
    pub making: Option<Making>,
}

/// Which jobs of a session may be the common case, if data, lengths and extras are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Common {
    /// None: its provider does it in halves or may fall back, it has an output of its own, or it is
    /// a chain whose text or nonce has to be looked at.
    None,
    /// Those whose nonces were looked at: not all their bits may be set, or they have a counter,
    /// which must not pass zero.
    ByNonce,
    /// All.
    All,
}

impl Rules {
    /// The rules of a transform, whose provider does it in two halves or in one go, beginning at a
    /// session of this class.
    pub(super) fn new(transform: &Transform, in_halves: bool, class: u8) -> Self {
        let (algorithm, direction) = (transform.algorithm(), transform.direction());
        let row = algorithm.row();
        let order = match algorithm {
            Algorithm::Chain(_, _, order) => Some(order),
            _ => None,
        };
        let making = match (algorithm, transform.compression()) {
            (Algorithm::Compression(_), Some(how)) => Some(Making { algorithm, direction, how }),
            (Algorithm::PublicKey(_), _) => {
                Some(Making { algorithm, direction, how: Compression::default() })
            }
            _ => None,
        };
        let checks_tag = direction.checks() && transform.tag_len() > 0;
        let min_len = row.min_len as u64;
        // The common case of a chain may have ranges, whose lengths are not looked at.
        let is_strict_chain = order.is_some() && (row.checks_jobs() || min_len > 0);
        let mut takes = takes(algorithm, checks_tag);
        let is_public_key = matches!(algorithm, Algorithm::PublicKey(_));
        takes.set(Extra::Signature, is_public_key && direction == Direction::Verify);
        Rules {
            nonce_min: row.nonces.min(),
            nonce_max: row.nonces.max(),
            tag_len: transform.tag_len(),
            granularity_mask: row.granularity - 1,
            writes: !matches!(
                algorithm,
                Algorithm::Hash(_)
                    | Algorithm::Mac(_)
                    | Algorithm::Compression(_)
                    | Algorithm::PublicKey(_)
            ),
            checks_tag,
            made_tag_len: if checks_tag { 0 } else { transform.tag_len() as u8 },
            takes,
            uncommon: takes.complement().with(Extras::PLACES),
            chain: order.is_some(),
            covers_tag: order == Some(ChainOrder::MacThenCipher),
            min_len,
            len_range: row.max_len.of(row.nonces.max()) - min_len,
            common: if in_halves || making.is_some() || is_strict_chain {
                Common::None
            } else if row.checks_jobs() {
                Common::ByNonce
            } else {
                Common::All
            },
            started: State::started(class),
            goes_on: in_halves || making.is_some(),
            making,
        }
    }
}

const _: () = assert!(MAX_TAG <= u8::MAX as usize, "the length of a tag fits into a byte");

/// Returns what a job may be given besides its data and a nonce.
fn takes(algorithm: Algorithm, checks_tag: bool) -> Extras {
    let mut takes = match algorithm {
        Algorithm::Hash(_) | Algorithm::Mac(_) => Extras::of(&[Extra::MacRange, Extra::TagPlace]),
        Algorithm::Cipher(_) => Extras::of(&[Extra::CipherRange]),
        Algorithm::Aead(_) => Extras::of(&[Extra::CipherRange, Extra::TagPlace, Extra::Associated]),
        Algorithm::Chain(..) => Extras::PLACES,
        Algorithm::Compression(_) | Algorithm::PublicKey(_) => Extras::NONE,
    };
    takes.set(Extra::ExpectedTag, checks_tag);
    takes.set(Extra::Bits, algorithm.counts_bits());
    takes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(name: &str, in_halves: bool) -> Common {
        let algorithm: Algorithm = name.parse().unwrap();
        let key: Vec<u8> = (1..).take(algorithm.key_len()).collect();
        let mac_key = if matches!(algorithm, Algorithm::Chain(..)) { &b"key"[..] } else { &[] };
        let transform = Transform::new(algorithm, algorithm.directions()[0], &key, mac_key);
        Rules::new(&transform.build().unwrap(), in_halves, 0).common
    }

    #[test]
    fn counters_and_fields_of_nonces_are_looked_at_and_ranges_of_strict_chains() {
        for name in ["aes-128-xts", "aes-128-cbc", "aes-128-ctr", "3des-ctr", "aes-128-gmac"] {
            assert_eq!(common(name, false), Common::All, "{name}");
            assert_eq!(common(name, true), Common::None, "{name} in halves");
        }
        for name in ["sha256", "aes-128-cbc+hmac-sha1", "hmac-sha1+aes-128-ctr"] {
            assert_eq!(common(name, false), Common::All, "{name}");
        }
        for name in ["aes-256-ctr32", "chacha20", "kasumi-f8", "kasumi-f9"] {
            assert_eq!(common(name, false), Common::ByNonce, "{name}");
        }
        for name in ["aes-128-xts+hmac-sha1", "hmac-sha1+chacha20", "deflate"] {
            assert_eq!(common(name, false), Common::None, "{name}");
        }
    }
}
