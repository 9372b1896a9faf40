//! Key pairs for measuring, the same in every run. They protect nothing: anybody can read the
//! private keys here.

use broadloom_engine::{
    Curve, HashAlgorithm, Job, Kem, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, MlKemPrivateKey,
    MlKemPublicKey, MlKemSet, PrivateKey, Processor, PublicKey, PublicKeyAlgorithm, RsaSize,
    Scheme, SlhDsaPrivateKey, SlhDsaSet, Transform,
};
use broadloom_lanes::{Cpu, Planner};
use broadloom_public_key::{MlDsaLanes, SlhDsaLanes};

/// The key pair of an algorithm, which `openssl genpkey` made, or for SLH-DSA, ML-DSA and ML-KEM
/// this program. Of X25519 it is the private key alone, as any 32 bytes are a public key. The keys
/// of a hybrid are [bytes](kem).
pub fn pair(algorithm: PublicKeyAlgorithm) -> Option<(PrivateKey, Option<PublicKey>)> {
    if let PublicKeyAlgorithm::SlhDsa(set) = algorithm {
        let private = slh_dsa(set);
        let public = private.public();
        return Some((PrivateKey::SlhDsa(private), Some(PublicKey::SlhDsa(public))));
    }
    if let PublicKeyAlgorithm::MlDsa(set) = algorithm {
        let (private, public) = ml_dsa(set);
        return Some((PrivateKey::MlDsa(private), Some(PublicKey::MlDsa(public))));
    }
    if let PublicKeyAlgorithm::MlKem(set) = algorithm {
        let (private, public) = ml_kem(set);
        return Some((PrivateKey::MlKem(private), Some(PublicKey::MlKem(public))));
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
        PublicKeyAlgorithm::Ecdsa(Curve::P384) | PublicKeyAlgorithm::Ecdh(Curve::P384) => {
            texts!("p384")
        }
        PublicKeyAlgorithm::Ecdsa(Curve::P521) | PublicKeyAlgorithm::Ecdh(Curve::P521) => {
            texts!("p521")
        }
        PublicKeyAlgorithm::Ecdsa(Curve::Secp256k1)
        | PublicKeyAlgorithm::Ecdh(Curve::Secp256k1) => texts!("secp256k1"),
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

/// Returns how messages are signed with the [pair] of an algorithm, by every provider and every
/// peer: with the hash that TLS 1.3 prescribes for the curve (RFC 8446, section 4.2.3), and
/// elsewhere with SHA-256.
pub fn scheme(algorithm: PublicKeyAlgorithm) -> Scheme {
    Scheme::new(match algorithm {
        PublicKeyAlgorithm::Ecdsa(Curve::P384) => HashAlgorithm::Sha384,
        PublicKeyAlgorithm::Ecdsa(Curve::P521) => HashAlgorithm::Sha512,
        _ => HashAlgorithm::Sha256,
    })
}

/// A key of SLH-DSA, whose seeds are anybody's.
fn slh_dsa(set: SlhDsaSet) -> SlhDsaPrivateKey {
    let mut key: Vec<u8> = (0..set.private_key_len()).map(|at| at as u8).collect();
    let loan = SlhDsaLanes::from_seeds(set, &mut key).expect("as many bytes as the set has");
    Planner::new(&Cpu::detect()).process_each([loan]);
    SlhDsaPrivateKey::new(set, &key).expect("as many bytes as the set has")
}

/// A key pair of ML-DSA, whose seed is anybody's.
fn ml_dsa(set: MlDsaSet) -> (MlDsaPrivateKey, MlDsaPublicKey) {
    let len = set.private_key_len();
    let mut keys: Vec<u8> = (0..len + set.public_key_len()).map(|at| at as u8).collect();
    let seed = keys[..MlDsaSet::SEED_LEN].to_vec();
    let loan = MlDsaLanes::generate(set, &mut keys[..]).expect("as many bytes as the set has");
    Planner::new(&Cpu::detect()).process_each([loan]);
    let (private, public) = keys.split_at(len);
    let private = MlDsaPrivateKey::from_both(set, &seed, private).expect("it was generated");
    (private, MlDsaPublicKey::new(set, public).expect("it was generated"))
}

/// A key pair of ML-KEM, whose seed is anybody's. The private key is expanded.
fn ml_kem(set: MlKemSet) -> (MlKemPrivateKey, MlKemPublicKey) {
    let (private, public) = kem(Kem::MlKem(set));
    let private = MlKemPrivateKey::from_expanded(set, &private).expect("it was generated");
    (private, MlKemPublicKey::new(set, &public).expect("it was generated"))
}

/// The expanded private key and the public key of an algorithm that encapsulates, whose seed is
/// anybody's.
pub fn kem(kem: Kem) -> (Vec<u8>, Vec<u8>) {
    let generate = Transform::generate_key(kem.algorithm()).expect("it generates keys");
    let session = broadloom::registry().open(&generate).expect("the lanes have it");
    let seed: Vec<u8> = (0..kem.seed_len()).map(|at| at as u8).collect();
    let mut jobs = [Job::new(&session, seed)];
    Processor::new().process_many(&mut jobs);
    assert!(jobs[0].succeeded(), "a key of {}: {:?}", kem.name(), jobs[0].status());
    let (private, public) = kem.keys_of(jobs[0].output().expect("a key is an output"));
    (private.to_vec(), public.to_vec())
}

/// The public key that an agreement or an encapsulation is with, of some random
/// bytes; `None` where nothing is agreed on.
pub fn other_side(algorithm: PublicKeyAlgorithm, random: &[u8; 32]) -> Option<Vec<u8>> {
    if let Some(encapsulates) = Kem::of(algorithm) {
        return Some(kem(encapsulates).1);
    }
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
            if let Some(encapsulates) = Kem::of(algorithm) {
                let (private, public) = kem(encapsulates);
                assert!(Transform::decapsulate_bytes(encapsulates, &private).is_ok());
                assert_eq!(public.len(), encapsulates.public_key_len());
                assert_eq!(other_side(algorithm, &[9; 32]), Some(public));
            }
            if matches!(algorithm, PublicKeyAlgorithm::Hybrid(_)) {
                continue;
            }
            let (private, public) = pair(algorithm).expect("a pair");
            let encapsulates = private.encapsulation_algorithm();
            let own = private.signature_algorithm().or(encapsulates);
            let agrees = private.agreement_algorithm().or(encapsulates);
            assert!(own == Some(algorithm) || agrees == Some(algorithm), "{algorithm}");
            assert_eq!(public.is_none(), algorithm == PublicKeyAlgorithm::X25519);
            assert_eq!(public.map(|key| key.signature_algorithm()), own);
            assert_eq!(other_side(algorithm, &[9; 32]).is_some(), agrees == Some(algorithm));
        }
    }
}
