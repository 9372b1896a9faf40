//! The test vectors of project Wycheproof, as claims about messages.

use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, ChainOrder, CipherAlgorithm, HashAlgorithm, MacAlgorithm,
    XtsSize,
};
use wycheproof::{aead, cipher, mac, mac_with_nonce};

use crate::case::{Case, Layout};
use crate::claim::Claim;
use crate::keyed::Keyed;

/// All of them about algorithms that there are.
///
/// # Panics
/// If the vectors cannot be read.
pub(crate) fn claims() -> Vec<Claim> {
    let mut claims = Vec::new();
    for name in [
        aead::TestName::AesGcm,
        aead::TestName::AesCcm,
        aead::TestName::ChaCha20Poly1305,
        aead::TestName::XChaCha20Poly1305,
    ] {
        claims.extend(of_aead(name));
    }
    let chains = [
        (aead::TestName::Aes128CbcHmacSha256, HashAlgorithm::Sha256),
        (aead::TestName::Aes192CbcHmacSha384, HashAlgorithm::Sha384),
        (aead::TestName::Aes256CbcHmacSha512, HashAlgorithm::Sha512),
    ];
    claims.extend(chains.into_iter().flat_map(|(name, hash)| of_chain(name, hash)));
    let hmacs = [
        (mac::TestName::HmacSha1, HashAlgorithm::Sha1),
        (mac::TestName::HmacSha224, HashAlgorithm::Sha224),
        (mac::TestName::HmacSha256, HashAlgorithm::Sha256),
        (mac::TestName::HmacSha384, HashAlgorithm::Sha384),
        (mac::TestName::HmacSha512, HashAlgorithm::Sha512),
        (mac::TestName::HmacSha3_224, HashAlgorithm::Sha3_224),
        (mac::TestName::HmacSha3_256, HashAlgorithm::Sha3_256),
        (mac::TestName::HmacSha3_384, HashAlgorithm::Sha3_384),
        (mac::TestName::HmacSha3_512, HashAlgorithm::Sha3_512),
    ];
    for (name, hash) in hmacs {
        claims.extend(of_mac(name, |_| MacAlgorithm::Hmac(hash)));
    }
    claims.extend(of_mac(mac::TestName::Kmac128, |_| MacAlgorithm::Kmac128));
    claims.extend(of_mac(mac::TestName::Kmac256, |_| MacAlgorithm::Kmac256));
    // Keys that are too short or too long are for whatever is near, and have to be refused.
    claims.extend(of_mac(mac::TestName::AesCmac, |key| {
        MacAlgorithm::AesCmac(aes_size(key).unwrap_or(AesSize::Aes128))
    }));
    claims.extend(of_gmac());
    claims.extend(of_cipher(cipher::TestName::AesXts));
    claims.extend(of_cipher(cipher::TestName::AesCbcPkcs5));
    claims
}

fn aes_size(key: &[u8]) -> Option<AesSize> {
    AesSize::ALL.into_iter().find(|size| size.key_len() == key.len())
}

/// The tests of all groups, each with the bytes that its group's tags should have.
fn in_groups<G, T>(
    groups: Vec<G>,
    parts: fn(G) -> (usize, Vec<T>),
) -> impl Iterator<Item = (usize, T)> {
    groups
        .into_iter()
        .map(parts)
        .flat_map(|(tag_bits, tests)| tests.into_iter().map(move |test| (tag_bits / 8, test)))
}

fn of_aead(name: aead::TestName) -> Vec<Claim> {
    let set = aead::TestSet::load(name).expect("the vectors are there");
    let tests = in_groups(set.test_groups, |group| (group.tag_size, group.tests));
    let claims = tests.filter_map(|(tag_len, test)| {
        let size = aes_size(&test.key);
        let algorithm = match name {
            aead::TestName::XChaCha20Poly1305 => AeadAlgorithm::XChaCha20Poly1305,
            aead::TestName::AesGcm => AeadAlgorithm::AesGcm(size?),
            aead::TestName::AesCcm => AeadAlgorithm::AesCcm(size?),
            _ => AeadAlgorithm::ChaCha20Poly1305,
        };
        let keyed = Keyed::new(Algorithm::Aead(algorithm), test.key.to_vec(), Vec::new());
        let (before, after) = (test.pt.to_vec(), test.ct.to_vec());
        let given = Case::given(keyed.with_tag_len(tag_len), before, after, test.tag.to_vec());
        Some(Claim {
            name: format!("{name:?} {}: {}", test.tc_id, test.comment),
            case: Case { nonce: test.nonce.to_vec(), associated: test.aad.to_vec(), ..given },
            result: test.result,
        })
    });
    claims.collect()
}

/// AEADs made of CBC and HMAC (RFC 7518, 5.2.2.1): the MAC covers associated data, IV, ciphertext,
/// and the number of bits of the first.
fn of_chain(name: aead::TestName, hash: HashAlgorithm) -> Vec<Claim> {
    let set = aead::TestSet::load(name).expect("the vectors are there");
    let tests = in_groups(set.test_groups, |group| (group.tag_size, group.tests));
    let claims = tests.filter_map(|(tag_len, test)| {
        let (mac_key, key) = test.key.split_at(test.key.len() / 2);
        let cipher = CipherAlgorithm::AesCbc(aes_size(key)?);
        let algorithm =
            Algorithm::Chain(cipher, MacAlgorithm::Hmac(hash), ChainOrder::CipherThenMac);
        let keyed = Keyed::new(algorithm, key.to_vec(), mac_key.to_vec()).with_tag_len(tag_len);
        let head = [test.aad.as_slice(), test.nonce.as_slice()].concat();
        let bits = (test.aad.len() as u64 * 8).to_be_bytes();
        let buffer = |text: &[u8]| [&head, text, &bits].concat();
        let text = padded(&test.pt);
        let covered = head.len()..head.len() + test.ct.len();
        // A ciphertext that is not of these plaintexts has no expected result.
        let before = if text.len() == test.ct.len() { buffer(&text) } else { buffer(&test.ct) };
        let given = Case::given(keyed, before, buffer(&test.ct), test.tag.to_vec());
        let layout = Layout { cipher: Some(covered), ..Layout::default() };
        Some(Claim {
            name: format!("{name:?} {}: {}", test.tc_id, test.comment),
            case: Case { nonce: test.nonce.to_vec(), layout, ..given },
            result: test.result,
        })
    });
    claims.collect()
}

/// PKCS #7: so many bytes, each with that value, that there are whole blocks.
fn padded(text: &[u8]) -> Vec<u8> {
    let more = 16 - text.len() % 16;
    [text, &vec![more as u8; more]].concat()
}

/// A message that gets a tag.
fn authenticated(mac: MacAlgorithm, key: &[u8], tag_len: usize, text: &[u8], tag: &[u8]) -> Case {
    let keyed = Keyed::new(Algorithm::Mac(mac), key.to_vec(), Vec::new()).with_tag_len(tag_len);
    Case::given(keyed, text.to_vec(), text.to_vec(), tag.to_vec())
}

fn of_mac(name: mac::TestName, algorithm: impl Fn(&[u8]) -> MacAlgorithm) -> Vec<Claim> {
    let set = mac::TestSet::load(name).expect("the vectors are there");
    let tests = in_groups(set.test_groups, |group| (group.tag_size, group.tests));
    let claims = tests.map(|(tag_len, test)| Claim {
        name: format!("{name:?} {}: {}", test.tc_id, test.comment),
        case: authenticated(algorithm(&test.key), &test.key, tag_len, &test.msg, &test.tag),
        result: test.result,
    });
    claims.collect()
}

fn of_gmac() -> Vec<Claim> {
    let set = mac_with_nonce::TestSet::load(mac_with_nonce::TestName::Gmac);
    let set = set.expect("the vectors are there");
    let tests = in_groups(set.test_groups, |group| (group.tag_size, group.tests));
    let claims = tests.filter_map(|(tag_len, test)| {
        let mac = MacAlgorithm::AesGmac(aes_size(&test.key)?);
        let case = authenticated(mac, &test.key, tag_len, &test.msg, &test.tag);
        Some(Claim {
            name: format!("GMAC {}: {}", test.tc_id, test.comment),
            case: Case { nonce: test.nonce.to_vec(), ..case },
            result: test.result,
        })
    });
    claims.collect()
}

/// XTS, and CBC with its padding made here. A padding that is wrong is none of a cipher's business.
fn of_cipher(name: cipher::TestName) -> Vec<Claim> {
    let set = cipher::TestSet::load(name).expect("the vectors are there");
    let tests = in_groups(set.test_groups, |group| (0, group.tests));
    let claims = tests.filter_map(|(_, test)| {
        let (algorithm, before) = match name {
            cipher::TestName::AesXts => {
                let size =
                    XtsSize::ALL.into_iter().find(|size| size.key_len() == test.key.len())?;
                (CipherAlgorithm::AesXts(size), test.pt.to_vec())
            }
            _ => (CipherAlgorithm::AesCbc(aes_size(&test.key)?), padded(&test.pt)),
        };
        if test.result.must_fail() && test.ct.len().is_multiple_of(algorithm.granularity()) {
            return None;
        }
        // A tweak is given without the zeros at its end.
        let mut nonce = test.nonce.to_vec();
        nonce.resize(16, 0);
        let keyed = Keyed::new(Algorithm::Cipher(algorithm), test.key.to_vec(), Vec::new());
        let given = Case::given(keyed, before, test.ct.to_vec(), Vec::new());
        Some(Claim {
            name: format!("{name:?} {}: {}", test.tc_id, test.comment),
            case: Case { nonce, ..given },
            result: test.result,
        })
    });
    claims.collect()
}
