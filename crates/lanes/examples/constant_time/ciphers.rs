//! AES in every mode.

use broadloom_lanes::{AesKey, CcmLanes, CmacKey, GcmKey, GcmLanes, Keystream, Loan, XcbcKey, XtsKey};

use crate::check::{Checks, Shape, is_undefined, public, secret, secret_array};

pub fn check(checks: &mut Checks) {
    checks.keyed(Shape::blocks("aes-cbc encrypt", 16), aes_key, |key, message| {
        Loan::encrypt(key, &message.nonce(), &mut message.text)
    });
    checks.keyed(Shape::blocks("aes-cbc decrypt", 16), aes_key, |key, message| {
        Loan::decrypt(key, &message.nonce(), &mut message.text)
    });
    checks.keyed(Shape::blocks("aes-ecb encrypt", 16), aes_key, |key, message| {
        Loan::ecb_encrypt(key, &mut message.text).expect("whole blocks")
    });
    checks.keyed(Shape::blocks("aes-ecb decrypt", 16), aes_key, |key, message| {
        Loan::ecb_decrypt(key, &mut message.text).expect("whole blocks")
    });
    checks.keyed(Shape::cipher("aes-cfb encrypt"), aes_key, |key, message| {
        Loan::cfb_encrypt(key, &message.nonce(), &mut message.text)
    });
    checks.keyed(Shape::cipher("aes-cfb decrypt"), aes_key, |key, message| {
        Loan::cfb_decrypt(key, &message.nonce(), &mut message.text)
    });
    checks.keyed(Shape::cipher("aes-ctr"), aes_key, |key, message| {
        Loan::ctr(key, &message.nonce(), &mut message.text)
    });
    let xts = |name| Shape { least: 16, ..Shape::cipher(name) };
    checks.keyed(xts("aes-xts encrypt"), xts_key, |key, message| {
        Loan::xts_encrypt(key, &message.nonce(), &mut message.text).expect("a block or more")
    });
    checks.keyed(xts("aes-xts decrypt"), xts_key, |key, message| {
        Loan::xts_decrypt(key, &message.nonce(), &mut message.text).expect("a block or more")
    });
    check_keystream(checks);
    check_macs(checks);
    check_aead(checks);
}

fn check_macs(checks: &mut Checks) {
    let cmac_key = |i: usize| CmacKey::new(&secret(i, key_len(i))).expect("a good length");
    checks.keyed(Shape::tag("aes-cmac", 16), cmac_key, |key, message| {
        Loan::cmac(key, &message.text, message.tag.first_chunk_mut().expect("64 bytes"))
    });
    checks.keyed(
        Shape::tag("aes-xcbc", 16),
        |i| XcbcKey::new(&secret_array(i)),
        |key, message| Loan::xcbc(key, &message.text, message.tag.first_chunk_mut().expect("64 bytes")),
    );
    checks.keyed(Shape::tag("aes-gmac", 16), gcm_key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        Loan::gmac(key, &message.nonce[..12], &message.text, tag)
    });
}

fn check_aead(checks: &mut Checks) {
    // Nonces of 12 bytes and, in half of the messages, of another length, which are hashed under the key.
    let gcm_nonce = |associated: usize| if associated.is_multiple_of(8) { 12 } else { 60 };
    checks.keyed(Shape::sealed("aes-gcm seal"), gcm_key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        let nonce = &message.nonce[..gcm_nonce(message.associated.len())];
        Loan::<GcmLanes>::seal(key, nonce, &message.associated, &mut message.text, tag)
    });
    checks.keyed(Shape::sealed("aes-gcm open"), gcm_key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        let nonce = &message.nonce[..gcm_nonce(message.associated.len())];
        Loan::<GcmLanes>::open(key, nonce, &message.associated, &mut message.text, tag)
    });
    checks.keyed(Shape::sealed("aes-ccm seal"), aes_key, |key, message| {
        let (nonce, tag) = (&message.nonce[..12], &mut message.tag[..16]);
        let loan = Loan::<CcmLanes>::seal(key, nonce, &message.associated, &mut message.text, tag);
        loan.expect("good lengths")
    });
    checks.keyed(Shape::sealed("aes-ccm open"), aes_key, |key, message| {
        let (nonce, tag) = (&message.nonce[..12], &mut message.tag[..16]);
        let loan = Loan::<CcmLanes>::open(key, nonce, &message.associated, &mut message.text, tag);
        loan.expect("good lengths")
    });
}

fn check_keystream(checks: &mut Checks) {
    checks.check("aes-ctr, keystream", |cpu| {
        (0..3).all(|i| {
            let mut stream = Keystream::new(cpu, aes_key(i), &[3; 16]);
            [5, 16, 100, 1000].into_iter().all(|len| {
                let (mut drawn, mut text) = (vec![0; len], public(i, len));
                stream.draw(&mut drawn).expect("far from the last counter");
                stream.apply(&mut text).expect("far from the last counter");
                is_undefined(&mut drawn) & is_undefined(&mut text)
            })
        })
    });
}

fn key_len(number: usize) -> usize {
    [16, 24, 32][number % 3]
}

fn aes_key(number: usize) -> AesKey {
    AesKey::new(&secret(number, key_len(number))).expect("a good length")
}

fn gcm_key(number: usize) -> GcmKey {
    GcmKey::new(&secret(number, key_len(number))).expect("a good length")
}

/// A key whose halves differ in one bit that is public: `XtsKey::new` refuses equal halves, so that whoever
/// sees a key in use knows that they differ. Its branch on that must depend on nothing else.
fn xts_key(number: usize) -> XtsKey {
    let mut key = secret(number, [32, 64][number % 2]);
    let half = key.len() / 2;
    let (first, second) = key.split_at_mut(half);
    for (byte, bit) in [(&mut first[0], 0), (&mut second[0], 1)] {
        *byte = *byte & !1 | bit;
    }
    XtsKey::new(&key).expect("halves that differ")
}
