//! After everything is closed, no key is left in the memory of the process: neither the caller's
//! bytes nor what is derived of them, whatever processor, thread-local or worker lives on.
//!
//! The program is alone, because it looks at the memory of its whole process.

use std::ffi::CStr;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use broadloom_capi::*;
use broadloom_residue::{Secret, assert_gone};

/// The key of FIPS 197, appendix A.1, which has its round keys.
const AES: &[u8; 16] = b"\x2b\x7e\x15\x16\x28\xae\xd2\xa6\xab\xf7\x15\x88\x09\xcf\x4f\x3c";
const HMAC: &[u8; 32] = b"\x2e\x12\xbd\xe0\x37\xe9\x90\xc1\xd8\xe3\x49\x19\x2e\xd3\x26\x93\
    \xb8\xdd\xbb\x11\x6d\xd5\x20\x04\x03\xb8\x23\x73\x0c\xa5\xb4\x51";
/// The salt of a flow, which is not looked for: it is too short.
const SALT: &[u8; 4] = &[0x5a; 4];
const RSA: &str = include_str!("../../engine/tests/keys/rsa-1024.pem");
const RSA_N: &[u8] =
    b"\xbd\xe2\x96\x74\xc6\xfb\xa2\xc4\x29\x66\xfc\x4d\x48\x3f\x25\x21\x78\x2b\x7d\x45\
    \x8f\x7a\xc4\x84\x1c\xd0\x1d\x01\xa1\x58\x87\x0c\x79\xbd\x8f\xfe\x22\x07\xa9\xa6\
    \xed\xd8\xe7\xaa\xa7\xc9\xc1\x50\x8d\x1e\xe1\x03\x67\x09\xbd\x3c\x96\x09\x6f\xef\
    \xcf\xb9\xc4\x3c\x70\x36\x24\x52\xff\x02\x89\x2f\xbe\x16\xaf\xb3\x24\x49\xbd\xaa\
    \x4c\x08\xb8\x0c\xda\x3e\x57\xd4\x49\x59\xf5\x88\x4e\xd5\x9c\xc6\x64\x3d\xd1\x16\
    \x3f\xca\x00\x2d\xfc\x10\xa1\x4e\x0b\x79\x9a\x5c\x3d\xe9\x8a\x53\xb6\xc0\x77\xe9\
    \x5a\xb9\xdd\x7f\x0f\x4d\x38\x15";
const RSA_P: &[u8] =
    b"\xe0\x66\x3e\x78\xae\x4e\xba\x0e\x96\xe7\xda\x4e\xe3\xe9\xe1\xf0\xdb\xde\x8f\x48\
    \x01\xb2\x68\xd4\x64\xc9\xc0\x0f\xfe\xc1\xe5\x65\x82\xd2\x94\x6c\xf2\xa1\x2c\xeb\
    \x03\xbb\x0c\xb4\x78\x2d\x9d\xef\x91\x2a\xfd\x4e\xb4\x74\xcb\xd1\x44\x60\xbc\x56\
    \x68\x92\x49\x6f";
const RSA_Q: &[u8] =
    b"\xd8\xa0\x14\x5b\x2c\xc9\xfe\x74\x9c\xc3\x1c\x59\x95\x6b\x95\x91\xa7\x3d\xf2\xc4\
    \x98\x6c\xbd\xd0\xcc\xaf\x4d\xe3\xa5\x4e\x22\xf6\xda\x25\xed\xdd\xf4\x3d\xb3\x12\
    \x54\x5f\x54\xd8\x2c\x86\x3c\x2a\x25\xe3\x5c\x7b\x06\xfa\x81\x8b\xf5\xc6\x21\x36\
    \xf3\x15\xac\xbb";
const P256: &str = include_str!("../../engine/tests/keys/p256.pem");
/// A seed, by `openssl genpkey -provparam ml-dsa.output_formats=seed-only`.
const ML_DSA: &str = "-----BEGIN PRIVATE KEY-----\n\
    MDQCAQAwCwYJYIZIAWUDBAMRBCKAIDXy0C2DDspTNxClFH3qz1to00O5g4Joz17r\n\
    e5h1hBra\n\
    -----END PRIVATE KEY-----\n";

/// What must not be left of AES under [`AES`].
fn of_aes() -> Vec<Secret> {
    vec![
        Secret::new("the key", AES),
        Secret::new(
            "round key 1",
            b"\xa0\xfa\xfe\x17\x88\x54\x2c\xb1\x23\xa3\x39\x39\x2a\x6c\x76\x05",
        ),
        Secret::new(
            "round key 10",
            b"\xd0\x14\xf9\xa8\xc9\xee\x25\x89\xe1\x3f\x0c\xc8\xb6\x63\x0c\xa6",
        ),
        Secret::new(
            "GHASH's key",
            b"\x7d\xf7\x6b\x0c\x1a\xb8\x99\xb3\x3e\x42\xf0\x47\xb9\x1b\x54\x6f",
        ),
        Secret::new(
            "GHASH's key",
            b"\x6f\x54\x1b\xb9\x47\xf0\x42\x3e\xb3\x99\xb8\x1a\x0c\x6b\xf7\x7d",
        ),
    ]
}

/// What must not be left of HMAC-SHA-256 under [`HMAC`]: the words of its states are kept as the
/// machine has them.
fn of_hmac() -> Vec<Secret> {
    vec![
        Secret::new("the key", HMAC),
        Secret::new(
            "the inner state",
            b"\xd1\x2d\x60\xbf\x46\xf4\x72\x19\x95\xdb\x12\xd6\xe7\xe8\xe1\x35",
        ),
        Secret::new(
            "the outer state",
            b"\x3f\xdf\xaa\xdb\x51\x93\xd1\x09\x2c\x64\x26\x12\xcb\x39\xce\x94",
        ),
    ]
}

/// What must not be left of the RSA key: the beginnings and the ends of its numbers, in both orders
/// of bytes, as `openssl rsa -text` prints them.
fn of_rsa() -> Vec<Secret> {
    vec![
        Secret::new("d", b"\x1a\x43\x04\x5c\x12\x49\x2b\x31\xc6\x28\x20\x2c\xf0\x19\x0b\xa1"),
        Secret::new("d", b"\xe1\x0b\x45\x87\x7b\x7e\x3a\xd6\x26\x9b\xa3\x96\xc6\xfe\xe7\xc1"),
        Secret::new("p", b"\xe0\x66\x3e\x78\xae\x4e\xba\x0e\x96\xe7\xda\x4e\xe3\xe9\xe1\xf0"),
        Secret::new("p", b"\x6f\x49\x92\x68\x56\xbc\x60\x44\xd1\xcb\x74\xb4\x4e\xfd\x2a\x91"),
        Secret::new("q", b"\xd8\xa0\x14\x5b\x2c\xc9\xfe\x74\x9c\xc3\x1c\x59\x95\x6b\x95\x91"),
        Secret::new("q", b"\xbb\xac\x15\xf3\x36\x21\xc6\xf5\x8b\x81\xfa\x06\x7b\x5c\xe3\x25"),
        Secret::new("dp", b"\x91\xe1\x46\x29\x94\x3f\xaf\xea\xfe\x25\x9a\x21\x81\x3f\x31\xd8"),
        Secret::new("dp", b"\xd7\x97\x0f\xca\x89\x6e\xc6\x68\xaa\x11\x3a\x80\x4c\x63\x42\x4c"),
    ]
}

/// What must not be left of the key on P-256: the beginning of its scalar, in both orders.
fn of_p256() -> Vec<Secret> {
    vec![
        Secret::new(
            "the scalar",
            b"\x95\x66\x14\x74\x51\x51\x76\x48\xa2\x65\xfc\xa9\x9c\x6e\x50\x09",
        ),
        Secret::new(
            "the scalar",
            b"\x30\x04\x26\x26\x4d\x1b\x6e\x28\x6a\xc0\xdd\xbd\xff\xc1\xa2\x2a",
        ),
    ]
}

/// What must not be left of the key of ML-DSA-44: its seed, and beginnings of what is expanded of
/// it, as `openssl pkey -text` prints them.
fn of_ml_dsa() -> Vec<Secret> {
    vec![
        Secret::new(
            "the seed",
            b"\x35\xf2\xd0\x2d\x83\x0e\xca\x53\x37\x10\xa5\x14\x7d\xea\xcf\x5b",
        ),
        Secret::new(
            "the seed's end",
            b"\x68\xd3\x43\xb9\x83\x82\x68\xcf\x5e\xeb\x7b\x98\x75\x84\x1a\xda",
        ),
        Secret::new("K", b"\x1f\xc2\x4f\x7f\xd2\x76\xa4\x02\xe9\x14\x28\x16\xe7\xf6\x55\x02"),
        Secret::new("s1", b"\xd2\x94\x44\xc3\x04\x28\xc0\xb0\x60\x92\xb0\x91\xa4\x88\x30\x51"),
        Secret::new("s2", b"\xd1\x40\x28\xcc\xc4\x08\x0b\xa3\x21\x63\x10\x24\x20\xb4\x00\x04"),
    ]
}

/// All that has a key here.
const ALL: [What; 9] = [
    What {
        algorithm: Some(c"aes-128-gcm"),
        key: AES,
        mac_key: &[],
        direction: c"seal",
        secrets: of_aes,
    },
    What {
        algorithm: Some(c"aes-128-cbc"),
        key: AES,
        mac_key: &[],
        direction: c"encrypt",
        secrets: of_aes,
    },
    What {
        algorithm: Some(c"aes-128-ctr"),
        key: AES,
        mac_key: &[],
        direction: c"encrypt",
        secrets: of_aes,
    },
    What {
        algorithm: Some(c"aes-128-cmac"),
        key: AES,
        mac_key: &[],
        direction: c"generate",
        secrets: of_aes,
    },
    What {
        algorithm: Some(c"hmac-sha256"),
        key: HMAC,
        mac_key: &[],
        direction: c"generate",
        secrets: of_hmac,
    },
    What {
        algorithm: Some(c"aes-128-cbc+hmac-sha256"),
        key: AES,
        mac_key: HMAC,
        direction: c"encrypt",
        secrets: || [of_aes(), of_hmac()].into_iter().flatten().collect(),
    },
    What {
        algorithm: None,
        key: RSA.as_bytes(),
        mac_key: &[],
        direction: c"sign",
        secrets: of_rsa,
    },
    What {
        algorithm: None,
        key: P256.as_bytes(),
        mac_key: &[],
        direction: c"sign",
        secrets: of_p256,
    },
    What {
        algorithm: None,
        key: ML_DSA.as_bytes(),
        mac_key: &[],
        direction: c"sign",
        secrets: of_ml_dsa,
    },
];

/// A transform, and what it must not leave.
#[derive(Clone, Copy)]
struct What {
    algorithm: Option<&'static CStr>,
    key: &'static [u8],
    mac_key: &'static [u8],
    direction: &'static CStr,
    secrets: fn() -> Vec<Secret>,
}

/// One test at a time: another's keys are in use while this one searches.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn check(what: What) {
    let secrets = (what.secrets)();
    eprintln!("{:?} {:?}", what.algorithm, what.direction);
    assert_gone(&secrets.iter().collect::<Vec<_>>());
}

fn open(what: What) -> *mut bl_session {
    // SAFETY: all members are numbers and pointers, for which zero is a value.
    let zero: bl_transform = unsafe { std::mem::zeroed() };
    let transform = bl_transform {
        size: size_of::<bl_transform>(),
        algorithm: what.algorithm.map_or(ptr::null(), CStr::as_ptr),
        direction: what.direction.as_ptr(),
        key: what.key.as_ptr(),
        key_len: what.key.len(),
        mac_key: what.mac_key.as_ptr(),
        mac_key_len: what.mac_key.len(),
        ..zero
    };
    let mut session = ptr::null_mut();
    // SAFETY: the transform is as documented.
    let status = unsafe { bl_session_open(&transform, &mut session) };
    assert_eq!(status, BL_OK, "{}", last_error());
    session
}

fn last_error() -> String {
    // SAFETY: the library gives texts that end with a zero byte.
    unsafe { CStr::from_ptr(bl_last_error()) }.to_string_lossy().into_owned()
}

/// Texts, and room for tags and signatures, for several jobs.
struct Room {
    texts: Vec<[u8; 64]>,
    tags: Vec<[u8; 2420]>,
    nonce: [u8; 16],
}

impl Room {
    fn new() -> Room {
        Room { texts: vec![[7; 64]; 20], tags: vec![[0; 2420]; 20], nonce: [0x11; 16] }
    }

    /// Jobs of a session, or of none.
    fn jobs(&mut self, session: *const bl_session, what: What) -> Vec<bl_job> {
        let name = what.algorithm.map_or("", |name| name.to_str().expect("it is ASCII"));
        let nonce_len = match name {
            "aes-128-gcm" => 12,
            "aes-128-cbc" | "aes-128-ctr" | "aes-128-cbc+hmac-sha256" => 16,
            _ => 0,
        };
        let writes = nonce_len > 0;
        let pairs = self.texts.iter_mut().zip(&mut self.tags);
        let jobs = pairs.map(|(text, tag)| {
            // SAFETY: all members are numbers and pointers, for which zero is a value.
            let zero: bl_job = unsafe { std::mem::zeroed() };
            let place = text.as_mut_ptr();
            bl_job {
                size: size_of::<bl_job>(),
                session,
                source: place,
                len: text.len(),
                destination: if writes { place } else { ptr::null_mut() },
                room: text.len(),
                nonce: self.nonce.as_ptr(),
                nonce_len,
                tag: tag.as_mut_ptr(),
                tag_len: tag.len(),
                ..zero
            }
        });
        jobs.collect()
    }
}

#[test]
fn a_closed_session_leaves_no_key_in_a_processor() {
    let _alone = alone();
    let mut processor = ptr::null_mut();
    // SAFETY: the place is a variable.
    assert_eq!(unsafe { bl_processor_open(&mut processor) }, BL_OK);
    for what in ALL {
        let session = open(what);
        let mut room = Room::new();
        let mut jobs = room.jobs(session, what);
        // SAFETY: the jobs and the session are as documented.
        unsafe {
            let status = bl_process(processor, jobs.as_mut_ptr(), jobs.len());
            assert_eq!(status, BL_OK, "{}", last_error());
            bl_session_close(session);
        }
        check(what);
    }
    // SAFETY: it is open, and used no more.
    unsafe { bl_processor_close(processor) };
}

/// A closed flow leaves neither its key nor what is derived of it, while the processor lives on.
#[test]
fn a_closed_flow_leaves_no_key_in_a_processor() {
    let _alone = alone();
    let mut processor = ptr::null_mut();
    // SAFETY: the place is a variable.
    assert_eq!(unsafe { bl_processor_open(&mut processor) }, BL_OK);
    for (algorithm, integrity_len, salt_len) in
        [(c"esp-aes-128-gcm", 0, 4), (c"esp-aes-128-cbc-hmac-sha256", 32, 0)]
    {
        // SAFETY: all members are numbers and pointers, for which zero is a value.
        let (config, packet): (bl_esp_config, bl_packet) = unsafe { std::mem::zeroed() };
        let config = bl_esp_config {
            size: size_of::<bl_esp_config>(),
            algorithm: algorithm.as_ptr(),
            key: AES.as_ptr(),
            key_len: AES.len(),
            salt: SALT.as_ptr(),
            salt_len,
            integrity_key: HMAC.as_ptr(),
            integrity_key_len: integrity_len,
            spi: 300,
            ..config
        };
        let (mut flow, mut buffer) = (ptr::null_mut(), [7_u8; 512]);
        // SAFETY: the configuration and the packet are as documented.
        unsafe {
            assert_eq!(bl_esp_open(&config, &mut flow), BL_OK, "{}", last_error());
            let mut packet = bl_packet {
                size: size_of::<bl_packet>(),
                flow,
                buffer: buffer.as_mut_ptr(),
                room: buffer.len(),
                begin: 100,
                len: 100,
                ..packet
            };
            assert_eq!(bl_protect_burst(processor, &mut packet, 1), BL_OK, "{}", last_error());
            bl_flow_close(flow);
        }
        let secrets: Vec<Secret> = of_aes().into_iter().chain(of_hmac()).collect();
        eprintln!("{algorithm:?}");
        assert_gone(&secrets.iter().collect::<Vec<_>>());
    }
    // SAFETY: it is open, and used no more.
    unsafe { bl_processor_close(processor) };
}

#[test]
fn a_closed_session_leaves_no_key_in_a_queue_pair() {
    let _alone = alone();
    let mut pair = ptr::null_mut();
    // SAFETY: the place is a variable.
    assert_eq!(unsafe { bl_queue_pair_open(ptr::null(), &mut pair) }, BL_OK);
    for what in ALL {
        let session = open(what);
        let mut room = Room::new();
        let mut jobs = room.jobs(session, what);
        let places: Vec<*mut bl_job> = jobs.iter_mut().map(ptr::from_mut).collect();
        let (mut taken, mut given) = (0, 0);
        let mut back = vec![ptr::null_mut(); places.len()];
        // SAFETY: the jobs and the session are as documented.
        unsafe {
            assert_eq!(
                bl_queue_pair_enqueue(pair, places.as_ptr(), places.len(), &mut taken),
                BL_OK
            );
            assert_eq!(bl_queue_pair_flush(pair), BL_OK);
            assert_eq!(
                bl_queue_pair_dequeue(pair, back.as_mut_ptr(), back.len(), &mut given),
                BL_OK
            );
            bl_session_close(session);
        }
        assert_eq!((taken, given), (places.len(), places.len()));
        assert!(jobs.iter().all(|job| job.status == BL_OK));
        check(what);
    }
    // SAFETY: it is open, and used no more.
    unsafe { bl_queue_pair_close(pair) };
}

#[test]
fn a_closed_session_leaves_no_key_in_workers() {
    let _alone = alone();
    let mut workers = ptr::null_mut();
    // SAFETY: all members are numbers and pointers, for which zero is a value.
    let zero: bl_workers_config = unsafe { std::mem::zeroed() };
    let config = bl_workers_config { size: size_of::<bl_workers_config>(), threads: 2, ..zero };
    // SAFETY: the configuration is as documented.
    assert_eq!(unsafe { bl_workers_open(&config, &mut workers) }, BL_OK);
    for what in ALL {
        let session = open(what);
        let mut room = Room::new();
        let mut jobs = room.jobs(session, what);
        let places: Vec<*mut bl_job> = jobs.iter_mut().map(ptr::from_mut).collect();
        let mut taken = 0;
        let mut back = vec![ptr::null_mut(); places.len()];
        // SAFETY: the jobs and the session are as documented.
        unsafe {
            assert_eq!(
                bl_workers_submit(workers, places.as_ptr(), places.len(), &mut taken),
                BL_OK
            );
            assert_eq!(taken, places.len());
            let mut done = 0;
            while done < taken {
                let mut given = 0;
                assert_eq!(bl_workers_wait(workers, 1_000_000_000, ptr::null_mut()), BL_OK);
                assert_eq!(bl_workers_poll(workers, back.as_mut_ptr(), taken, &mut given), BL_OK);
                done += given;
            }
            bl_session_close(session);
        }
        assert!(jobs.iter().all(|job| job.status == BL_OK));
        check(what);
    }
    // SAFETY: they are open, and used no more.
    unsafe { bl_workers_close(workers) };
}

#[test]
fn calls_on_many_buffers_leave_no_key_in_their_thread() {
    let _alone = alone();
    for what in ALL {
        let mut room = Room::new();
        let mut jobs = room.jobs(ptr::null(), what);
        let (at, count) = (jobs.as_mut_ptr(), jobs.len());
        let (name, key, key_len) =
            (what.algorithm.map_or(ptr::null(), CStr::as_ptr), what.key.as_ptr(), what.key.len());
        // SAFETY: the jobs and the keys are as documented.
        let status = unsafe {
            match what.direction.to_bytes() {
                b"sign" => bl_sign_many(ptr::null(), key, key_len, at, count),
                b"seal" => bl_seal_many(name, key, key_len, at, count),
                b"generate" if key_len == HMAC.len() => {
                    bl_hmac_many(c"sha256".as_ptr(), key, key_len, at, count)
                }
                b"encrypt" if what.mac_key.is_empty() => {
                    bl_cipher_many(name, what.direction.as_ptr(), key, key_len, at, count)
                }
                // No function has these.
                _ => continue,
            }
        };
        assert_eq!(status, BL_OK, "{}", last_error());
        check(what);
    }
}

#[test]
fn a_key_that_was_made_of_parts_is_the_callers_alone() {
    let _alone = alone();
    // SAFETY: all members are numbers and pointers, for which zero is a value.
    let zero: bl_key_parts = unsafe { std::mem::zeroed() };
    let number = |bytes: &'static [u8]| bl_number { bytes: bytes.as_ptr(), len: bytes.len() };
    // Numbers of an RSA key of which only these are given, so that the others are computed.
    let rsa = bl_key_parts {
        size: size_of::<bl_key_parts>(),
        kind: c"rsa".as_ptr(),
        n: number(RSA_N),
        e: number(b"\x01\x00\x01"),
        p: number(RSA_P),
        q: number(RSA_Q),
        ..zero
    };
    let (mut key, mut len) = ([0; 4096], 0);
    // SAFETY: the parts are as documented.
    let status = unsafe { bl_key_from_parts(&rsa, key.as_mut_ptr(), key.len(), &mut len) };
    assert_eq!(status, BL_OK, "{}", last_error());
    key.fill(0);
    std::hint::black_box(&mut key);
    let what = What { direction: c"from parts", ..ALL[6] };
    check(what);
}
