//! Encryption by RSA, and its bare operations.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{HashAlgorithm, JobError, Padding, PrivateKey, Scheme, Transform};

use super::{message, open, output, rsa};

/// What is encrypted by OAEP decrypts to the same, of every length; damage is one error.
pub fn encryption(provider: &Arc<dyn Provider>) {
    for (pair, public) in rsa(provider) {
        let PrivateKey::Rsa(key) = &pair.private else { unreachable!("keys of RSA are asked for") };
        let modulus_len = key.public().size().modulus_len();
        for hash in [HashAlgorithm::Sha1, HashAlgorithm::Sha256] {
            let scheme = Scheme::new(hash).padding(Padding::Oaep);
            let encrypt =
                open(provider, &Transform::rsa_encrypt(&public, scheme).expect("it fits"));
            let decrypt =
                open(provider, &Transform::rsa_decrypt(&pair.private, scheme).expect("it fits"));
            let max = modulus_len - 2 * hash.digest_len() - 2;
            for len in [0, 1, max / 2, max] {
                let sealed = output(&encrypt, &message(len)).expect("it fits");
                assert_eq!(sealed.len(), modulus_len);
                assert_eq!(output(&decrypt, &sealed), Ok(message(len)), "{}", pair.name);
                let mut damaged = sealed.clone();
                damaged[modulus_len / 2] ^= 1;
                assert_eq!(output(&decrypt, &damaged), Err(JobError::Decryption));
                let (len, min, max) = (modulus_len - 1, modulus_len, modulus_len);
                let short = Err(JobError::InputLength { len, min, max });
                assert_eq!(output(&decrypt, &sealed[1..]), short);
            }
            let long = Err(JobError::InputLength { len: max + 1, min: 0, max });
            assert_eq!(output(&encrypt, &message(max + 1)), long);
        }
    }
}

/// The bare public operation undoes the private one, and the other way round, for numbers from zero
/// to the modulus; the modulus and longer data are refused.
pub fn bare_rsa(provider: &Arc<dyn Provider>) {
    for (pair, public) in rsa(provider) {
        let PrivateKey::Rsa(key) = &pair.private else { unreachable!("keys of RSA are asked for") };
        let private = open(provider, &Transform::rsa_private(&pair.private).expect("it is RSA"));
        let bare = open(provider, &Transform::rsa_public(&public).expect("it is RSA"));
        let modulus = key.public().modulus();
        let len = modulus.len();
        let mut below = modulus.to_vec();
        below[len - 1] -= 1;
        let (zero, mut one, mut any) = (vec![0; len], vec![0; len], message(len));
        (one[len - 1], any[0]) = (1, 0);
        for number in [&zero, &one, &below, &any] {
            let signed = output(&private, number).expect("it is below the modulus");
            assert_eq!(output(&bare, &signed).as_ref(), Ok(number), "{}", pair.name);
            let sealed = output(&bare, number).expect("it is below the modulus");
            assert_eq!(output(&private, &sealed).as_ref(), Ok(number), "{}", pair.name);
        }
        for session in [&private, &bare] {
            for number in [modulus, &vec![0xff; len]] {
                assert_eq!(output(session, number), Err(JobError::NotBelowModulus));
            }
            let short = JobError::InputLength { len: len - 1, min: len, max: len };
            assert_eq!(output(session, &one[1..]), Err(short));
        }
    }
}
