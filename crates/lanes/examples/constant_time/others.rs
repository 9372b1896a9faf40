//! ChaCha20, DES and KASUMI.

use broadloom_lanes::{ChaChaKey, ChaChaPolyLanes, DesKey, KasumiKey, LinkDirection, Loan};

use crate::check::{Checks, Shape, secret, secret_array};

pub fn check(checks: &mut Checks) {
    check_chacha(checks);
    check_des(checks);
    check_kasumi(checks);
}

fn check_chacha(checks: &mut Checks) {
    let key = |i| ChaChaKey::new(&secret_array(i));
    checks.keyed(Shape::cipher("chacha20"), key, |key, message| {
        let loan = Loan::chacha20(key, 1, &message.nonce(), &mut message.text);
        loan.expect("far from the last counter")
    });
    checks.keyed(Shape::sealed("chacha20-poly1305 seal"), key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        let nonce = message.nonce.first_chunk().expect("60 bytes");
        Loan::<ChaChaPolyLanes>::seal(key, nonce, &message.associated, &mut message.text, tag)
    });
    checks.keyed(Shape::sealed("chacha20-poly1305 open"), key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        let nonce = message.nonce.first_chunk().expect("60 bytes");
        Loan::<ChaChaPolyLanes>::open(key, nonce, &message.associated, &mut message.text, tag)
    });
}

fn check_des(checks: &mut Checks) {
    checks.keyed(Shape::blocks("des-ecb encrypt", 8), des_key, |key, message| {
        Loan::des_ecb_encrypt(key, &mut message.text).expect("whole blocks")
    });
    checks.keyed(Shape::blocks("des-ecb decrypt", 8), des_key, |key, message| {
        Loan::des_ecb_decrypt(key, &mut message.text).expect("whole blocks")
    });
    checks.keyed(Shape::blocks("des-cbc encrypt", 8), des_key, |key, message| {
        Loan::des_cbc_encrypt(key, &message.nonce(), &mut message.text).expect("whole blocks")
    });
    checks.keyed(Shape::blocks("des-cbc decrypt", 8), des_key, |key, message| {
        Loan::des_cbc_decrypt(key, &message.nonce(), &mut message.text).expect("whole blocks")
    });
    checks.keyed(Shape::cipher("des-ctr"), des_key, |key, message| {
        Loan::des_ctr(key, &message.nonce(), &mut message.text)
    });
}

/// A key for DES or for triple DES whose parts differ in one bit that is public: `DesKey::new` refuses keys
/// with equal parts, so that whoever sees a key in use knows that they differ. Its branch on that must depend
/// on nothing else.
fn des_key(number: usize) -> DesKey {
    let mut key = secret(number, [8, 24][number % 2]);
    for (part, bit) in key.chunks_mut(8).zip([0, 0x80, 0]) {
        part[7] = part[7] & 0x7f | bit;
    }
    DesKey::new(&key).expect("parts that differ")
}

fn check_kasumi(checks: &mut Checks) {
    let key = |i| KasumiKey::new(&secret_array(i));
    let direction = LinkDirection::Downlink;
    checks.keyed(Shape::cipher("kasumi-f8"), key, |key, message| {
        // Lengths that end within a byte as well.
        let bits = (8 * message.text.len()).saturating_sub(message.associated.len() % 8);
        let count = u32::from_be_bytes(message.nonce());
        Loan::f8(key, count, 5, direction, &mut message.text, bits).expect("good lengths")
    });
    checks.keyed(Shape::tag("kasumi-f9", 4), key, |key, message| {
        let bits = (8 * message.text.len()).saturating_sub(message.associated.len() % 8);
        let count = u32::from_be_bytes(message.nonce());
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        Loan::f9(key, count, 7, direction, &message.text, bits, tag).expect("good lengths")
    });
}
