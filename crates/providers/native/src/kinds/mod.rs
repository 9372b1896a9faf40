//! The kinds of sessions, a file for each family; their classes; and which algorithm is of which kind.

mod aes;
mod cbc_mac;
mod ccm;
mod chacha;
mod chain;
mod des;
mod gcm;
mod hash;
mod kasumi;
#[cfg(feature = "legacy")]
mod rc4;

use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, HashAlgorithm, MacAlgorithm, Transform,
};
use broadloom_lanes::{CbcLanes, Cpu, CtrLanes, Md5, Sha1, Sha224, Sha256, Sha384, Sha512};

use crate::kind::{Class, Opened, Work};

/// The classes of the hashes and their HMACs are their places in [`HashAlgorithm::ALL`]; the others follow.
const HASHES: u8 = HashAlgorithm::ALL.len() as u8;
const CBC: u8 = HASHES;
const CTR: u8 = HASHES + 1;
const CFB: u8 = HASHES + 2;
const ECB: u8 = HASHES + 3;
const XTS: u8 = HASHES + 4;
const GCM: u8 = HASHES + 5;
const CCM: u8 = HASHES + 6;
const CMAC: u8 = HASHES + 7;
const XCBC: u8 = HASHES + 8;
const CHACHA: u8 = HASHES + 9;
const CHACHA_POLY: u8 = HASHES + 10;
const DES: u8 = HASHES + 11;
const F8: u8 = HASHES + 12;
const F9: u8 = HASHES + 13;
/// With SHA-1, and then with SHA-256.
const CHAIN_CBC: u8 = HASHES + 14;
const CHAIN_CBC_SHA256: u8 = CHAIN_CBC + 1;
const CHAIN_CTR: u8 = HASHES + 16;
const CHAIN_CTR_SHA256: u8 = CHAIN_CTR + 1;
const OFB: u8 = HASHES + 18;
const XCHACHA_POLY: u8 = HASHES + 19;
const RC4: u8 = HASHES + 20;

/// How many classes there are.
pub(crate) const CLASSES: usize = RC4 as usize + 1;

/// What opens the sessions of an algorithm; `None` if there is no kernel for it.
pub(crate) fn opener(algorithm: Algorithm) -> Option<fn(&Transform, &Cpu) -> Opened> {
    Some(match algorithm {
        Algorithm::Hash(hash) | Algorithm::Mac(MacAlgorithm::Hmac(hash)) => match hash {
            HashAlgorithm::Md5 => hash::open::<Md5>,
            HashAlgorithm::Sha1 => hash::open::<Sha1>,
            HashAlgorithm::Sha224 => hash::open::<Sha224>,
            HashAlgorithm::Sha256 => hash::open::<Sha256>,
            HashAlgorithm::Sha384 => hash::open::<Sha384>,
            HashAlgorithm::Sha512 => hash::open::<Sha512>,
        },
        Algorithm::Mac(MacAlgorithm::AesCmac(_)) => cbc_mac::open_cmac,
        Algorithm::Mac(MacAlgorithm::AesXcbc) => cbc_mac::open_xcbc,
        Algorithm::Mac(MacAlgorithm::KasumiF9) => kasumi::open_f9,
        Algorithm::Aead(AeadAlgorithm::AesGcm(_)) | Algorithm::Mac(MacAlgorithm::AesGmac(_)) => {
            gcm::open
        }
        Algorithm::Aead(AeadAlgorithm::AesCcm(_)) => ccm::open,
        Algorithm::Aead(AeadAlgorithm::ChaCha20Poly1305) => chacha::open_aead,
        Algorithm::Aead(AeadAlgorithm::XChaCha20Poly1305) => chacha::open_extended_aead,
        Algorithm::Cipher(cipher) => match cipher {
            CipherAlgorithm::AesCbc(_) => aes::open_cbc,
            CipherAlgorithm::AesCtr(_) | CipherAlgorithm::AesCtr32(_) => aes::open_ctr,
            CipherAlgorithm::AesCfb(_) => aes::open_cfb,
            CipherAlgorithm::AesOfb(_) => aes::open_ofb,
            CipherAlgorithm::AesEcb(_) => aes::open_ecb,
            CipherAlgorithm::AesXts(_) => aes::open_xts,
            CipherAlgorithm::ChaCha20 => chacha::open_cipher,
            CipherAlgorithm::TripleDesCbc
            | CipherAlgorithm::TripleDesCtr
            | CipherAlgorithm::TripleDesEcb
            | CipherAlgorithm::DesCbc
            | CipherAlgorithm::DesCtr
            | CipherAlgorithm::DesEcb => des::open,
            CipherAlgorithm::KasumiF8 => kasumi::open_f8,
            #[cfg(feature = "legacy")]
            CipherAlgorithm::Rc4 => rc4::open,
            #[cfg(not(feature = "legacy"))]
            CipherAlgorithm::Rc4 => return None,
        },
        Algorithm::Chain(cipher, mac, _) => return chain::opener(cipher, mac),
        Algorithm::Compression(_) => return None,
    })
}

/// What does the work of a class.
pub(crate) fn class(class: u8, cpu: &Cpu) -> Box<dyn Class> {
    match class {
        0 => Work::<hash::Keyed<Md5>>::class(cpu),
        1 => Work::<hash::Keyed<Sha1>>::class(cpu),
        2 => Work::<hash::Keyed<Sha224>>::class(cpu),
        3 => Work::<hash::Keyed<Sha256>>::class(cpu),
        4 => Work::<hash::Keyed<Sha384>>::class(cpu),
        5 => Work::<hash::Keyed<Sha512>>::class(cpu),
        CBC => Work::<aes::Cbc>::class(cpu),
        CTR => Work::<aes::Ctr>::class(cpu),
        CFB => Work::<aes::Cfb>::class(cpu),
        OFB => Work::<aes::Ofb>::class(cpu),
        ECB => Work::<aes::Ecb>::class(cpu),
        XTS => Work::<aes::Xts>::class(cpu),
        GCM => Work::<gcm::Gcm>::class(cpu),
        CCM => Work::<ccm::Ccm>::class(cpu),
        CMAC => Work::<cbc_mac::Cmac>::class(cpu),
        XCBC => Work::<cbc_mac::Xcbc>::class(cpu),
        CHACHA => Work::<chacha::ChaCha>::class(cpu),
        CHACHA_POLY => Work::<chacha::ChaChaPoly>::class(cpu),
        XCHACHA_POLY => Work::<chacha::XChaChaPoly>::class(cpu),
        DES => Work::<des::Des>::class(cpu),
        F8 => Work::<kasumi::F8>::class(cpu),
        F9 => Work::<kasumi::F9>::class(cpu),
        #[cfg(feature = "legacy")]
        RC4 => Work::<rc4::Rc4>::class(cpu),
        CHAIN_CBC => Work::<chain::Chain<CbcLanes, Sha1>>::class(cpu),
        CHAIN_CBC_SHA256 => Work::<chain::Chain<CbcLanes, Sha256>>::class(cpu),
        CHAIN_CTR => Work::<chain::Chain<CtrLanes, Sha1>>::class(cpu),
        CHAIN_CTR_SHA256 => Work::<chain::Chain<CtrLanes, Sha256>>::class(cpu),
        _ => unreachable!("no session has the class {class}"),
    }
}
