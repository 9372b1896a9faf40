//! Keys from PEM and DER as OpenSSL writes them, and transforms of keys.

use broadloom_engine::{
    Algorithm, Curve, Direction, HashAlgorithm, KeyError, MlDsaPrivateKey, MlDsaPublicKey,
    MlDsaSet, MlKemPrivateKey, MlKemPublicKey, MlKemSet, Padding, PrivateKey, PublicKey,
    PublicKeyAlgorithm, RsaNumbers, RsaPrivateKey, RsaSize, Scheme, SlhDsaPrivateKey, SlhDsaSet,
    Transform, TransformError,
};
use crypto_bigint::{BoxedUint, Gcd};

const ED25519: &str = include_str!("../keys/ed25519.pem");
const X25519: &str = include_str!("../keys/x25519.pem");
const P256: &str = include_str!("../keys/p256.pem");
const RSA: &str = include_str!("../keys/rsa-1024.pem");
const RSA_PUBLIC: &str = include_str!("../keys/rsa-1024.pub.pem");

fn private(pem: &str) -> PrivateKey {
    PrivateKey::from_pem(pem).expect("OpenSSL made it")
}

fn public(pem: &str) -> PublicKey {
    PublicKey::from_pem(pem).expect("OpenSSL made it")
}

#[test]
fn private_keys_are_read_and_come_back_in_der() {
    let rsa = PublicKeyAlgorithm::Rsa(RsaSize::Rsa1024);
    for (pem, signs, agrees) in [
        (ED25519, Some(PublicKeyAlgorithm::Ed25519), None),
        (X25519, None, Some(PublicKeyAlgorithm::X25519)),
        (
            P256,
            Some(PublicKeyAlgorithm::Ecdsa(Curve::P256)),
            Some(PublicKeyAlgorithm::Ecdh(Curve::P256)),
        ),
        (
            include_str!("../keys/p256.sec1.pem"),
            Some(PublicKeyAlgorithm::Ecdsa(Curve::P256)),
            Some(PublicKeyAlgorithm::Ecdh(Curve::P256)),
        ),
        (
            include_str!("../keys/p384.pem"),
            Some(PublicKeyAlgorithm::Ecdsa(Curve::P384)),
            Some(PublicKeyAlgorithm::Ecdh(Curve::P384)),
        ),
        (
            include_str!("../keys/p521.pem"),
            Some(PublicKeyAlgorithm::Ecdsa(Curve::P521)),
            Some(PublicKeyAlgorithm::Ecdh(Curve::P521)),
        ),
        (
            include_str!("../keys/secp256k1.pem"),
            Some(PublicKeyAlgorithm::Ecdsa(Curve::Secp256k1)),
            Some(PublicKeyAlgorithm::Ecdh(Curve::Secp256k1)),
        ),
        (
            include_str!("../keys/k283.pem"),
            Some(PublicKeyAlgorithm::Ecdsa(Curve::K283)),
            Some(PublicKeyAlgorithm::Ecdh(Curve::K283)),
        ),
        (RSA, Some(rsa), None),
        (include_str!("../keys/rsa-1024.pkcs1.pem"), Some(rsa), None),
    ] {
        let key = private(pem);
        assert_eq!((key.signature_algorithm(), key.agreement_algorithm()), (signs, agrees));
        let again = PrivateKey::from_der(&key.to_der()).expect("it was written here");
        assert_eq!(*again.to_der(), *key.to_der(), "{key:?}");
    }
    let PrivateKey::Rsa(one) = private(RSA) else { panic!("a key of RSA") };
    let PrivateKey::Rsa(other) = private(include_str!("../keys/rsa-1024.pkcs1.pem")) else {
        panic!("a key of RSA")
    };
    assert_eq!((one.d(), one.p(), one.qinv()), (other.d(), other.p(), other.qinv()));
}

#[test]
fn public_keys_are_read_and_come_back_in_der() {
    for pem in [
        include_str!("../keys/ed25519.pub.pem"),
        include_str!("../keys/p256.pub.pem"),
        include_str!("../keys/p384.pub.pem"),
        include_str!("../keys/p521.pub.pem"),
        include_str!("../keys/secp256k1.pub.pem"),
        include_str!("../keys/k283.pub.pem"),
        RSA_PUBLIC,
    ] {
        let key = public(pem);
        assert_eq!(PublicKey::from_der(&key.to_der()), Ok(key));
    }
    assert_eq!(public(include_str!("../keys/rsa-1024.pkcs1.pub.pem")), public(RSA_PUBLIC));
    let PrivateKey::Rsa(key) = private(RSA) else { panic!("a key of RSA") };
    assert_eq!(PublicKey::Rsa(key.public().clone()), public(RSA_PUBLIC));
}

/// What one block of PEM holds.
fn der(pem: &str, label: &str) -> Vec<u8> {
    let begin = pem.find(&format!("-----BEGIN {label}-----")).expect("there is such a block");
    pkcs1::der::pem::decode_vec(&pem.as_bytes()[begin..]).expect("OpenSSL made it").1
}

/// What `openssl pkey -traditional -outform DER` and `openssl rsa -RSAPublicKey_out` write.
#[test]
fn keys_are_read_from_der_without_their_algorithm() {
    let pkcs1 = der(include_str!("../keys/rsa-1024.pkcs1.pem"), "RSA PRIVATE KEY");
    let sec1 = der(include_str!("../keys/p256.sec1.pem"), "EC PRIVATE KEY");
    for (der, pem) in [(pkcs1, RSA), (sec1, include_str!("../keys/p256.sec1.pem"))] {
        let key = PrivateKey::from_der(&der).expect("OpenSSL made it");
        assert_eq!(*key.to_der(), *private(pem).to_der());
    }
    let pkcs1 = der(include_str!("../keys/rsa-1024.pkcs1.pub.pem"), "RSA PUBLIC KEY");
    assert_eq!(PublicKey::from_der(&pkcs1), Ok(public(RSA_PUBLIC)));
}

/// A value in DER that is shorter than 128 bytes.
fn value(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    assert!(content.len() < 128, "a longer one has more bytes of length");
    [&[tag, content.len() as u8], content.as_slice()].concat()
}

#[test]
fn a_key_that_names_two_curves_is_refused() {
    const EC: &[u8] = b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01";
    const P256_NAME: &[u8] = b"\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07";
    const K283_NAME: &[u8] = b"\x06\x05\x2b\x81\x04\x00\x10";
    let key = |outer: &[u8], inner: &[u8]| {
        let scalar = value(4, &[&[7; 32]]);
        let inner = value(0x30, &[&[2, 1, 1], &scalar, &value(0xa0, &[inner])]);
        let algorithm = value(0x30, &[EC, outer]);
        let der = value(0x30, &[&[2, 1, 0], &algorithm, &value(4, &[&inner])]);
        PrivateKey::from_der(&der).map(|key| key.signature_algorithm())
    };
    assert_eq!(key(P256_NAME, P256_NAME), Ok(Some(PublicKeyAlgorithm::Ecdsa(Curve::P256))));
    for (outer, inner) in [(P256_NAME, K283_NAME), (K283_NAME, P256_NAME)] {
        let text = key(outer, inner).expect_err("they differ").to_string();
        assert!(text.contains("it names one curve, and the key in it another"), "{text}");
    }
}

#[test]
fn what_is_no_key_is_refused_with_a_reason() {
    let refused = |pem: &str| PrivateKey::from_pem(pem).expect_err("it is no key").to_string();
    for (pem, part) in [
        ("", "no PEM block of these: PRIVATE KEY"),
        (RSA_PUBLIC, "no PEM block of these: PRIVATE KEY"),
        (include_str!("../keys/encrypted.pem"), "encrypted"),
        (
            include_str!("../keys/p224.pem"),
            "1.3.132.0.33 is not supported; valid: P-256, P-384, P-521",
        ),
        ("-----BEGIN PRIVATE KEY-----\nAAAA", "no -----END PRIVATE KEY-----"),
        ("-----BEGIN PRIVATE KEY-----\nAA*A\n-----END PRIVATE KEY-----\n", "the key cannot"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "the key cannot"),
    ] {
        let text = refused(pem);
        assert!(text.contains(part), "{text}");
    }
    let short = PrivateKey::from_pem(include_str!("../keys/rsa-1536.pem"));
    assert_eq!(short.unwrap_err(), KeyError::ModulusLength { bits: 1536 });
    // Every prefix, and every byte changed: an answer, and no panic.
    let der = private(P256).to_der();
    for len in 0..der.len() {
        assert!(PrivateKey::from_der(&der[..len]).is_err(), "{len} bytes");
        let mut changed = der.to_vec();
        changed[len] ^= 0x55;
        let _ = PrivateKey::from_der(&changed);
    }
}

#[test]
fn keys_do_what_their_kind_does() {
    let scheme = Scheme::default();
    let sign = Transform::sign(&private(RSA), scheme).expect("RSA signs");
    let algorithm = Algorithm::PublicKey(PublicKeyAlgorithm::Rsa(RsaSize::Rsa1024));
    assert_eq!((sign.algorithm(), sign.direction()), (algorithm, Direction::Sign));
    assert!(Transform::agree(&private(X25519)).is_ok());
    let text = |result: Result<Transform, TransformError>| result.unwrap_err().to_string();
    assert_eq!(text(Transform::sign(&private(X25519), scheme)), "a key of X25519 does not sign");
    assert_eq!(text(Transform::agree(&private(RSA))), "a key of RSA with 1024 bits does not agree");
    assert_eq!(
        text(Transform::rsa_decrypt(&private(P256), scheme)),
        "a key of the curve p256 does not decrypt"
    );
    let transform = Transform::new(algorithm, Direction::Sign, b"key", &[]).build();
    assert!(text(transform).contains("Transform::sign"));
}

#[test]
fn schemes_that_cannot_be_are_refused() {
    let (key, other) = (private(RSA), public(RSA_PUBLIC));
    let sha512 = Scheme::new(HashAlgorithm::Sha512);
    let refused = |result: Result<Transform, TransformError>, part: &str| {
        let text = result.expect_err("the scheme does not fit").to_string();
        assert!(text.contains(part), "{text}");
    };
    let pss = |salt_len| sha512.padding(Padding::Pss { salt_len });
    assert!(Transform::sign(&key, pss(62)).is_ok());
    refused(Transform::sign(&key, pss(63)), "do not fit into the modulus");
    refused(Transform::rsa_encrypt(&other, pss(0)), "PSS is for signatures");
    let any_salt = sha512.padding(Padding::PssAnySalt);
    assert!(Transform::verify(&other, any_salt).is_ok());
    refused(Transform::sign(&key, any_salt), "any is for verification");
    refused(Transform::rsa_encrypt(&other, any_salt), "PSS is for signatures");
    refused(Transform::sign(&key, sha512.padding(Padding::Oaep)), "OAEP is for encryption");
    refused(Transform::rsa_encrypt(&other, sha512.padding(Padding::Oaep)), "two digests");
    refused(Transform::sign(&key, Scheme::bare()), "needs a padding");
    refused(Transform::sign(&private(ED25519), sha512.prehashed()), "takes no digests");
    refused(Transform::sign(&key, Scheme::new(HashAlgorithm::Shake128)), "output of one length");
}

#[test]
fn keys_of_slh_dsa_have_the_lengths_of_their_set() {
    for set in SlhDsaSet::ALL {
        let bytes: Vec<u8> = (0..set.private_key_len()).map(|at| at as u8).collect();
        let key = SlhDsaPrivateKey::new(set, &bytes).expect("as many bytes as the set has");
        let (private, public) = (PrivateKey::SlhDsa(key.clone()), PublicKey::SlhDsa(key.public()));
        let algorithm = PublicKeyAlgorithm::SlhDsa(set);
        assert_eq!(
            (private.signature_algorithm(), private.agreement_algorithm()),
            (Some(algorithm), None)
        );
        assert_eq!(public.signature_algorithm(), algorithm);
        let again = PrivateKey::from_der(&private.to_der()).expect("it was written here");
        assert_eq!(*again.to_der(), *private.to_der(), "{again:?}");
        assert_eq!(PublicKey::from_der(&public.to_der()), Ok(public));
        let (len, valid) = (bytes.len() - 1, bytes.len());
        let short = SlhDsaPrivateKey::new(set, &bytes[1..]).expect_err("a byte is missing");
        assert_eq!(short, KeyError::Length { what: "a private key of SLH-DSA", len, valid });
    }
}

#[test]
fn keys_of_ml_kem_are_written_as_they_were_read() {
    let seed: Vec<u8> = (0..64).collect();
    for (arc, set) in (1..).zip(MlKemSet::ALL) {
        let expanded: Vec<u8> = (0..set.private_key_len()).map(|at| at as u8).collect();
        let keys = [
            MlKemPrivateKey::from_seed(set, &seed),
            MlKemPrivateKey::from_expanded(set, &expanded),
            MlKemPrivateKey::from_both(set, &seed, &expanded),
        ];
        // The choices of RFC 9935: [0] with 64 bytes, an octet string, and a sequence.
        for (key, tag) in keys.into_iter().zip([0x80, 0x04, 0x30]) {
            let key = key.expect("as many bytes as the set has");
            let private = PrivateKey::MlKem(key.clone());
            assert_eq!(
                (private.signature_algorithm(), private.agreement_algorithm()),
                (None, None)
            );
            let algorithm = PublicKeyAlgorithm::MlKem(set);
            assert_eq!(private.encapsulation_algorithm(), Some(algorithm));
            let der = private.to_der();
            let oid = [0x60, 0x86, 0x48, 1, 101, 3, 4, 4, arc];
            let at = der.windows(9).position(|bytes| bytes == oid).expect("the identifier");
            // The header of the octet string around the choice is as long as its length needs.
            let header = if tag == 0x80 { 2 } else { 4 };
            assert_eq!((der[at + 9], der[at + 9 + header]), (0x04, tag), "{set:?}");
            let Ok(PrivateKey::MlKem(again)) = PrivateKey::from_der(&der) else {
                panic!("{set:?}: it was written here")
            };
            assert_eq!(
                (again.set(), again.seed(), again.expanded()),
                (set, key.seed(), key.expanded(),)
            );
        }
        let public = MlKemPublicKey::new(set, set.public_of(&expanded)).expect("its length");
        let public = PublicKey::MlKem(public);
        assert_eq!(PublicKey::from_der(&public.to_der()), Ok(public.clone()));
        let error = Transform::verify(&public, Scheme::default()).expect_err("no signatures");
        assert_eq!(error.to_string(), format!("a key of {} does not verify", set.name()));
        let short = MlKemPrivateKey::from_seed(set, &seed[1..]).expect_err("a byte is missing");
        assert_eq!(short, KeyError::Length { what: "a seed of ML-KEM", len: 63, valid: 64 });
    }
}

#[test]
fn keys_of_ml_dsa_are_written_as_they_were_read() {
    let seed: Vec<u8> = (0..32).collect();
    for (arc, set) in (17..).zip(MlDsaSet::ALL) {
        let expanded: Vec<u8> = (0..set.private_key_len()).map(|at| at as u8).collect();
        let keys = [
            MlDsaPrivateKey::from_seed(set, &seed),
            MlDsaPrivateKey::from_expanded(set, &expanded),
            MlDsaPrivateKey::from_both(set, &seed, &expanded),
        ];
        // The choices of RFC 9881: [0] with 32 bytes, an octet string, and a sequence.
        for (key, tag) in keys.into_iter().zip([0x80, 0x04, 0x30]) {
            let key = key.expect("as many bytes as the set has");
            let private = PrivateKey::MlDsa(key.clone());
            let algorithm = PublicKeyAlgorithm::MlDsa(set);
            assert_eq!(
                (private.signature_algorithm(), private.agreement_algorithm()),
                (Some(algorithm), None)
            );
            let der = private.to_der();
            let oid = [0x60, 0x86, 0x48, 1, 101, 3, 4, 3, arc];
            let at = der.windows(9).position(|bytes| bytes == oid).expect("the identifier");
            // The header of the octet string around the choice is as long as its length needs.
            let header = if tag == 0x80 { 2 } else { 4 };
            assert_eq!((der[at + 9], der[at + 9 + header]), (0x04, tag), "{set:?}");
            let Ok(PrivateKey::MlDsa(again)) = PrivateKey::from_der(&der) else {
                panic!("{set:?}: it was written here")
            };
            assert_eq!(
                (again.set(), again.seed(), again.expanded()),
                (set, key.seed(), key.expanded())
            );
        }
        let public = MlDsaPublicKey::new(set, &vec![7; set.public_key_len()]).expect("its length");
        let public = PublicKey::MlDsa(public);
        assert_eq!(public.signature_algorithm(), PublicKeyAlgorithm::MlDsa(set));
        assert_eq!(PublicKey::from_der(&public.to_der()), Ok(public));
        let short = MlDsaPrivateKey::from_seed(set, &seed[1..]).expect_err("a byte is missing");
        assert_eq!(short, KeyError::Length { what: "a seed of ML-DSA", len: 31, valid: 32 });
    }
}

/// The example of RFC 9881, C.1.1.1, which is a seed alone.
#[test]
fn a_seed_of_ml_dsa_is_written_as_in_the_standard() {
    let seed: Vec<u8> = (0..32).collect();
    let key = MlDsaPrivateKey::from_seed(MlDsaSet::MlDsa44, &seed).expect("32 bytes");
    let header = [
        0x30, 0x34, 2, 1, 0, 0x30, 0x0b, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 17, 4, 0x22,
        0x80, 0x20,
    ];
    assert_eq!(*PrivateKey::MlDsa(key).to_der(), [&header[..], &seed].concat());
}

/// OpenSSL 3.5 writes the seed and the expanded key of ML-DSA.
#[test]
fn keys_of_ml_dsa_are_read_as_openssl_writes_them() {
    let pem = include_str!("../keys/ml-dsa-44.pem");
    let PrivateKey::MlDsa(key) = private(pem) else { panic!("a key of ML-DSA") };
    assert_eq!(key.set(), MlDsaSet::MlDsa44);
    assert_eq!(key.seed().map(|seed| &seed[..3]), Some(&[0, 0x91, 0x7b][..]));
    assert!(key.expanded().is_some());
    assert_eq!(*PrivateKey::MlDsa(key).to_der(), der(pem, "PRIVATE KEY"));
    let pem = include_str!("../keys/ml-dsa-44.pub.pem");
    assert_eq!(public(pem).signature_algorithm(), PublicKeyAlgorithm::MlDsa(MlDsaSet::MlDsa44));
    assert_eq!(public(pem).to_der(), der(pem, "PUBLIC KEY"));
}

#[test]
fn ml_dsa_takes_messages_digests_and_mu() {
    let key = MlDsaPrivateKey::from_seed(MlDsaSet::MlDsa44, &[7; 32]).expect("32 bytes");
    let key = PrivateKey::MlDsa(key);
    let sign = |scheme| Transform::sign(&key, scheme);
    let refused = |result: Result<Transform, TransformError>| result.unwrap_err().to_string();
    for hash in HashAlgorithm::all() {
        use HashAlgorithm::{Blake3, Md5, Sha1, Sm3};
        let taken = !matches!(hash, Md5 | Sha1 | Sm3 | Blake3);
        let prehashed = sign(Scheme::new(hash).prehashed().hedged());
        assert_eq!(prehashed.is_ok(), taken, "{hash}");
        assert!(sign(Scheme::new(hash)).is_ok(), "{hash} is ignored");
    }
    assert_eq!(
        refused(sign(Scheme::new(HashAlgorithm::Sha1).prehashed())),
        "ml-dsa-44 sign: HashML-DSA takes digests of SHA-2, SHA-3 and SHAKE"
    );
    let of_mu = Scheme::default().external_mu();
    let transform = sign(of_mu).expect("ML-DSA has it");
    assert_eq!(
        refused(transform.context(b"a")),
        "ml-dsa-44 sign: mu has its context string in it already"
    );
    assert!(sign(Scheme::default().prehashed()).expect("it signs").context(&[1; 255]).is_ok());
    assert_eq!(
        refused(Transform::sign(&private(ED25519), of_mu)),
        "ed25519 sign: only ML-DSA takes mu"
    );
}

#[test]
fn only_ml_kem_its_hybrids_and_ml_dsa_make_keys() {
    for algorithm in PublicKeyAlgorithm::all() {
        let is_kem =
            matches!(algorithm, PublicKeyAlgorithm::MlKem(_) | PublicKeyAlgorithm::Hybrid(_));
        let makes_keys = is_kem || matches!(algorithm, PublicKeyAlgorithm::MlDsa(_));
        assert_eq!(Transform::generate_key(algorithm).is_ok(), makes_keys, "{algorithm}");
        assert_eq!(Transform::encapsulate(algorithm).is_ok(), is_kem, "{algorithm}");
    }
    let error = Transform::decapsulate(&private(X25519)).expect_err("it agrees").to_string();
    assert_eq!(error, "a key of X25519 does not decapsulate");
}

#[test]
fn contexts_and_hedged_signatures_are_refused_where_there_are_none() {
    let set = SlhDsaSet::Sha2_128f;
    let key = SlhDsaPrivateKey::new(set, &[7; 64]).expect("as many bytes as the set has");
    let key = PrivateKey::SlhDsa(key);
    let sign = |key: &PrivateKey, scheme| Transform::sign(key, scheme);
    let hedged = Scheme::default().hedged();
    let context = |len| sign(&key, hedged).expect("it signs").context(&vec![1; len]);
    assert_eq!(context(255).expect("short").asymmetric().expect("a key").context, [1; 255]);
    assert_eq!(
        context(256).expect_err("too long").to_string(),
        "a context string of 256 bytes does not fit slh-dsa-sha2-128f, which takes up to 255"
    );
    let other = private(ED25519);
    assert_eq!(
        sign(&other, Scheme::default()).expect("it signs").context(b"a").unwrap_err().to_string(),
        "ed25519 takes no context string; SLH-DSA and ML-DSA do"
    );
    let refused = sign(&other, hedged).expect_err("Ed25519 is deterministic").to_string();
    assert!(
        refused.contains("only signatures of SLH-DSA, ML-DSA and ECDSA can be hedged"),
        "{refused}"
    );
    assert!(sign(&private(P256), hedged).is_ok());
    assert!(sign(&key, Scheme::default().prehashed()).is_ok());
    let sha1 = Scheme::new(HashAlgorithm::Sha1).prehashed();
    let refused = sign(&key, sha1).expect_err("no digests of SHA-1").to_string();
    assert!(refused.contains("HashSLH-DSA takes digests of SHA-2, SHA-3 and SHAKE"), "{refused}");
}

/// The numbers of a key that a pattern of `n e d p q dp dq qinv` keeps.
fn kept<'k>(key: &'k RsaPrivateKey, names: &str) -> RsaNumbers<'k> {
    let keep = |name: &str, number: &'k [u8]| -> &'k [u8] {
        if names.split(' ').any(|kept| kept == name) { number } else { &[] }
    };
    RsaNumbers {
        n: keep("n", key.public().modulus()),
        e: keep("e", key.public().exponent()),
        d: keep("d", key.d()),
        p: keep("p", key.p()),
        q: keep("q", key.q()),
        dp: keep("dp", key.dp()),
        dq: keep("dq", key.dq()),
        qinv: keep("qinv", key.qinv()),
    }
}

#[test]
fn numbers_of_rsa_that_are_left_out_are_those_that_openssl_wrote() {
    let PrivateKey::Rsa(key) = private(RSA) else { panic!("a key of RSA") };
    for names in
        ["n e d", "n e p q", "n e p q dp dq qinv", "n e d p q", "n e d dp", "n e d p q dp dq qinv"]
    {
        let complete = RsaPrivateKey::complete(&kept(&key, names)).expect(names);
        assert_eq!(*PrivateKey::Rsa(complete).to_der(), *private(RSA).to_der(), "{names}");
    }
    // An inverse of e that is not the least: the least common multiple is added.
    let numbers = kept(&key, "n e d");
    let number = |bytes| BoxedUint::from_be_slice(bytes, 1024).expect("it is shorter");
    let [p, q] = [key.p(), key.q()].map(|prime| number(prime).wrapping_sub(BoxedUint::one()));
    let common = p.gcd(&q).to_nz().expect("both are even");
    let larger = number(key.d()).wrapping_add(p.wrapping_mul(&q).wrapping_div(&common));
    let larger = larger.to_be_bytes();
    let complete = RsaPrivateKey::complete(&RsaNumbers { d: &larger, ..numbers }).expect("it fits");
    assert_eq!((complete.p(), complete.q(), complete.dp()), (key.p(), key.q(), key.dp()));
}

#[test]
fn numbers_of_rsa_that_do_not_belong_together_are_refused_by_rule() {
    let PrivateKey::Rsa(key) = private(RSA) else { panic!("a key of RSA") };
    let flipped = |number: &[u8]| {
        let mut number = number.to_vec();
        *number.last_mut().expect("it has bytes") ^= 2;
        number
    };
    let [d, p, dp, qinv] = [key.d(), key.p(), key.dp(), key.qinv()].map(flipped);
    let all = kept(&key, "n e d p q dp dq qinv");
    let few = |names| kept(&key, names);
    for (numbers, what) in [
        (few("n e"), "there is neither d, nor p and q"),
        (few("n e p"), "one prime is there without the other"),
        (RsaNumbers { d: &d, ..few("n e d") }, "n, e and d do not lead to two primes"),
        (RsaNumbers { d: &[1], ..few("n e d") }, "n, e and d do not lead to two primes"),
        (RsaNumbers { d: &[7; 129], ..few("n e d") }, "d is longer than n"),
        (RsaNumbers { p: &p, ..all }, "p times q is not n"),
        (RsaNumbers { p: key.public().modulus(), q: &[1], ..all }, "p is longer than half of n"),
        (RsaNumbers { d: &d, ..all }, "d is no inverse of e"),
        (RsaNumbers { dp: &dp, ..few("n e p q dp") }, "dp is no inverse of e modulo p - 1"),
        (RsaNumbers { dp: &dp, ..all }, "dp is no inverse of e modulo p - 1"),
        (RsaNumbers { dq: key.p(), ..all }, "dq is no inverse of e modulo q - 1"),
        (RsaNumbers { qinv: &qinv, ..all }, "qinv is no inverse of q modulo p"),
    ] {
        let refused = RsaPrivateKey::complete(&numbers).expect_err(what);
        assert_eq!(refused, KeyError::Inconsistent(what));
    }
    let short = RsaPrivateKey::complete(&RsaNumbers { n: key.p(), ..all }).unwrap_err();
    assert_eq!(short, KeyError::ModulusLength { bits: 512 });
}
