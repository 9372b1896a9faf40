//! The test vectors of project Wycheproof, as claims about messages: that they are right, or that something
//! about them is wrong.

use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, ChainOrder, CipherAlgorithm, HashAlgorithm, MacAlgorithm, XtsSize,
};
use wycheproof::{TestResult, aead, cipher, mac, mac_with_nonce};

use crate::case::Layout;

/// What a vector says of a message.
pub(crate) struct Claim {
    /// Which vector it is.
    pub name: String,
    pub algorithm: Algorithm,
    pub key: Vec<u8>,
    pub mac_key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub associated: Vec<u8>,
    pub layout: Layout,
    /// The buffer before it was authenticated or encrypted.
    pub before: Vec<u8>,
    /// The buffer afterwards.
    pub after: Vec<u8>,
    pub tag: Vec<u8>,
    /// Bytes that the tag should have.
    pub tag_len: usize,
    pub result: TestResult,
}

/// All of them about algorithms that there are.
///
/// # Panics
/// If the vectors cannot be read.
pub(crate) fn claims() -> Vec<Claim> {
    let mut claims = Vec::new();
    for name in [aead::TestName::AesGcm, aead::TestName::AesCcm, aead::TestName::ChaCha20Poly1305] {
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
    ];
    for (name, hash) in hmacs {
        claims.extend(of_mac(name, |_| MacAlgorithm::Hmac(hash)));
    }
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

fn of_aead(name: aead::TestName) -> Vec<Claim> {
    let set = aead::TestSet::load(name).expect("the vectors are there");
    let groups = set.test_groups.into_iter();
    let tests = groups.flat_map(|group| group.tests.into_iter().map(move |test| (group.tag_size, test)));
    let claims = tests.filter_map(|(tag_bits, test)| {
        let size = aes_size(&test.key);
        let algorithm = match name {
            aead::TestName::AesGcm => AeadAlgorithm::AesGcm(size?),
            aead::TestName::AesCcm => AeadAlgorithm::AesCcm(size?),
            _ => AeadAlgorithm::ChaCha20Poly1305,
        };
        Some(Claim {
            name: format!("{name:?} {}: {}", test.tc_id, test.comment),
            algorithm: Algorithm::Aead(algorithm),
            key: test.key.to_vec(),
            mac_key: Vec::new(),
            nonce: test.nonce.to_vec(),
            associated: test.aad.to_vec(),
            layout: Layout::default(),
            before: test.pt.to_vec(),
            after: test.ct.to_vec(),
            tag: test.tag.to_vec(),
            tag_len: tag_bits / 8,
            result: test.result,
        })
    });
    claims.collect()
}

/// AEADs made of CBC and HMAC (RFC 7518, 5.2.2.1): the MAC covers associated data, IV, ciphertext, and the
/// number of bits of the first.
fn of_chain(name: aead::TestName, hash: HashAlgorithm) -> Vec<Claim> {
    let set = aead::TestSet::load(name).expect("the vectors are there");
    let groups = set.test_groups.into_iter();
    let tests = groups.flat_map(|group| group.tests.into_iter().map(move |test| (group.tag_size, test)));
    let claims = tests.filter_map(|(tag_bits, test)| {
        let (mac_key, key) = test.key.split_at(test.key.len() / 2);
        let cipher = CipherAlgorithm::AesCbc(aes_size(key)?);
        let head = [test.aad.as_slice(), test.nonce.as_slice()].concat();
        let bits = (test.aad.len() as u64 * 8).to_be_bytes();
        let buffer = |text: &[u8]| [&head, text, &bits].concat();
        let text = padded(&test.pt);
        let covered = head.len()..head.len() + test.ct.len();
        // What is no encryption of these plaintexts has nothing to be compared with.
        let before = if text.len() == test.ct.len() { buffer(&text) } else { buffer(&test.ct) };
        Some(Claim {
            name: format!("{name:?} {}: {}", test.tc_id, test.comment),
            algorithm: Algorithm::Chain(cipher, MacAlgorithm::Hmac(hash), ChainOrder::CipherThenMac),
            key: key.to_vec(),
            mac_key: mac_key.to_vec(),
            nonce: test.nonce.to_vec(),
            associated: Vec::new(),
            layout: Layout { cipher: Some(covered), mac: None, tag_at: None },
            before,
            after: buffer(&test.ct),
            tag: test.tag.to_vec(),
            tag_len: tag_bits / 8,
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

fn of_mac(name: mac::TestName, algorithm: impl Fn(&[u8]) -> MacAlgorithm) -> Vec<Claim> {
    let set = mac::TestSet::load(name).expect("the vectors are there");
    let groups = set.test_groups.iter();
    let tests = groups.flat_map(|group| group.tests.iter().map(|test| (group.tag_size, test)));
    let claims = tests.map(|(tag_bits, test)| Claim {
        name: format!("{name:?} {}: {}", test.tc_id, test.comment),
        algorithm: Algorithm::Mac(algorithm(&test.key)),
        key: test.key.to_vec(),
        mac_key: Vec::new(),
        nonce: Vec::new(),
        associated: Vec::new(),
        layout: Layout::default(),
        before: test.msg.to_vec(),
        after: test.msg.to_vec(),
        tag: test.tag.to_vec(),
        tag_len: tag_bits / 8,
        result: test.result,
    });
    claims.collect()
}

fn of_gmac() -> Vec<Claim> {
    let set = mac_with_nonce::TestSet::load(mac_with_nonce::TestName::Gmac);
    let set = set.expect("the vectors are there");
    let groups = set.test_groups.iter();
    let tests = groups.flat_map(|group| group.tests.iter().map(|test| (group.tag_size, test)));
    let claims = tests.filter_map(|(tag_bits, test)| {
        Some(Claim {
            name: format!("GMAC {}: {}", test.tc_id, test.comment),
            algorithm: Algorithm::Mac(MacAlgorithm::AesGmac(aes_size(&test.key)?)),
            key: test.key.to_vec(),
            mac_key: Vec::new(),
            nonce: test.nonce.to_vec(),
            associated: Vec::new(),
            layout: Layout::default(),
            before: test.msg.to_vec(),
            after: test.msg.to_vec(),
            tag: test.tag.to_vec(),
            tag_len: tag_bits / 8,
            result: test.result,
        })
    });
    claims.collect()
}

/// XTS, and CBC with its padding made here. A padding that is wrong is none of a cipher's business.
fn of_cipher(name: cipher::TestName) -> Vec<Claim> {
    let set = cipher::TestSet::load(name).expect("the vectors are there");
    let tests = set.test_groups.iter().flat_map(|group| &group.tests);
    let claims = tests.filter_map(|test| {
        let (algorithm, before) = match name {
            cipher::TestName::AesXts => {
                let size = XtsSize::ALL.into_iter().find(|size| size.key_len() == test.key.len())?;
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
        Some(Claim {
            name: format!("{name:?} {}: {}", test.tc_id, test.comment),
            algorithm: Algorithm::Cipher(algorithm),
            key: test.key.to_vec(),
            mac_key: Vec::new(),
            nonce,
            associated: Vec::new(),
            layout: Layout::default(),
            before,
            after: test.ct.to_vec(),
            tag: Vec::new(),
            tag_len: 0,
            result: test.result,
        })
    });
    claims.collect()
}
