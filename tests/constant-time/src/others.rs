//! ChaCha20, DES and KASUMI.

use broadloom_lanes::{ChaChaPolyLanes, LinkDirection, Loan, XChaChaPolyLanes};

use crate::check::{Checks, Shape};
use crate::keys::{chacha_key, des_key, kasumi_key};

pub fn check(checks: &mut Checks) {
    check_chacha(checks);
    check_des(checks);
    check_kasumi(checks);
}

fn check_chacha(checks: &mut Checks) {
    checks.keyed(Shape::cipher("chacha20"), chacha_key, |key, message| {
        let loan = Loan::chacha20(key, 1, &message.nonce(), &mut message.text);
        loan.expect("far from the last counter")
    });
    checks.keyed(Shape::sealed("chacha20-poly1305 seal"), chacha_key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        let nonce = message.nonce.first_chunk().expect("60 bytes");
        Loan::<ChaChaPolyLanes>::seal(key, nonce, &message.associated, &mut message.text, tag)
    });
    checks.keyed(Shape::sealed("chacha20-poly1305 open"), chacha_key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        let nonce = message.nonce.first_chunk().expect("60 bytes");
        Loan::<ChaChaPolyLanes>::open(key, nonce, &message.associated, &mut message.text, tag)
    });
    checks.keyed(Shape::sealed("xchacha20-poly1305 seal"), chacha_key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        let nonce = message.nonce.first_chunk().expect("60 bytes");
        Loan::<XChaChaPolyLanes>::seal(key, nonce, &message.associated, &mut message.text, tag)
    });
    checks.keyed(Shape::sealed("xchacha20-poly1305 open"), chacha_key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        let nonce = message.nonce.first_chunk().expect("60 bytes");
        Loan::<XChaChaPolyLanes>::open(key, nonce, &message.associated, &mut message.text, tag)
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

fn check_kasumi(checks: &mut Checks) {
    let direction = LinkDirection::Downlink;
    checks.keyed(Shape::cipher("kasumi-f8"), kasumi_key, |key, message| {
        // Lengths that end within a byte as well.
        let bits = (8 * message.text.len()).saturating_sub(message.associated.len() % 8);
        let count = u32::from_be_bytes(message.nonce());
        Loan::f8(key, count, 5, direction, &mut message.text, bits).expect("good lengths")
    });
    checks.keyed(Shape::tag("kasumi-f9", 4), kasumi_key, |key, message| {
        let bits = (8 * message.text.len()).saturating_sub(message.associated.len() % 8);
        let count = u32::from_be_bytes(message.nonce());
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        Loan::f9(key, count, 7, direction, &message.text, bits, tag).expect("good lengths")
    });
}
