//! ML-KEM and its hybrids by sessions, as C has them.

use std::ffi::{CStr, CString};
use std::ptr;

use broadloom::public_key::{HybridKem, Kem, MlKemPrivateKey, MlKemSet, PrivateKey};
use broadloom_capi::*;

use crate::common::{self, last_error, zeroed};

/// Opens a session of an algorithm, or of a key that says it itself.
fn open(
    algorithm: Option<&CStr>,
    direction: Option<&CStr>,
    key: &[u8],
) -> Result<*mut bl_session, bl_status> {
    common::open(&bl_transform {
        size: size_of::<bl_transform>(),
        algorithm: algorithm.map_or(ptr::null(), CStr::as_ptr),
        direction: direction.map_or(ptr::null(), CStr::as_ptr),
        key: key.as_ptr(),
        key_len: key.len(),
        ..zeroed()
    })
}

/// Processes jobs with these sources in one call, and closes the session.
fn process(
    session: Result<*mut bl_session, bl_status>,
    sources: &[&[u8]],
) -> Vec<Result<Vec<u8>, bl_status>> {
    let session = session.unwrap_or_else(|_| panic!("{}", last_error()));
    // SAFETY: the session is open.
    let room = unsafe { bl_session_bound(session, 0) };
    let mut outputs = vec![vec![0; room]; sources.len()];
    let job = |(source, output): (&&[u8], &mut Vec<u8>)| bl_job {
        size: size_of::<bl_job>(),
        session,
        source: source.as_ptr(),
        len: source.len(),
        destination: output.as_mut_ptr(),
        room,
        ..zeroed()
    };
    let mut jobs: Vec<_> = sources.iter().zip(&mut outputs).map(job).collect();
    let mut processor = ptr::null_mut();
    // SAFETY: the jobs are as documented, and their places live until the end of the function.
    unsafe {
        assert_eq!(bl_processor_open(&mut processor), BL_OK);
        bl_process(processor, jobs.as_mut_ptr(), jobs.len());
        bl_processor_close(processor);
        bl_session_close(session);
    }
    let result = |(job, mut output): (bl_job, Vec<u8>)| match job.status {
        BL_OK => {
            output.truncate(job.produced);
            Ok(output)
        }
        status => Err(status),
    };
    jobs.into_iter().zip(outputs).map(result).collect()
}

/// Generates keys of a seed, encapsulates and decapsulates, with the private key as the seed, as it
/// was generated, and in the encoding that `der` makes of the seed, if it has one.
fn has_one_secret_on_both_sides(kem: Kem, der: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    let name = CString::new(kem.name()).expect("it has no zero byte");
    let name = Some(&*name);
    let oks = |results: &[Result<Vec<u8>, bl_status>]| {
        results.iter().map(Result::is_ok).collect::<Vec<_>>()
    };
    let seed: Vec<u8> = (1..).take(kem.seed_len()).collect();
    let short = vec![1; kem.seed_len() - 1];
    let generate = Some(c"generate");
    let keys = process(open(name, generate, &[]), &[&seed, &[], &[], &short]);
    let [Ok(key), Ok(drawn), Ok(other), Err(BL_E_INPUT_LENGTH)] = &keys[..] else {
        panic!("{}: {:?}", kem.name(), oks(&keys))
    };
    assert!(key.len() == kem.generated_len() && drawn != other && drawn != key);
    assert_eq!(process(open(name, None, &[]), &[&seed]), [Ok(key.clone())]);

    let (private, public) = kem.keys_of(key);
    let with = [public, &vec![9; kem.randomness_len()]].concat();
    let bad = vec![0xff; public.len()];
    let encapsulate = open(name, Some(c"encapsulate"), &[]);
    let sent = process(encapsulate, &[&with, &with, public, &bad, &public[1..]]);
    let [Ok(one), Ok(same), Ok(fresh), Err(BL_E_PUBLIC_KEY), Err(BL_E_INPUT_LENGTH)] = &sent[..]
    else {
        panic!("{}: {:?}", kem.name(), oks(&sent))
    };
    assert!(one == same && one != fresh);
    assert_eq!(one.len(), kem.ciphertext_len() + kem.secret_len());

    let (one, one_secret) = one.split_at(kem.ciphertext_len());
    let (fresh, fresh_secret) = fresh.split_at(kem.ciphertext_len());
    let decapsulate = Some(c"decapsulate");
    let sessions = [open(name, decapsulate, &seed), open(name, decapsulate, private)];
    let of_der = der(&seed).map(|der| open(None, decapsulate, &der));
    for session in sessions.into_iter().chain(of_der) {
        let secrets = process(session, &[one, fresh, &one[1..]]);
        let right = [Ok(one_secret.to_vec()), Ok(fresh_secret.to_vec()), Err(BL_E_INPUT_LENGTH)];
        assert_eq!(secrets, right, "{}", kem.name());
    }
    assert_eq!(open(name, decapsulate, &vec![7; kem.seed_len() + 1]), Err(BL_E_KEY));
    let (seed, expanded) = (kem.seed_len(), kem.private_key_len());
    let valid = format!("valid: {seed}, a seed, or {expanded}, expanded");
    assert!(last_error().contains(&valid), "{}", last_error());
}

#[test]
fn both_sides_have_the_secret() {
    for set in MlKemSet::ALL {
        has_one_secret_on_both_sides(Kem::MlKem(set), |seed| {
            let key = MlKemPrivateKey::from_seed(set, seed).expect("64 bytes");
            Some(PrivateKey::MlKem(key).to_der().to_vec())
        });
    }
}

#[test]
fn both_sides_have_the_secret_of_a_hybrid() {
    for kem in HybridKem::ALL {
        has_one_secret_on_both_sides(Kem::Hybrid(kem), |_| None);
    }
    // Zero is no private key on P-256.
    let name = Some(c"p256-ml-kem-768");
    assert_eq!(open(name, Some(c"decapsulate"), &[0; 96]), Err(BL_E_KEY));
    assert_eq!(process(open(name, None, &[]), &[&[0; 96]]), [Err(BL_E_KEY)]);
}

#[test]
fn keys_and_directions_that_ml_kem_does_not_have_are_refused() {
    let (name, decapsulate) = (Some(c"ml-kem-768"), Some(c"decapsulate"));
    assert_eq!(open(name, decapsulate, &[7; 65]), Err(BL_E_KEY));
    let error = last_error();
    assert!(error.contains("valid: 64, a seed, or 2400, expanded"), "{error}");
    assert_eq!(open(name, decapsulate, &[]), Err(BL_E_KEY));
    assert_eq!(open(name, Some(c"encapsulate"), &[7; 64]), Err(BL_E_TRANSFORM));
    assert_eq!(open(name, Some(c"sign"), &[]), Err(BL_E_TRANSFORM));
    let error = last_error();
    assert!(error.contains("valid: generate, encapsulate, decapsulate"), "{error}");
    // Its digest is not that of its encapsulation key.
    assert_eq!(open(name, decapsulate, &[0; 2400]), Err(BL_E_PROVIDER));
    // A length that could be, of a key that nobody reads to its end.
    let transform = bl_transform {
        size: size_of::<bl_transform>(),
        algorithm: c"ml-kem-768".as_ptr(),
        direction: c"decapsulate".as_ptr(),
        key: [7; 16].as_ptr(),
        key_len: usize::MAX,
        ..zeroed()
    };
    let mut session = ptr::null_mut();
    // SAFETY: the transform is as documented, but for a length that is refused.
    assert_eq!(unsafe { bl_session_open(&transform, &mut session) }, BL_E_KEY);
}
