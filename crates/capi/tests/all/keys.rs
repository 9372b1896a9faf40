//! Keys out of their numbers, as C makes them.

use std::ffi::{CStr, c_char};
use std::ptr;

use broadloom::public_key::{PrivateKey, PublicKey};
use broadloom_capi::*;

use crate::common::{self, last_error, zeroed};

const RSA: &str = include_str!("../../../engine/tests/keys/rsa-1024.pem");
const P256: &str = include_str!("../../../engine/tests/keys/p256.pem");
const P256_PUBLIC: &str = include_str!("../../../engine/tests/keys/p256.pub.pem");

fn parts(kind: &CStr) -> bl_key_parts {
    bl_key_parts { size: size_of::<bl_key_parts>(), kind: kind.as_ptr(), ..zeroed() }
}

fn number(bytes: &[u8]) -> bl_number {
    bl_number { bytes: bytes.as_ptr(), len: bytes.len() }
}

/// The key, or the status with which it was refused.
fn key(parts: &bl_key_parts) -> Result<Vec<u8>, bl_status> {
    let (mut key, mut len) = (vec![0; 4096], 0);
    // SAFETY: the numbers of these tests are as documented.
    match unsafe { bl_key_from_parts(parts, key.as_mut_ptr(), key.len(), &mut len) } {
        BL_OK => Ok(key[..len].to_vec()),
        status => Err(status),
    }
}

fn open(direction: &CStr, key: &[u8]) -> Result<*mut bl_session, bl_status> {
    common::open(&bl_transform {
        size: size_of::<bl_transform>(),
        direction: direction.as_ptr(),
        key: key.as_ptr(),
        key_len: key.len(),
        ..zeroed()
    })
}

/// Signs with one key and verifies with the other.
fn signs_and_verifies(private: &[u8], public: &[u8]) {
    let mut signature = [0; 256];
    let mut job = bl_job {
        size: size_of::<bl_job>(),
        source: b"message".as_ptr(),
        len: 7,
        tag: signature.as_mut_ptr(),
        tag_len: signature.len(),
        ..zeroed()
    };
    let mut processor = ptr::null_mut();
    // SAFETY: the job of this function is as documented.
    unsafe {
        assert_eq!(bl_processor_open(&mut processor), BL_OK);
        for (direction, key) in [(c"sign", private), (c"verify", public)] {
            let session = open(direction, key).unwrap_or_else(|_| panic!("{}", last_error()));
            job.session = session;
            assert_eq!(bl_process(processor, &mut job, 1), BL_OK, "{}", last_error());
            job.tag_len = job.produced;
            bl_session_close(session);
        }
        bl_processor_close(processor);
    }
}

#[test]
fn numbers_of_rsa_become_the_key_that_openssl_wrote() {
    let written = PrivateKey::from_pem(RSA).expect("OpenSSL made it");
    let PrivateKey::Rsa(rsa) = &written else { panic!("a key of RSA") };
    let (n, e) = (number(rsa.public().modulus()), number(rsa.public().exponent()));
    let (p, q) = (number(rsa.p()), number(rsa.q()));
    let public = bl_key_parts { n, e, ..parts(c"rsa") };
    let by_exponent = bl_key_parts { d: number(rsa.d()), ..public };
    let by_primes = bl_key_parts { p, q, ..public };
    let (dp, dq, qinv) = (number(rsa.dp()), number(rsa.dq()), number(rsa.qinv()));
    let by_quintuple = bl_key_parts { dp, dq, qinv, ..by_primes };
    for parts in [by_exponent, by_primes, by_quintuple] {
        assert_eq!(key(&parts).expect("it is one"), *written.to_der());
    }
    let public = key(&public).expect("it is one");
    assert_eq!(public, PublicKey::Rsa(rsa.public().clone()).to_der());
    signs_and_verifies(&written.to_der(), &public);

    let swapped = bl_key_parts { dp: dq, dq: dp, ..by_quintuple };
    assert_eq!(key(&swapped), Err(BL_E_KEY));
    assert!(last_error().ends_with("dp is no inverse of e modulo p - 1"), "{}", last_error());
    assert_eq!(key(&bl_key_parts { p, ..by_exponent }), Err(BL_E_KEY));
    assert!(last_error().ends_with("one prime is there without the other"), "{}", last_error());
}

#[test]
fn scalars_and_coordinates_become_the_keys_that_openssl_wrote() {
    let (private, public) = (PrivateKey::from_pem(P256), PublicKey::from_pem(P256_PUBLIC));
    let (private, public) = (private.expect("OpenSSL made it"), public.expect("OpenSSL made it"));
    let PrivateKey::Ec(scalar) = &private else { panic!("a key of a curve") };
    let PublicKey::Ec(point) = &public else { panic!("a key of a curve") };
    let (x, y) = point.point()[1..].split_at(32);
    let private = key(&bl_key_parts { d: number(scalar.scalar()), ..parts(c"p256") });
    let private = private.expect("it is one");
    let made = key(&bl_key_parts { x: number(x), y: number(y), ..parts(c"p256") });
    assert_eq!(made.as_deref(), Ok(&*public.to_der()));
    signs_and_verifies(&private, &public.to_der());

    let off = key(&bl_key_parts { x: number(x), y: number(x), ..parts(c"p256") });
    assert!(open(c"verify", &off.expect("it has the form of one")).is_err());
    assert!(
        last_error().contains("ecdsa-p256: native: the point is not on the curve"),
        "{}",
        last_error()
    );
    assert_eq!(key(&bl_key_parts { d: number(&[0xff; 32]), ..parts(c"p256") }), Err(BL_E_KEY));
    assert!(last_error().contains("less than the order"), "{}", last_error());
}

#[test]
fn parts_that_make_no_key_are_refused_with_words() {
    let one = number(&[1]);
    let null = bl_number { bytes: ptr::null(), len: 3 };
    let refused: [(bl_key_parts, bl_status, &str); 6] = [
        (parts(c"dsa"), BL_E_NAME, "valid: rsa, p256, p384, p521, secp256k1, k283, b283"),
        (bl_key_parts { kind: ptr::null::<c_char>(), ..parts(c"") }, BL_E_ARGUMENT, "the kind is"),
        (bl_key_parts { size: 8, ..parts(c"rsa") }, BL_E_ARGUMENT, "sizeof(bl_key_parts)"),
        (bl_key_parts { n: null, ..parts(c"rsa") }, BL_E_ARGUMENT, "number n is a null pointer"),
        (bl_key_parts { x: one, ..parts(c"rsa") }, BL_E_ARGUMENT, "no number x"),
        (bl_key_parts { d: one, x: one, ..parts(c"p256") }, BL_E_ARGUMENT, "valid: d"),
    ];
    for (parts, status, words) in refused {
        assert_eq!(key(&parts), Err(status), "{words}");
        assert!(last_error().contains(words), "{}", last_error());
    }
    let right = bl_key_parts { d: one, ..parts(c"p256") };
    let whole = key(&right).expect("it is one").len();
    let mut small = [0; 8];
    let mut len = 0;
    // SAFETY: the pointers are to variables, or null as documented.
    unsafe {
        let status = bl_key_from_parts(&right, small.as_mut_ptr(), small.len(), &mut len);
        assert_eq!((status, len, small), (BL_E_ROOM, whole, [0; 8]), "{}", last_error());
        assert_eq!(bl_key_from_parts(&right, ptr::null_mut(), 0, &mut len), BL_E_ROOM);
        assert_eq!(bl_key_from_parts(&right, ptr::null_mut(), 99, &mut len), BL_E_ARGUMENT);
    }
}
