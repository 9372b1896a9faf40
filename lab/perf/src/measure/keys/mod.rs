//! Key pairs for measuring, the same in every run. They protect nothing: anybody can read the
//! private keys here.

use broadloom_engine::{
    Curve, PrivateKey, PublicKey, PublicKeyAlgorithm, RsaSize, SlhDsaPrivateKey, SlhDsaSet,
};
use broadloom_lanes::{Cpu, Loan, Planner};

/// The key pair of an algorithm, which `openssl genpkey` made, or for SLH-DSA this program. Of
/// X25519 it is the private key alone, as any 32 bytes are a public key.
pub fn pair(algorithm: PublicKeyAlgorithm) -> Option<(PrivateKey, Option<PublicKey>)> {
    if let PublicKeyAlgorithm::SlhDsa(set) = algorithm {
        let private = slh_dsa(set);
        let public = private.public();
        return Some((PrivateKey::SlhDsa(private), Some(PublicKey::SlhDsa(public))));
    }
    macro_rules! texts {
        ($name:literal) => {
            (include_str!(concat!($name, ".pem")), Some(include_str!(concat!($name, ".pub.pem"))))
        };
    }
    let (private, public) = match algorithm {
        PublicKeyAlgorithm::Rsa(RsaSize::Rsa1024) => texts!("rsa-1024"),
        PublicKeyAlgorithm::Rsa(RsaSize::Rsa2048) => texts!("rsa-2048"),
        PublicKeyAlgorithm::Rsa(RsaSize::Rsa3072) => texts!("rsa-3072"),
        PublicKeyAlgorithm::Rsa(RsaSize::Rsa4096) => texts!("rsa-4096"),
        PublicKeyAlgorithm::Ecdsa(Curve::P256) | PublicKeyAlgorithm::Ecdh(Curve::P256) => {
            texts!("p256")
        }
        PublicKeyAlgorithm::Ecdsa(Curve::K283) | PublicKeyAlgorithm::Ecdh(Curve::K283) => {
            texts!("k283")
        }
        PublicKeyAlgorithm::Ecdsa(Curve::B283) | PublicKeyAlgorithm::Ecdh(Curve::B283) => {
            texts!("b283")
        }
        PublicKeyAlgorithm::Ed25519 => texts!("ed25519"),
        PublicKeyAlgorithm::X25519 => (include_str!("x25519.pem"), None),
        _ => return None,
    };
    let private = PrivateKey::from_pem(private).expect("OpenSSL made it");
    let public = public.map(|public| PublicKey::from_pem(public).expect("OpenSSL made it"));
    Some((private, public))
}

/// A key of SLH-DSA, whose seeds are anybody's.
fn slh_dsa(set: SlhDsaSet) -> SlhDsaPrivateKey {
    let mut sets = broadloom_lanes::SlhDsaSet::ALL.into_iter();
    let same = sets.find(|other| other.name() == set.name()).expect("the lanes have all sets");
    let mut key: Vec<u8> = (0..set.private_key_len()).map(|at| at as u8).collect();
    let loan = Loan::slh_dsa_key(same, &mut key).expect("as many bytes as the set has");
    Planner::new(&Cpu::detect()).process_each([loan]);
    SlhDsaPrivateKey::new(set, &key).expect("as many bytes as the set has")
}

/// The public key that an agreement is with, of some random bytes; `None` where nothing is agreed
/// on.
pub fn other_side(algorithm: PublicKeyAlgorithm, random: &[u8; 32]) -> Option<Vec<u8>> {
    match (algorithm, pair(algorithm)) {
        (PublicKeyAlgorithm::X25519, _) => Some(random.to_vec()),
        (PublicKeyAlgorithm::Ecdh(_), Some((_, Some(PublicKey::Ec(key))))) => {
            Some(key.point().to_vec())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_public_key_algorithm_has_a_pair_that_belongs_together() {
        for algorithm in PublicKeyAlgorithm::all() {
            let (private, public) = pair(algorithm).expect("a pair");
            let own = private.signature_algorithm();
            let agrees = private.agreement_algorithm();
            assert!(own == Some(algorithm) || agrees == Some(algorithm), "{algorithm}");
            assert_eq!(public.is_none(), algorithm == PublicKeyAlgorithm::X25519);
            assert_eq!(public.map(|key| key.signature_algorithm()), own);
            assert_eq!(other_side(algorithm, &[9; 32]).is_some(), agrees == Some(algorithm));
        }
    }
}
