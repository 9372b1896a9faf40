//! ML-DSA as C has it: new keys by a session, and signatures under keys made of their bytes.

use std::ffi::{CStr, CString};
use std::ptr;

use broadloom::public_key::MlDsaSet;
use broadloom::{HashAlgorithm, Job, Processor, Transform};
use broadloom_capi::*;

use crate::common::{self, last_error, zeroed};

/// Opens a session of an algorithm, or of a key that says it itself.
fn open(
    algorithm: Option<&CStr>,
    direction: &CStr,
    key: &[u8],
) -> Result<*mut bl_session, bl_status> {
    open_with(algorithm, direction, key, ptr::null())
}

/// Opens a session with a scheme, or without one.
fn open_with(
    algorithm: Option<&CStr>,
    direction: &CStr,
    key: &[u8],
    scheme: *const bl_scheme,
) -> Result<*mut bl_session, bl_status> {
    let transform = bl_transform {
        size: size_of::<bl_transform>(),
        algorithm: algorithm.map_or(ptr::null(), CStr::as_ptr),
        direction: direction.as_ptr(),
        key: key.as_ptr(),
        key_len: key.len(),
        scheme,
        ..zeroed()
    };
    common::open(&transform)
}

/// What a job gets beside its source.
enum Work<'a> {
    Generate,
    Sign,
    Verify(&'a [u8]),
}

/// Processes a job with this source, and closes the session.
fn process(
    session: Result<*mut bl_session, bl_status>,
    source: &[u8],
    work: Work<'_>,
) -> Result<Vec<u8>, bl_status> {
    let session = session.unwrap_or_else(|_| panic!("{}", last_error()));
    // SAFETY: the session is open.
    let room = unsafe { bl_session_bound(session, 0) };
    let mut output = match work {
        Work::Verify(signature) => signature.to_vec(),
        _ => vec![0; room],
    };
    let job = bl_job {
        size: size_of::<bl_job>(),
        session,
        source: source.as_ptr(),
        len: source.len(),
        ..zeroed()
    };
    let mut job = match work {
        Work::Generate => bl_job { destination: output.as_mut_ptr(), room, ..job },
        _ => bl_job { tag: output.as_mut_ptr(), tag_len: output.len(), ..job },
    };
    let mut processor = ptr::null_mut();
    // SAFETY: the job is as documented, and its places live until the end of the function.
    unsafe {
        assert_eq!(bl_processor_open(&mut processor), BL_OK);
        bl_process(processor, &mut job, 1);
        bl_processor_close(processor);
        bl_session_close(session);
    }
    output.truncate(job.produced);
    if job.status == BL_OK { Ok(output) } else { Err(job.status) }
}

/// Makes DER of a private key or a public key.
fn der(set: &CStr, private: &[u8], public: &[u8]) -> Result<Vec<u8>, bl_status> {
    let number = |bytes: &[u8]| bl_number {
        bytes: if bytes.is_empty() { ptr::null() } else { bytes.as_ptr() },
        len: bytes.len(),
    };
    let parts = bl_key_parts {
        size: size_of::<bl_key_parts>(),
        kind: set.as_ptr(),
        d: number(private),
        x: number(public),
        ..zeroed()
    };
    let (mut room, mut len) = (vec![0; 5120], 0);
    // SAFETY: the parts are as documented, and there is as much room as is said.
    match unsafe { bl_key_from_parts(&parts, room.as_mut_ptr(), room.len(), &mut len) } {
        BL_OK => {
            room.truncate(len);
            Ok(room)
        }
        status => Err(status),
    }
}

#[test]
fn keys_are_generated_and_sign() {
    for set in MlDsaSet::ALL {
        let name = CString::new(set.name()).expect("a name");
        let seed = [7; MlDsaSet::SEED_LEN];
        let keys = process(open(Some(&name), c"generate", b""), &seed, Work::Generate);
        let keys = keys.expect("a seed");
        let (private, public) = keys.split_at(set.private_key_len());
        assert_eq!(public.len(), set.public_key_len());
        let drawn = process(open(Some(&name), c"generate", b""), b"", Work::Generate);
        let drawn = drawn.expect("a seed is drawn");
        assert!(drawn.len() == keys.len() && drawn != keys);

        let public = der(&name, b"", public).expect("a public key");
        let signatures = [&seed[..], private].map(|key| {
            let key = der(&name, key, b"").expect("a private key");
            process(open(None, c"sign", &key), b"a message", Work::Sign).expect("it signs")
        });
        assert_eq!(signatures[0], signatures[1], "of the seed, and of the expanded key");
        let [signature, _] = signatures;
        assert_eq!(signature.len(), set.signature_len());
        let verify = |message: &[u8], signature: &[u8]| {
            process(open(None, c"verify", &public), message, Work::Verify(signature))
        };
        assert_eq!(verify(b"a message", &signature), Ok(Vec::new()));
        assert_eq!(verify(b"another", &signature), Err(BL_E_SIGNATURE_MISMATCH));
        assert_eq!(verify(b"a message", &signature[1..]), Err(BL_E_SIGNATURE_MISMATCH));
    }
}

#[test]
fn mu_stands_for_the_message() {
    let name = c"ml-dsa-44";
    let shake = |pieces: &[&[u8]]| {
        let session = Transform::hash(HashAlgorithm::Shake256);
        let session = broadloom::registry().open(&session).expect("native has it");
        let mut jobs = [Job::new(&session, pieces.concat())];
        Processor::new().process_many(&mut jobs);
        jobs[0].tag().expect("a digest").to_vec()
    };
    let keys = process(open(Some(name), c"generate", b""), b"", Work::Generate).expect("keys");
    let (private, public) = keys.split_at(MlDsaSet::MlDsa44.private_key_len());
    let mu = shake(&[&shake(&[public]), &[0, 7], b"a realm", b"a message"]);
    let private = der(name, private, b"").expect("a private key");
    let public = der(name, b"", public).expect("a public key");
    let size = size_of::<bl_scheme>();
    let of_mu = bl_scheme { size, external_mu: 1, ..zeroed() };
    let named = bl_scheme { size, context: b"a realm".as_ptr(), context_len: 7, ..zeroed() };
    let signature = process(open_with(None, c"sign", &private, &of_mu), &mu, Work::Sign);
    let signature = signature.expect("it signs");
    let same = process(open_with(None, c"sign", &private, &named), b"a message", Work::Sign);
    assert_eq!(same, Ok(signature.clone()));
    for (scheme, data) in [(&of_mu, &mu[..]), (&named, b"a message")] {
        let session = open_with(None, c"verify", &public, scheme);
        assert_eq!(process(session, data, Work::Verify(&signature)), Ok(Vec::new()));
    }
    let session = open_with(None, c"verify", &public, &of_mu);
    let other = process(session, &[7; 64], Work::Verify(&signature));
    assert_eq!(other, Err(BL_E_SIGNATURE_MISMATCH));
    for (wrong, text) in [
        (bl_scheme { prehashed: 1, ..of_mu }, "digests or mu, and not both"),
        (bl_scheme { context: named.context, context_len: 7, ..of_mu }, "in it already"),
    ] {
        assert!(open_with(None, c"sign", &private, &wrong).is_err());
        assert!(last_error().contains(text), "{}", last_error());
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let name = c"ml-dsa-44";
    assert_eq!(open(Some(name), c"generate", &[0; 32]), Err(BL_E_TRANSFORM));
    assert!(last_error().contains("a key of 32 bytes does not fit ml-dsa-44"), "{}", last_error());
    assert_eq!(open(Some(name), c"sign", &[0; 32]), Err(BL_E_TRANSFORM));
    assert!(last_error().contains("takes a private or a public key"), "{}", last_error());
    assert_eq!(open(Some(c"ed25519"), c"generate", b""), Err(BL_E_TRANSFORM));
    assert!(last_error().contains("ed25519 has no direction generate"), "{}", last_error());
    assert_eq!(der(name, &[0; 33], b""), Err(BL_E_KEY));
    assert!(last_error().contains("2560"), "{}", last_error());
    assert_eq!(der(name, b"", &[0; 1311]), Err(BL_E_KEY));
    assert!(last_error().contains("1312"), "{}", last_error());
}
