//! What is refused, and what it says.

use std::string::ToString;

use super::*;
use crate::prehash::PreHash;

#[test]
fn lengths_are_those_of_the_set() {
    for set in MlDsaSet::ALL {
        let keys = generate(&Cpu::detect(), set, [&[5; 32][..]]).remove(0);
        let (private, public) = keys.split_at(set.private_key_len());
        for wrong in [0, public.len() - 1, public.len() + 1] {
            let said = MlDsaPublicKey::new(set, &std::vec![0; wrong]).unwrap_err().to_string();
            let valid =
                std::format!("of {wrong} bytes does not fit {set}; valid: {}", public.len());
            assert!(said.ends_with(&valid), "{said}");
        }
        for wrong in [0, private.len() - 1, private.len() + 1] {
            let mut bytes = private.to_vec();
            bytes.resize(wrong, 0);
            assert!(matches!(
                MlDsaPrivateKey::new(set, &bytes),
                Err(MlDsaError::Length { len, .. }) if len == wrong
            ));
        }
        let private = MlDsaPrivateKey::new(set, private).expect("a key");
        let public = MlDsaPublicKey::new(set, public).expect("a key");
        let (message, len) = (MlDsaMessage::new(b""), set.signature_len());
        let room = |len: usize| std::vec![0; len];
        assert!(MlDsaKeyJob::generate(set, room(32), ()).is_err());
        assert!(MlDsaSignJob::sign(&private, message, None, room(len + 1), ()).is_err());
        assert!(MlDsaVerifyJob::verify(&public, message, room(len - 1), ()).is_err());
    }
    let error = MlDsaMessage::hashed(PreHash::Sha384, &[0; 32]).unwrap_err();
    assert_eq!(error.to_string(), "a digest of 32 bytes is none of sha384; valid: 48");
    let error = MlDsaMessage::new(b"").context(&[0; 256]).unwrap_err();
    assert_eq!(error.to_string(), "a context string of 256 bytes is too long; valid: up to 255");
}

#[test]
fn secret_numbers_are_in_their_range() {
    for set in MlDsaSet::ALL {
        let keys = generate(&Cpu::detect(), set, [&[6; 32][..]]).remove(0);
        let private = &keys[..set.private_key_len()];
        let bits = set.secret_packing().bits();
        let count = 256 * (set.k() + set.l());
        for place in [0, 1, 2, 255, 256, count - 1] {
            for number in 0..1_u32 << bits {
                let mut wrong = private.to_vec();
                for bit in 0..bits {
                    let at = place * bits + bit;
                    let byte = &mut wrong[128 + at / 8];
                    *byte = *byte & !(1 << (at % 8)) | ((number >> bit & 1) as u8) << (at % 8);
                }
                let is_right = number <= 2 * set.eta();
                match MlDsaPrivateKey::new(set, &wrong) {
                    Ok(_) => assert!(is_right, "{set}, {number} at {place}"),
                    Err(error) => {
                        assert_eq!(error, MlDsaError::Secret { place, eta: set.eta() });
                        assert!(!is_right && error.to_string().contains(&place.to_string()));
                    }
                }
            }
        }
    }
}

#[test]
fn hints_are_written_in_one_way() {
    use super::verify::read_hints;
    for set in MlDsaSet::ALL {
        let (at, omega) = (set.hints_at(), set.omega());
        let with = |places: &[u8], ends: &[u8]| {
            let mut signature = std::vec![0; set.signature_len()];
            signature[at..][..places.len()].copy_from_slice(places);
            signature[at + omega..].fill(*ends.last().expect("there is one"));
            signature[at + omega..][..ends.len()].copy_from_slice(ends);
            let mut hints = Vec::new();
            read_hints(set, &signature, |poly, place| hints.push((poly, place))).then_some(hints)
        };
        assert_eq!(with(&[], &[0]), Some(std::vec![]));
        assert_eq!(with(&[3, 9, 3], &[2, 3]), Some(std::vec![(0, 3), (0, 9), (1, 3)]));
        let full: Vec<_> = (0..omega as u8).collect();
        assert_eq!(with(&full, &[omega as u8]).map(|all| all.len()), Some(omega));
        assert_eq!(with(&[9, 3], &[2]), None, "places descend");
        assert_eq!(with(&[3, 3], &[2]), None, "a place is named twice");
        assert_eq!(with(&[3, 4], &[2, 1]), None, "ends descend");
        assert_eq!(with(&full, &[omega as u8 + 1]), None, "there are too many");
        assert_eq!(with(&[3, 4], &[1]), None, "a place is left over");
    }
}
