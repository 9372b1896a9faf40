//! The kinds of sessions, a file for each family; their classes; and which algorithm is of which
//! kind.

mod aes;
mod cbc_mac;
mod ccm;
mod chacha;
mod chain;
mod des;
mod gcm;
mod hash;
mod kasumi;
mod rc4;
mod sponge;

use broadloom_engine::{Algorithm, Family, PublicKeyAlgorithm, Transform};
use broadloom_lanes::{CbcLanes, Cpu, CtrLanes, Md5, Sha1, Sha224, Sha256, Sha384, Sha512};

use crate::curves::{self, Curves};
use crate::ec::{self, Ec};
use crate::kind::{Class, Opened, Work};
use crate::rsa::{self, Rsa};
use crate::slh_dsa::{self, SlhDsa};

/// What opens the sessions of an algorithm.
pub(crate) type Opener = fn(&Transform, &Cpu) -> Opened;

/// What opens the sessions of an algorithm; `None` if there is no kernel for it.
pub(crate) fn opener(algorithm: Algorithm) -> Option<Opener> {
    if let Algorithm::Chain(cipher, mac, _) = algorithm {
        return chain::opener(cipher, mac);
    }
    match algorithm.family() {
        Family::MerkleDamgard => hash::opener(algorithm),
        Family::Sponge => sponge::opener(algorithm),
        Family::Aes => aes::opener(algorithm),
        Family::ChaCha => chacha::opener(algorithm),
        Family::Des => Some(des::open),
        Family::Kasumi => kasumi::opener(algorithm),
        Family::PublicKey
            if matches!(algorithm, Algorithm::PublicKey(PublicKeyAlgorithm::Rsa(_))) =>
        {
            Some(rsa::open)
        }
        Family::PublicKey
            if matches!(
                algorithm,
                Algorithm::PublicKey(PublicKeyAlgorithm::X25519 | PublicKeyAlgorithm::Ed25519)
            ) =>
        {
            Some(curves::open)
        }
        Family::PublicKey
            if matches!(
                algorithm,
                Algorithm::PublicKey(PublicKeyAlgorithm::Ecdsa(_) | PublicKeyAlgorithm::Ecdh(_))
            ) =>
        {
            Some(ec::open)
        }
        Family::PublicKey
            if matches!(algorithm, Algorithm::PublicKey(PublicKeyAlgorithm::SlhDsa(_))) =>
        {
            Some(slh_dsa::open)
        }
        Family::Rc4 => Some(rc4::open),
        _ => None,
    }
}

/// A kind that has a number: operations whose kinds have the same number go through the same lanes.
pub(crate) trait Numbered {
    const CLASS: u8;
}

/// Numbers the kinds: the class of each is its place in this list.
macro_rules! classes {
    ($($place:ident: $kind:ty $(, made by $maker:path)?;)+) => {
        enum Place {
            $( $place, )+
        }

        $(
            impl Numbered for $kind {
                const CLASS: u8 = Place::$place as u8;
            }
        )+

        /// What makes the lanes of each class.
        const MAKERS: &[fn(&Cpu) -> Box<dyn Class>] = &[
            $( classes!(@maker $kind $(, $maker)?), )+
        ];
    };
    (@maker $kind:ty) => { Work::<$kind>::class };
    (@maker $kind:ty, $maker:path) => { $maker };
}

classes! {
    Md5: hash::Keyed<Md5>;
    Sha1: hash::Keyed<Sha1>;
    Sha224: hash::Keyed<Sha224>;
    Sha256: hash::Keyed<Sha256>;
    Sha384: hash::Keyed<Sha384>;
    Sha512: hash::Keyed<Sha512>;
    Sponge: sponge::AnySponge;
    Cbc: aes::Cbc;
    Ctr: aes::Ctr;
    Cfb: aes::Cfb;
    Ofb: aes::Ofb;
    Ecb: aes::Ecb;
    Xts: aes::Xts;
    Gcm: gcm::Gcm;
    Ccm: ccm::Ccm;
    Cmac: cbc_mac::Cmac;
    Xcbc: cbc_mac::Xcbc;
    ChaCha: chacha::ChaCha;
    ChaChaPoly: chacha::ChaChaPoly;
    XChaChaPoly: chacha::XChaChaPoly;
    Des: des::Des;
    F8: kasumi::F8;
    F9: kasumi::F9;
    CbcSha1: chain::Chain<CbcLanes, Sha1>;
    CbcSha256: chain::Chain<CbcLanes, Sha256>;
    CtrSha1: chain::Chain<CtrLanes, Sha1>;
    CtrSha256: chain::Chain<CtrLanes, Sha256>;
    Rsa: Rsa, made by Rsa::class;
    Curves: Curves, made by Curves::class;
    Ec: Ec, made by Ec::class;
    SlhDsa: SlhDsa, made by SlhDsa::class;
    Rc4: rc4::Rc4;
}

/// How many classes there are.
pub(crate) const CLASSES: usize = MAKERS.len();

/// What does the work of a class.
pub(crate) fn class(class: u8, cpu: &Cpu) -> Box<dyn Class> {
    MAKERS[usize::from(class)](cpu)
}
