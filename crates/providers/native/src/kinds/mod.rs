//! The kinds of sessions, a file for each family; their classes; and which algorithm is of which
//! kind.

mod aes;
mod blake3;
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

use broadloom_engine::provider::Operation;
use broadloom_engine::{Algorithm, Family, PublicKeyAlgorithm, Transform};
use broadloom_lanes::{CbcLanes, Cpu, CtrLanes, Sha1, Sha256, for_each_hash};

use crate::curves::{self, Curves};
use crate::ec::{self, Ec};
use crate::hybrid::{self, Hybrid};
use crate::kind::{Class, KindLanes, Opened};
use crate::ml_dsa::{self, MlDsa};
use crate::ml_kem::{self, MlKem};
use crate::rsa::{self, Rsa};
use crate::slh_dsa::{self, SlhDsa};

/// What opens the sessions of an algorithm.
pub(crate) type Opener = fn(&Transform, &Cpu) -> Opened;

/// Returns the function that opens the sessions of an algorithm, or `None` if there is no kernel
/// for it.
pub(crate) fn opener(algorithm: Algorithm) -> Option<Opener> {
    if let Algorithm::Chain(cipher, mac, _) = algorithm {
        return chain::opener(cipher, mac);
    }
    match algorithm.family() {
        Family::MerkleDamgard => hash::opener(algorithm),
        Family::Sponge => sponge::opener(algorithm),
        Family::Blake3 => blake3::opener(algorithm),
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
        Family::PublicKey
            if matches!(algorithm, Algorithm::PublicKey(PublicKeyAlgorithm::MlDsa(_))) =>
        {
            Some(ml_dsa::open)
        }
        Family::PublicKey
            if matches!(algorithm, Algorithm::PublicKey(PublicKeyAlgorithm::MlKem(_))) =>
        {
            Some(ml_kem::open)
        }
        Family::PublicKey
            if matches!(algorithm, Algorithm::PublicKey(PublicKeyAlgorithm::Hybrid(_))) =>
        {
            Some(hybrid::open)
        }
        Family::Rc4 => Some(rc4::open),
        _ => None,
    }
}

/// A kind that has a number: operations whose kinds have the same number go through the same lanes.
pub(crate) trait Numbered {
    const CLASS: u8;
}

/// Returns the operations of a kind among those of all kinds.
pub(crate) fn own<'s, 'o, 'a, K: Numbered>(
    operations: &'s mut [&'o mut Operation<'a>],
) -> impl Iterator<Item = &'s mut Operation<'a>> + use<'s, 'o, 'a, K> {
    let own = |operation: &&'s mut &'o mut Operation<'a>| operation.class() == K::CLASS;
    operations.iter_mut().filter(own).map(|operation| &mut **operation)
}

/// Numbers the kinds: the class of each is its place in this list, behind which the hashes come.
macro_rules! classes {
    (
        [$($place:ident: $kind:ty $(, made by $maker:path)?;)+]
        $($hash:ident),+
    ) => {
        enum Place {
            $( $place, )+
            $( $hash, )+
        }

        $(
            impl Numbered for $kind {
                const CLASS: u8 = Place::$place as u8;
            }
        )+

        $(
            impl Numbered for hash::Keyed<broadloom_lanes::$hash> {
                const CLASS: u8 = Place::$hash as u8;
            }
        )+

        /// What makes the lanes of each class.
        const MAKERS: &[fn(&Cpu) -> Box<dyn Class>] = &[
            $( classes!(@maker $kind $(, $maker)?), )+
            $( KindLanes::<hash::Keyed<broadloom_lanes::$hash>>::class, )+
        ];
    };
    (@maker $kind:ty) => { KindLanes::<$kind>::class };
    (@maker $kind:ty, $maker:path) => { $maker };
}

for_each_hash!(classes!([
    Sponge: sponge::AnySponge;
    Blake3: blake3::Blake3;
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
    MlDsa: MlDsa, made by MlDsa::class;
    MlKem: MlKem, made by MlKem::class;
    Hybrid: Hybrid, made by Hybrid::class;
    Rc4: rc4::Rc4;
]
));

/// How many classes there are.
pub(crate) const CLASSES: usize = MAKERS.len();

/// Makes what does the work of a class.
pub(crate) fn class(class: u8, cpu: &Cpu) -> Box<dyn Class> {
    MAKERS[usize::from(class)](cpu)
}
