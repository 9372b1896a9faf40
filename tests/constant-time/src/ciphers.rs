//! AES in every mode.

use broadloom_lanes::{CcmLanes, GcmLanes, Keystream, Loan};

use crate::check::{Checks, Shape};
use crate::keys::{aes_key, cmac_key, gcm_key, xcbc_key, xts_key};
use crate::observer::watch;
use crate::secrets::{made_from_secrets, public};

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
    checks.keyed(Shape::cipher("aes-ofb"), aes_key, |key, message| {
        Loan::ofb(key, &message.nonce(), &mut message.text)
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
    checks.keyed(Shape::tag("aes-cmac", 16), cmac_key, |key, message| {
        Loan::cmac(key, &message.text, message.tag.first_chunk_mut().expect("64 bytes"))
    });
    checks.keyed(Shape::tag("aes-xcbc", 16), xcbc_key, |key, message| {
        Loan::xcbc(key, &message.text, message.tag.first_chunk_mut().expect("64 bytes"))
    });
    checks.keyed(Shape::tag("aes-gmac", 16), gcm_key, |key, message| {
        let tag = message.tag.first_chunk_mut().expect("64 bytes");
        Loan::gmac(key, &message.nonce[..12], &message.text, tag)
    });
}

fn check_aead(checks: &mut Checks) {
    // Nonces of 12 bytes and, in half of the messages, of another length, which are hashed under
    // the key.
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
    checks.kernel("aes-ctr, keystream", |cpu| {
        (0..3).all(|i| {
            let mut stream = Keystream::new(cpu, aes_key(cpu, i), &[3; 16]);
            [5, 16, 100, 1000].into_iter().all(|len| {
                let (mut drawn, mut text) = (vec![0; len], public(i, len));
                watch(|| {
                    stream.draw(&mut drawn).expect("far from the last counter");
                    stream.apply(&mut text).expect("far from the last counter");
                });
                made_from_secrets(&mut drawn) & made_from_secrets(&mut text)
            })
        })
    });
}
