//! What an algorithm does to a buffer: so many blocks of one thing, and of another, each by one of
//! some kernels.

use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, CipherAlgorithm, Direction, Family, HashAlgorithm,
    MacAlgorithm, SlhDsaSet, XtsSize,
};
use broadloom_lanes::probe::Unit;

use super::limit::Allowed;
use super::ops::{self, Feedback, HashBlocks, KernelOps, Mode};
use super::workset::ASSOCIATED;

/// Blocks of one kind.
pub struct Stage {
    /// Ways to do them; none where the CPU has no instructions for it that count.
    pub kernels: Vec<KernelOps>,
    blocks: Box<dyn Fn(usize) -> usize>,
}

impl Stage {
    fn new(kernels: Vec<KernelOps>, blocks: impl Fn(usize) -> usize + 'static) -> Stage {
        Stage { kernels, blocks: Box::new(blocks) }
    }

    /// Blocks that a buffer of `len` bytes costs.
    pub fn blocks(&self, len: usize) -> usize {
        (self.blocks)(len)
    }
}

/// Returns the stages of an algorithm that is no chain, side by side, or nothing if they are not
/// counted.
///
/// Nonces and associated data are those of the matrix: 12 bytes where there is a choice, and 16.
pub fn stages(algorithm: Algorithm, allowed: Allowed) -> Option<Vec<Stage>> {
    match algorithm {
        Algorithm::Hash(hash) if is_counted(hash) => Some(vec![digest(hash, allowed)]),
        Algorithm::Mac(mac) => of_mac(mac, allowed),
        Algorithm::Cipher(cipher) => of_cipher(cipher, allowed),
        Algorithm::Aead(aead) => of_aead(aead, allowed),
        _ => None,
    }
}

/// Returns what an operation of SLH-DSA takes, on average, with so many blocks of each stage, or
/// nothing for directions that are none of signatures. Values stay in the lanes from hash to hash.
pub fn of_slh_dsa(
    set: SlhDsaSet,
    direction: Direction,
    allowed: Allowed,
) -> Option<Vec<(Stage, f64)>> {
    let HashBlocks { short, long } = match direction {
        Direction::Sign => ops::signature_blocks(set),
        Direction::Verify => ops::verification_blocks(set),
        _ => return None,
    };
    let stage = |kernels| Stage::new(kernels, |_| 1);
    if set.name().contains("shake") {
        return Some(vec![(stage(circuits(allowed, |unit| ops::keccak(0, unit))), short)]);
    }
    let kernels = |hash| {
        let hardware = ops::hash_in_hardware(hash).filter(|_| allowed.hardware);
        let units = allowed.vectors().chain([Unit::Scalar]);
        stage(units.map(|unit| ops::hash_rounds(hash, unit)).chain(hardware).collect())
    };
    let mut stages = vec![(kernels(HashAlgorithm::Sha256), short)];
    if long > 0.0 {
        stages.push((kernels(HashAlgorithm::Sha512), long));
    }
    Some(stages)
}

/// Returns `true` if its rounds are counted.
fn is_counted(hash: HashAlgorithm) -> bool {
    matches!(hash.family(), Family::MerkleDamgard | Family::Sponge | Family::Blake3)
}

fn digest(hash: HashAlgorithm, allowed: Allowed) -> Stage {
    Stage::new(hash_kernels(hash, allowed), move |len| hash_blocks(hash, len))
}

fn hash_kernels(hash: HashAlgorithm, allowed: Allowed) -> Vec<KernelOps> {
    if hash.family() == Family::Sponge {
        return circuits(allowed, |unit| ops::keccak(hash.block_len(), unit));
    }
    let scalar = ops::hash_in_lanes(hash, Unit::Scalar);
    let hardware = ops::hash_in_hardware(hash).filter(|_| allowed.hardware);
    let lanes = allowed.vectors().map(|unit| ops::hash_in_lanes(hash, unit));
    lanes.chain([scalar]).chain(hardware).collect()
}

/// Compressions that a message of `len` bytes costs, its padding included.
fn hash_blocks(hash: HashAlgorithm, len: usize) -> usize {
    if hash.family() == Family::Sponge {
        // The padding is a byte at least.
        return len / hash.block_len() + 1;
    }
    if hash == HashAlgorithm::Blake3 {
        // A message without bytes is a block; all chunks but one have a parent each.
        return len.div_ceil(64).max(1) + len.div_ceil(1024).max(1) - 1;
    }
    let padding = 1 + hash.block_len() / 8;
    (len + padding).div_ceil(hash.block_len())
}

fn of_mac(mac: MacAlgorithm, allowed: Allowed) -> Option<Vec<Stage>> {
    Some(match mac {
        // The key block of each pass was hashed before; the message follows it, so the length
        // of the padding does not change, nor does the number of blocks left.
        MacAlgorithm::Hmac(hash) if is_counted(hash) => {
            vec![Stage::new(hash_kernels(hash, allowed), move |len| {
                hash_blocks(hash, len) + hash_blocks(hash, hash.digest_len())
            })]
        }
        MacAlgorithm::Blake3Keyed => vec![digest(HashAlgorithm::Blake3, allowed)],
        MacAlgorithm::Kmac128 => vec![kmac(168, allowed)],
        MacAlgorithm::Kmac256 => vec![kmac(136, allowed)],
        MacAlgorithm::AesCmac(size) => vec![aes_mac(size, allowed)],
        MacAlgorithm::AesXcbc => vec![aes_mac(AesSize::Aes128, allowed)],
        // The lengths, and the block that hides the sum.
        MacAlgorithm::AesGmac(size) => {
            let lengths = 1;
            vec![ghash(allowed, lengths), aes(size, Mode::Chained, allowed, |_| 1)]
        }
        // `COUNT` and `FRESH` before, a bit and the padding behind; and the last block, of the sum
        // of all.
        MacAlgorithm::KasumiF9 => {
            vec![Stage::new(circuits(allowed, |unit| ops::kasumi(Feedback::Twice, unit)), |len| {
                (8 + len + 1).div_ceil(8) + 1
            })]
        }
        _ => return None,
    })
}

/// The length of the tag follows the message, three bytes; the key was absorbed before.
fn kmac(block_len: usize, allowed: Allowed) -> Stage {
    let kernels = circuits(allowed, |unit| ops::keccak(block_len, unit));
    Stage::new(kernels, move |len| (len + 3) / block_len + 1)
}

fn of_cipher(cipher: CipherAlgorithm, allowed: Allowed) -> Option<Vec<Stage>> {
    let blocks = |len: usize| len.div_ceil(16);
    let des = |ciphers, feedback| {
        let kernels = circuits(allowed, |unit| ops::des(ciphers, feedback, unit));
        vec![Stage::new(kernels, |len| len.div_ceil(8))]
    };
    Some(match cipher {
        CipherAlgorithm::AesCbc(size)
        | CipherAlgorithm::AesCfb(size)
        | CipherAlgorithm::AesOfb(size) => {
            vec![aes(size, Mode::Chained, allowed, blocks)]
        }
        CipherAlgorithm::AesCtr(size) | CipherAlgorithm::AesCtr32(size) => {
            vec![aes(size, Mode::Counter, allowed, blocks)]
        }
        CipherAlgorithm::AesEcb(size) => vec![aes(size, Mode::Ecb, allowed, blocks)],
        CipherAlgorithm::AesXts(size) => {
            let size = match size {
                XtsSize::Aes128 => AesSize::Aes128,
                XtsSize::Aes256 => AesSize::Aes256,
            };
            // The tweak is a block of its own.
            vec![aes(size, Mode::Tweaked, allowed, blocks), aes(size, Mode::Ecb, allowed, |_| 1)]
        }
        CipherAlgorithm::ChaCha20 => vec![chacha20(allowed, 0)],
        CipherAlgorithm::TripleDesCbc | CipherAlgorithm::TripleDesCtr => des(3, Feedback::Once),
        CipherAlgorithm::TripleDesEcb => des(3, Feedback::None),
        CipherAlgorithm::DesCbc | CipherAlgorithm::DesCtr => des(1, Feedback::Once),
        CipherAlgorithm::DesEcb => des(1, Feedback::None),
        // What the register starts with is a block; and each has two sums, one of them with the
        // text.
        CipherAlgorithm::KasumiF8 => {
            vec![Stage::new(circuits(allowed, |unit| ops::kasumi(Feedback::Twice, unit)), |len| {
                len.div_ceil(8) + 1
            })]
        }
        // Each byte of RC4 waits for loads and stores of the byte before, which are not counted.
        _ => return None,
    })
}

fn of_aead(aead: AeadAlgorithm, allowed: Allowed) -> Option<Vec<Stage>> {
    let associated = ASSOCIATED.div_ceil(16);
    Some(match aead {
        AeadAlgorithm::AesGcm(size) => {
            let lengths = 1;
            let tag = 1;
            vec![
                aes(size, Mode::Counter, allowed, move |len| len.div_ceil(16) + tag),
                ghash(allowed, associated + lengths),
            ]
        }
        AeadAlgorithm::AesCcm(size) => {
            let tag = 1;
            // A block of lengths and nonce; two bytes of length before the associated data.
            let before = 1 + (2 + ASSOCIATED).div_ceil(16);
            vec![
                aes(size, Mode::Counter, allowed, move |len| len.div_ceil(16) + tag),
                aes(size, Mode::Chained, allowed, move |len| before + len.div_ceil(16)),
            ]
        }
        AeadAlgorithm::ChaCha20Poly1305 | AeadAlgorithm::XChaCha20Poly1305 => {
            // The key that is derived costs as much as a block.
            let derived = usize::from(aead == AeadAlgorithm::XChaCha20Poly1305);
            let (key, lengths) = (1 + derived, 1);
            let lanes = allowed.vectors().map(ops::poly1305_in_lanes);
            let poly1305 = lanes.chain([ops::poly1305()]).collect();
            let poly1305 = Stage::new(poly1305, move |len| associated + len.div_ceil(16) + lengths);
            vec![chacha20(allowed, key), poly1305]
        }
        _ => return None,
    })
}

fn aes(
    size: AesSize,
    mode: Mode,
    allowed: Allowed,
    blocks: impl Fn(usize) -> usize + 'static,
) -> Stage {
    Stage::new(in_hardware(allowed, |unit| ops::aes(size, mode, unit)), blocks)
}

/// A chain of blocks, the last of which may be partial, and is there if the text is empty.
fn aes_mac(size: AesSize, allowed: Allowed) -> Stage {
    aes(size, Mode::Chained, allowed, |len| len.div_ceil(16).max(1))
}

fn ghash(allowed: Allowed, more: usize) -> Stage {
    Stage::new(in_hardware(allowed, ops::ghash), move |len| len.div_ceil(16) + more)
}

fn chacha20(allowed: Allowed, before: usize) -> Stage {
    let lanes = allowed.vectors().chain([Unit::Scalar]).map(ops::chacha20);
    Stage::new(lanes.collect(), move |len| before + len.div_ceil(64))
}

fn in_hardware(allowed: Allowed, kernel: impl Fn(Unit) -> KernelOps) -> Vec<KernelOps> {
    allowed.vectors().filter(|_| allowed.hardware).map(kernel).collect()
}

fn circuits(allowed: Allowed, kernel: impl Fn(Unit) -> KernelOps) -> Vec<KernelOps> {
    allowed.vectors().chain([Unit::Scalar]).map(kernel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: Allowed = Allowed { widest: Unit::Vec256, hardware: true };

    fn blocks(name: &str, len: usize) -> Vec<usize> {
        let stages = stages(name.parse().unwrap(), ALLOWED).unwrap();
        stages.iter().map(|stage| stage.blocks(len)).collect()
    }

    #[test]
    fn padding_and_what_surrounds_a_text_are_counted() {
        // HMAC pays for its outer hash.
        assert_eq!(blocks("hmac-sha1", 64), [3]);
        assert_eq!(blocks("hmac-sha1", 55), [2]);
        assert_eq!(blocks("hmac-sha512", 111), [2]);
        assert_eq!([blocks("sha3-256", 135), blocks("sha3-256", 136)], [[1], [2]]);
        assert_eq!(blocks("hmac-sha3-512", 72), [3]);
        assert_eq!([blocks("kmac128", 164), blocks("kmac128", 165)], [[1], [2]]);
        assert_eq!(blocks("aes-128-cbc", 48), [3]);
        assert_eq!(blocks("aes-128-ctr", 49), [4]);
        assert_eq!(blocks("aes-128-xts", 64), [4, 1]);
        assert_eq!(blocks("aes-128-cmac", 0), [1]);
        assert_eq!(blocks("aes-128-xcbc", 64), [4]);
        assert_eq!(blocks("aes-128-gmac", 64), [5, 1]);
        // 16 bytes of associated data, the lengths, the block for the tag.
        assert_eq!(blocks("aes-128-gcm", 64), [5, 6]);
        // The first block, and two of associated data.
        assert_eq!(blocks("aes-128-ccm", 64), [5, 7]);
        assert_eq!(blocks("chacha20", 65), [2]);
        assert_eq!(blocks("chacha20-poly1305", 64), [2, 6]);
        assert_eq!(blocks("xchacha20-poly1305", 64), [3, 6]);
        assert_eq!(blocks("aes-128-ofb", 49), [4]);
        assert_eq!(blocks("3des-cbc", 64), [8]);
        assert_eq!(blocks("kasumi-f8", 60), [9]);
        assert_eq!(blocks("kasumi-f9", 63), [10]);
    }

    #[test]
    fn everything_simple_is_counted_but_rc4() {
        for algorithm in Algorithm::simple() {
            let counted = stages(algorithm, ALLOWED);
            let rc4 = algorithm == Algorithm::Cipher(CipherAlgorithm::Rc4);
            assert_eq!(counted.is_none(), rc4, "{algorithm}");
            for stage in counted.unwrap_or_default() {
                assert!(!stage.kernels.is_empty(), "{algorithm}");
            }
        }
    }

    #[test]
    fn without_its_instructions_aes_has_no_kernel_and_circuits_have() {
        let portable = Allowed { widest: Unit::Vec128, hardware: false };
        let kernels = |name: &str| {
            let stages = stages(name.parse().unwrap(), portable).unwrap();
            stages.iter().map(|stage| stage.kernels.len()).collect::<Vec<_>>()
        };
        assert_eq!(kernels("aes-128-gcm"), [0, 0]);
        assert_eq!(kernels("kasumi-f8"), [2]);
        assert_eq!(kernels("chacha20-poly1305"), [2, 2]);
    }
}
