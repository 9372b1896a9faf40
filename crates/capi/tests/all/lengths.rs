//! Lengths and counts that nothing has: refused before anything is read, and so is what a negative
//! number becomes.

use std::ffi::CStr;
use std::ptr;

use broadloom_capi::*;

use crate::common::{last_error, open, zeroed};

/// No array of bytes is as long; -1 and the least `int` are among them.
const NONE: [usize; 3] = [usize::MAX, isize::MAX as usize + 1, i32::MIN as isize as usize];

fn transform(algorithm: &'static CStr, key: &[u8]) -> bl_transform {
    bl_transform {
        size: size_of::<bl_transform>(),
        algorithm: algorithm.as_ptr(),
        key: key.as_ptr(),
        key_len: key.len(),
        ..zeroed()
    }
}

#[test]
fn keys_are_not_read_that_are_too_long() {
    for len in NONE {
        for (algorithm, status) in [
            (c"aes-128-gcm", BL_E_TRANSFORM),
            (c"aes-128-cbc", BL_E_TRANSFORM),
            (c"sha256", BL_E_TRANSFORM),
            // Whose keys may be of any length.
            (c"hmac-sha256", BL_E_ARGUMENT),
        ] {
            let given = bl_transform { key_len: len, ..transform(algorithm, &[7; 16]) };
            assert_eq!(open(&given), Err(status), "{algorithm:?}, {len}: {}", last_error());
            let given = bl_transform { tag_len: len, ..transform(algorithm, &[7; 16]) };
            assert_eq!(open(&given), Err(BL_E_TRANSFORM), "{algorithm:?}, {len}");
        }
        let chain = transform(c"aes-128-cbc+hmac-sha1", &[7; 16]);
        let given = bl_transform { mac_key: [7; 16].as_ptr(), mac_key_len: len, ..chain };
        assert_eq!(open(&given), Err(BL_E_ARGUMENT), "{len}");
        for direction in [c"sign", c"verify", c"encrypt", c"decrypt", c"agree", c"decapsulate"] {
            let key = transform(c"", &[7; 16]);
            let (algorithm, direction) = (ptr::null(), direction.as_ptr());
            let given = bl_transform { algorithm, direction, key_len: len, ..key };
            assert_eq!(open(&given), Err(BL_E_ARGUMENT), "{len}");
        }
    }
    // A length that could be, of a key that nobody reads to its end.
    let given = bl_transform { key_len: 1 << 46, ..transform(c"aes-128-gcm", &[7; 16]) };
    assert_eq!(open(&given), Err(BL_E_TRANSFORM));
    assert!(last_error().contains("which takes 16"), "{}", last_error());
}

#[test]
fn a_salt_longer_than_any_number_is_refused() {
    let key = include_str!("../../../engine/tests/keys/rsa-1024.pem");
    let mut processor = ptr::null_mut();
    // SAFETY: the place is a variable.
    assert_eq!(unsafe { bl_processor_open(&mut processor) }, BL_OK);
    for salt_len in NONE {
        let scheme = bl_scheme {
            size: size_of::<bl_scheme>(),
            padding: c"pss".as_ptr(),
            salt_len,
            ..zeroed()
        };
        let (algorithm, direction) = (ptr::null(), c"sign".as_ptr());
        let given = transform(c"", key.as_bytes());
        let given = bl_transform { algorithm, direction, scheme: &scheme, ..given };
        // Whoever opens the session, or then signs, says so.
        let Ok(session) = open(&given) else { continue };
        let mut signature = [0; 128];
        let mut job = bl_job {
            size: size_of::<bl_job>(),
            session,
            source: b"text".as_ptr(),
            len: 4,
            tag: signature.as_mut_ptr(),
            tag_len: signature.len(),
            ..zeroed()
        };
        // SAFETY: the job is as documented.
        unsafe {
            assert_eq!(bl_process(processor, &mut job, 1), BL_E_JOBS, "{salt_len}");
            bl_session_close(session);
        }
    }
    // SAFETY: it is open, and used no more.
    unsafe { bl_processor_close(processor) };
}

/// A job of AES-GCM that is in order.
fn job(session: *const bl_session, text: &mut [u8], tag: &mut [u8]) -> bl_job {
    bl_job {
        size: size_of::<bl_job>(),
        session,
        source: text.as_ptr(),
        len: text.len(),
        destination: text.as_mut_ptr(),
        room: text.len(),
        nonce: [1; 12].as_ptr(),
        nonce_len: 12,
        tag: tag.as_mut_ptr(),
        tag_len: tag.len(),
        ..zeroed()
    }
}

#[test]
fn members_of_jobs_are_not_read_that_are_too_long() {
    let seal = open(&transform(c"aes-128-gcm", &[7; 16])).expect("it fits");
    let chain = transform(c"aes-128-cbc+hmac-sha1", &[7; 16]);
    let chain = open(&bl_transform { mac_key: [7; 16].as_ptr(), mac_key_len: 16, ..chain });
    let chain = chain.expect("it fits");
    let direction = c"open".as_ptr();
    let opens = open(&bl_transform { direction, ..transform(c"aes-128-gcm", &[7; 16]) });
    let opens = opens.expect("it fits");
    let (mut text, mut other, mut tag) = ([5; 64], [5; 64], [0; 32]);
    let mut processor = ptr::null_mut();
    // SAFETY: the place is a variable.
    assert_eq!(unsafe { bl_processor_open(&mut processor) }, BL_OK);
    let run = |mut job: bl_job| {
        // SAFETY: the job is as documented, but for what is refused.
        unsafe { bl_process(processor, &mut job, 1) };
        job.status
    };
    let piece = bl_piece { bytes: other.as_mut_ptr(), len: 64 };
    for len in NONE {
        let good = job(seal, &mut text, &mut tag[..16]);
        assert_eq!(run(good), BL_OK);
        assert_eq!(run(bl_job { len, room: len, ..good }), BL_E_ARGUMENT, "{len}");
        let apart = bl_job { len, room: len, destination: piece.bytes, ..good };
        assert_eq!(run(apart), BL_E_ARGUMENT, "{len}");
        assert_eq!(run(bl_job { nonce_len: len, ..good }), BL_E_NONCE_LENGTH, "{len}");
        let associated = [0; 4].as_ptr();
        let status = run(bl_job { associated, associated_len: len, ..good });
        assert_eq!(status, BL_E_ARGUMENT, "{len}");
        let checks = bl_job { session: opens, tag_len: len, ..good };
        assert_eq!(run(checks), BL_E_ARGUMENT, "{len}");
        let extras = |has| bl_extras { size: size_of::<bl_extras>(), has, ..zeroed() };
        let range = bl_range { start: 0, end: len };
        let in_chain = bl_job { session: chain, nonce: [1; 16].as_ptr(), nonce_len: 16, ..good };
        let in_chain = bl_job { tag: tag.as_mut_ptr(), tag_len: 20, ..in_chain };
        assert_eq!(run(in_chain), BL_OK);
        for given in [
            bl_extras { cipher: range, ..extras(BL_HAS_CIPHER_RANGE) },
            bl_extras { mac: range, ..extras(BL_HAS_MAC_RANGE) },
            bl_extras { tag_at: len, ..extras(BL_HAS_TAG_AT) },
        ] {
            let status = run(bl_job { extras: &given, ..in_chain });
            assert_eq!(status, BL_E_RANGE, "{:#x}, {len}", given.has);
        }
        let nowhere = bl_job { source: ptr::null(), len: 0, destination: ptr::null_mut(), ..good };
        let has = BL_HAS_SOURCE_PIECES | BL_HAS_DESTINATION_PIECES;
        let (sources, long) = (&raw const piece, bl_piece { len, ..piece });
        for given in [
            bl_extras { source_pieces: sources, source_count: len, ..extras(has) },
            bl_extras {
                source_pieces: sources,
                source_count: 1,
                destination_pieces: sources,
                destination_count: len,
                ..extras(has)
            },
            bl_extras {
                source_pieces: &long,
                source_count: 1,
                destination_pieces: &long,
                destination_count: 1,
                ..extras(has)
            },
        ] {
            assert_eq!(run(bl_job { extras: &given, ..nowhere }), BL_E_ARGUMENT, "{len}");
        }
    }
    // SAFETY: all are open, and used no more.
    unsafe {
        bl_processor_close(processor);
        [seal, chain, opens].into_iter().for_each(|session| bl_session_close(session));
    }
}

#[test]
fn counts_are_refused_that_no_array_has() {
    let mut digest = [0; 32];
    let mut job = bl_job {
        size: size_of::<bl_job>(),
        source: b"abc".as_ptr(),
        len: 3,
        tag: digest.as_mut_ptr(),
        tag_len: digest.len(),
        ..zeroed()
    };
    let (mut processor, mut pair, mut workers) =
        (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let (mut number, mut place) = (0, ptr::null_mut());
    let config = bl_workers_config { size: size_of::<bl_workers_config>(), threads: 1, ..zeroed() };
    // SAFETY: the structures are as documented, but for counts that are refused.
    unsafe {
        assert_eq!(bl_processor_open(&mut processor), BL_OK);
        assert_eq!(bl_queue_pair_open(ptr::null(), &mut pair), BL_OK);
        assert_eq!(bl_workers_open(&config, &mut workers), BL_OK);
        let jobs = ptr::from_mut(&mut job);
        for count in NONE {
            let name = c"sha256".as_ptr();
            assert_eq!(bl_hash_many(name, jobs, count), BL_E_ARGUMENT, "{count}");
            assert_eq!(bl_process(processor, jobs, count), BL_E_ARGUMENT, "{count}");
            let status = bl_queue_pair_enqueue(pair, &jobs, count, &mut number);
            assert_eq!((status, number), (BL_E_ARGUMENT, 0), "{count}");
            let status = bl_workers_submit(workers, &jobs, count, &mut number);
            assert_eq!((status, number), (BL_E_ARGUMENT, 0), "{count}");
            // There are no jobs, and so no room is needed.
            assert_eq!(bl_queue_pair_dequeue(pair, &mut place, count, &mut number), BL_OK);
            assert_eq!(bl_workers_poll(workers, &mut place, count, &mut number), BL_OK);
            let none = &mut ptr::null_mut();
            let many = bl_workers_config { threads: count, ..config };
            assert_eq!(bl_workers_open(&many, none), BL_E_SYSTEM, "{count}");
            let size = size_of::<bl_stream_options>();
            for options in [
                bl_stream_options { size, threads: count, ..zeroed() },
                bl_stream_options { size, chunk: count, ..zeroed() },
            ] {
                let (at, room) = (digest.as_mut_ptr(), digest.len());
                let status = bl_compress(&options, b"abc".as_ptr(), 3, at, room, &mut number);
                assert_eq!(status, BL_E_ARGUMENT, "{count}");
            }
            let (at, room) = (digest.as_mut_ptr(), digest.len());
            let status = bl_compress(ptr::null(), b"a".as_ptr(), count, at, room, &mut number);
            assert_eq!(status, BL_E_ARGUMENT, "{count}");
            let status = bl_decompress(ptr::null(), b"a".as_ptr(), count, at, room, &mut number);
            assert_eq!(status, BL_E_ARGUMENT, "{count}");
        }
        bl_processor_close(processor);
        bl_queue_pair_close(pair);
        bl_workers_close(workers);
    }
}

#[test]
fn keys_of_parts_need_their_numbers_and_no_longer_ones() {
    let size = size_of::<bl_key_parts>();
    let (mut key, mut len) = ([0; 4096], 0);
    let mut make = |parts: &bl_key_parts| {
        // SAFETY: the numbers are as documented, but for lengths that are refused.
        unsafe { bl_key_from_parts(parts, key.as_mut_ptr(), key.len(), &mut len) }
    };
    for kind in [c"p256", c"p384", c"p521", c"secp256k1", c"k283", c"b283"] {
        let none = bl_key_parts { size, kind: kind.as_ptr(), ..zeroed() };
        assert_eq!(make(&none), BL_E_KEY, "{kind:?} without numbers");
        assert!(last_error().contains("the number d, or both of x and y"), "{}", last_error());
        let one = bl_number { bytes: [1].as_ptr(), len: 1 };
        assert_eq!(make(&bl_key_parts { x: one, ..none }), BL_E_KEY, "{kind:?} with x alone");
        assert_eq!(make(&bl_key_parts { y: one, ..none }), BL_E_KEY, "{kind:?} with y alone");
        for len in NONE {
            let long = bl_number { len, ..one };
            assert_eq!(make(&bl_key_parts { d: long, ..none }), BL_E_ARGUMENT);
        }
    }
    let none = bl_key_parts { size, kind: c"rsa".as_ptr(), ..zeroed() };
    assert_eq!(make(&none), BL_E_KEY, "RSA without numbers");
}
