//! SLH-DSA, as C has it: signatures under context strings, and what is refused.

use std::ptr;

use broadloom::lanes::Cpu;
use broadloom::public_key::{PrivateKey, PublicKey, SlhDsaSet, generate_slh_dsa};
use broadloom_capi::*;

use crate::common::{last_error, zeroed};

fn scheme(context: &[u8], hedged: bool) -> bl_scheme {
    bl_scheme {
        size: size_of::<bl_scheme>(),
        hedged: hedged.into(),
        context: context.as_ptr(),
        context_len: context.len(),
        ..zeroed()
    }
}

/// New private and public keys, in DER.
fn generate(set: SlhDsaSet) -> [Vec<u8>; 2] {
    let keys = generate_slh_dsa(&Cpu::detect(), set, 1).expect("random bytes");
    let public = PublicKey::SlhDsa(keys[0].public()).to_der();
    [PrivateKey::SlhDsa(keys[0].clone()).to_der().to_vec(), public]
}

fn jobs<'m>(messages: &[&'m [u8]], signatures: &mut [Vec<u8>]) -> Vec<bl_job> {
    let job = |(message, signature): (&&'m [u8], &mut Vec<u8>)| bl_job {
        size: size_of::<bl_job>(),
        source: message.as_ptr(),
        len: message.len(),
        tag: signature.as_mut_ptr(),
        tag_len: signature.len(),
        ..zeroed()
    };
    messages.iter().zip(signatures).map(job).collect()
}

fn sign(
    scheme: &bl_scheme,
    key: &[u8],
    messages: &[&[u8]],
    len: usize,
) -> Result<Vec<Vec<u8>>, bl_status> {
    let mut signatures = vec![vec![0; len]; messages.len()];
    let mut jobs = jobs(messages, &mut signatures);
    // SAFETY: the jobs are as documented, and their places live until the end of the function.
    let status =
        unsafe { bl_sign_many(scheme, key.as_ptr(), key.len(), jobs.as_mut_ptr(), jobs.len()) };
    if status != BL_OK {
        return Err(status);
    }
    assert!(jobs.iter().all(|job| job.produced == len));
    Ok(signatures)
}

/// How each of the jobs went.
fn verify(
    scheme: *const bl_scheme,
    key: &[u8],
    messages: &[&[u8]],
    signatures: &[Vec<u8>],
) -> Vec<bl_status> {
    let mut signatures = signatures.to_vec();
    let mut jobs = jobs(messages, &mut signatures);
    // SAFETY: as above.
    unsafe { bl_verify_many(scheme, key.as_ptr(), key.len(), jobs.as_mut_ptr(), jobs.len()) };
    jobs.iter().map(|job| job.status).collect()
}

#[test]
fn signatures_hold_under_their_context_alone() {
    let messages: [&[u8]; 3] = [b"warp", b"weft", b""];
    for set in [SlhDsaSet::Sha2_128f, SlhDsaSet::Shake128f, SlhDsaSet::Sha2_192f] {
        let ([private, public], other) = (generate(set), generate(set));
        let (loom, wheel) = (scheme(b"a loom", false), scheme(b"a wheel", false));
        let signatures = sign(&loom, &private, &messages, set.signature_len());
        let signatures = signatures.unwrap_or_else(|_| panic!("{}", last_error()));
        assert_eq!(verify(&loom, &public, &messages, &signatures), [BL_OK; 3], "{set}");
        let hedged = scheme(b"a loom", true);
        assert_eq!(verify(&hedged, &public, &messages, &signatures), [BL_OK; 3], "{set}");
        for (scheme, key) in
            [(&raw const wheel, &public), (ptr::null(), &public), (&raw const loom, &other[1])]
        {
            let wrong = verify(scheme, key, &messages, &signatures);
            assert_eq!(wrong, [BL_E_SIGNATURE_MISMATCH; 3], "{set}");
        }
        let mut damaged = signatures.clone();
        damaged[1][100] ^= 1;
        damaged[2].truncate(set.signature_len() - 1);
        let wrong = verify(&loom, &public, &messages, &damaged);
        assert_eq!(wrong, [BL_OK, BL_E_SIGNATURE_MISMATCH, BL_E_SIGNATURE_MISMATCH], "{set}");
    }
}

#[test]
fn hedged_signatures_differ() {
    let set = SlhDsaSet::Shake128f;
    let [private, public] = generate(set);
    let messages: [&[u8]; 2] = [b"warp"; 2];
    let made = |hedged| {
        sign(&scheme(b"", hedged), &private, &messages, set.signature_len()).expect("it signs")
    };
    let (plain, hedged) = (made(false), made(true));
    assert_eq!(plain[0], plain[1]);
    assert_ne!(hedged[0], hedged[1]);
    for signatures in [plain, hedged] {
        assert_eq!(verify(ptr::null(), &public, &messages, &signatures), [BL_OK; 2]);
    }
}

#[test]
fn digests_are_signed_as_digests() {
    let set = SlhDsaSet::Sha2_128f;
    let [private, public] = generate(set);
    let sha512 = bl_scheme { hash: c"sha512".as_ptr(), prehashed: 1, ..scheme(b"a loom", false) };
    let sha3 = bl_scheme { hash: c"sha3-512".as_ptr(), ..sha512 };
    let digest: &[u8] = &[7; 64];
    let signatures = sign(&sha512, &private, &[digest], set.signature_len()).expect("it signs");
    assert_eq!(verify(&sha512, &public, &[digest], &signatures), [BL_OK]);
    for other in [sha3, scheme(b"a loom", false)] {
        let wrong = verify(&other, &public, &[digest], &signatures);
        assert_eq!(wrong, [BL_E_SIGNATURE_MISMATCH]);
    }
    let short = sign(&sha512, &private, &[&digest[1..]], set.signature_len());
    assert_eq!(short, Err(BL_E_JOBS));
    let md5 = bl_scheme { hash: c"md5".as_ptr(), ..sha512 };
    assert_eq!(sign(&md5, &private, &[&[7; 16]], set.signature_len()), Err(BL_E_TRANSFORM));
    assert!(last_error().contains("HashSLH-DSA takes digests of"), "{}", last_error());
}

#[test]
fn what_is_wrong_is_named() {
    let [private, _] = generate(SlhDsaSet::Sha2_128f);
    let long = sign(&scheme(&[7; 256], false), &private, &[b"m"], 17088);
    assert_eq!(long, Err(BL_E_TRANSFORM));
    assert!(last_error().contains("256 bytes does not fit slh-dsa-sha2-128f"), "{}", last_error());
    let null = bl_scheme { context: ptr::null(), ..scheme(b"a loom", false) };
    assert_eq!(sign(&null, &private, &[b"m"], 17088), Err(BL_E_ARGUMENT));
    let ed25519 = include_str!("../../../engine/tests/keys/ed25519.pem").as_bytes();
    for wrong in [scheme(b"a loom", false), scheme(b"", true)] {
        assert_eq!(sign(&wrong, ed25519, &[b"m"], 64), Err(BL_E_TRANSFORM));
    }
    // A signature that has too little room is not made.
    let short = sign(&scheme(b"", false), &private, &[b"m"], 17087);
    assert_eq!(short, Err(BL_E_JOBS));
}
