//! Known answers, which the lanes must give before libcrypto may use them.

use broadloom::public_key::{PrivateKey, Scheme, Secret};
use broadloom::{AeadAlgorithm, AesSize, HashAlgorithm, Job, MacAlgorithm, Processor, Transform};

use crate::provider::REGISTRY;

/// Computes known answers.
///
/// # Errors
/// An answer is wrong: whose.
pub fn run() -> Result<(), String> {
    let hmac = MacAlgorithm::Hmac(HashAlgorithm::Sha256);
    let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
    let x25519 = PrivateKey::X25519(Secret::new(hex(SCALAR)));
    let ed25519 = PrivateKey::Ed25519(Secret::new(hex(ED25519_KEY)));
    let fault = |error: &dyn std::fmt::Display| format!("self-test: {error}");
    let transforms = [
        // FIPS 180-4's example, and RFC 4231's second.
        Ok(Transform::hash(HashAlgorithm::Sha256)),
        Transform::mac(hmac, b"Jefe").generate(),
        // The second case of GCM's specification: a block of zeros under a key of zeros.
        Transform::aead(gcm, &[0; 16]).seal(),
        // RFC 7748, 5.2, and RFC 8032, 7.1.
        Transform::agree(&x25519),
        Transform::sign(&ed25519, Scheme::default()),
    ];
    let inputs: [&[u8]; 5] =
        [b"abc", b"what do ya want for nothing?", &[0; 16], &hex::<32>(POINT), b""];
    let answers = [SHA256, HMAC, GCM, SHARED, SIGNATURE];
    for ((transform, input), answer) in transforms.into_iter().zip(inputs).zip(answers) {
        let transform = transform.map_err(|error| fault(&error))?;
        let session = REGISTRY.open(&transform).map_err(|error| fault(&error))?;
        let mut jobs = [match session.direction() {
            broadloom::Direction::Seal => Job::new(&session, input.to_vec()).nonce(&[0; 12]),
            _ => Job::new(&session, input),
        }];
        Processor::new().process_many(&mut jobs);
        let mut made = jobs[0].output().unwrap_or_default().to_vec();
        made.extend(jobs[0].tag().unwrap_or_default());
        let made: String = made.iter().map(|byte| format!("{byte:02x}")).collect();
        if made != answer {
            return Err(format!(
                "self-test: {session:?} gives {made}, and {answer} would be right"
            ));
        }
    }
    Ok(())
}

/// The bytes of so many hexadecimal digits.
fn hex<const N: usize>(digits: &str) -> [u8; N] {
    std::array::from_fn(|at| {
        u8::from_str_radix(&digits[2 * at..][..2], 16).expect("they are hexadecimal digits")
    })
}

const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const HMAC: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
const GCM: &str = "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf";
const SCALAR: &str = "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4";
const POINT: &str = "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c";
const SHARED: &str = "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552";
const ED25519_KEY: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const SIGNATURE: &str = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb882159\
                         0a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";

#[cfg(test)]
mod tests {
    #[test]
    fn the_lanes_give_known_answers() {
        assert_eq!(super::run(), Ok(()));
    }
}
