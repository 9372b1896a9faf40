//! What is refused, and what it says.

use std::string::ToString;

use super::*;

/// Returns a generated key.
fn key(set: MlKemSet) -> Vec<u8> {
    let buffer = key_buffer(set, &random(&mut 5, 64));
    process(&Cpu::detect(), [MlKemJob::generate(set, buffer, ()).expect("fits")].into()).remove(0)
}

#[test]
fn lengths_are_those_of_the_set() {
    for set in MlKemSet::ALL {
        let private = key(set);
        let len = set.public_key_len();
        for wrong in [0, len - 1, len + 1] {
            let error = MlKemPublicKey::new(set, &std::vec![0; wrong]).unwrap_err();
            let said = error.to_string();
            let valid = std::format!("of {wrong} bytes does not fit {set}; valid: {len}");
            assert!(said.ends_with(&valid), "{said}");
        }
        for wrong in [0, private.len() - 1, private.len() + 1] {
            let mut bytes = private.clone();
            bytes.resize(wrong, 0);
            assert!(matches!(
                MlKemPrivateKey::new(set, &bytes),
                Err(MlKemError::Length { len, .. }) if len == wrong
            ));
        }
        let private = MlKemPrivateKey::new(set, &private).expect("a key");
        let public = MlKemPublicKey::new(set, private.public()).expect("a key");
        let room = |len: usize| std::vec![0; len];
        assert!(MlKemJob::generate(set, room(64), ()).is_err());
        assert!(MlKemJob::encapsulate(&public, room(set.ciphertext_len()), ()).is_err());
        assert!(MlKemJob::decapsulate(&private, room(set.ciphertext_len() + 1), ()).is_err());
    }
}

#[test]
fn numbers_are_below_the_modulus() {
    for set in MlKemSet::ALL {
        let bytes = key(set);
        let private = MlKemPrivateKey::new(set, &bytes).expect("a key");
        for place in [0, 1, 255, 256 * set.k() - 1] {
            for (number, is_right) in [(3328_u16, true), (3329, false), (4095, false)] {
                let mut public = private.public().to_vec();
                let at = 3 * (place / 2);
                if place.is_multiple_of(2) {
                    public[at] = number as u8;
                    public[at + 1] = public[at + 1] & 0xf0 | (number >> 8) as u8;
                } else {
                    public[at + 1] = public[at + 1] & 0x0f | (number << 4) as u8;
                    public[at + 2] = (number >> 4) as u8;
                }
                match MlKemPublicKey::new(set, &public) {
                    Ok(key) => assert!(is_right && key.bytes() == public),
                    Err(error) => {
                        assert_eq!(error, MlKemError::Modulus { place, number });
                        assert!(!is_right && error.to_string().contains(&number.to_string()));
                    }
                }
                let mut private = bytes.clone();
                let start = set.k() * 384;
                private[start..start + public.len()].copy_from_slice(&public);
                assert!(MlKemPrivateKey::new(set, &private).is_err(), "the digest is another's");
            }
        }
    }
}

#[test]
fn the_digest_of_a_decapsulation_key_is_checked() {
    for set in MlKemSet::ALL {
        let bytes = key(set);
        assert!(MlKemPrivateKey::new(set, &bytes).is_ok());
        for at in [bytes.len() - 64, bytes.len() - 33, bytes.len() - 65] {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1;
            assert_eq!(MlKemPrivateKey::new(set, &wrong).unwrap_err(), MlKemError::Digest, "{at}");
        }
        let mut other = bytes.clone();
        other[bytes.len() - 1] ^= 1;
        assert!(MlKemPrivateKey::new(set, &other).is_ok(), "z may be any");
    }
}
