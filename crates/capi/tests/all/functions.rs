//! The functions as C calls them: results, refusals, and that nothing is left behind.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use broadloom::{Algorithm, CipherAlgorithm, Direction, Job, Processor, Transform};
use broadloom_capi::*;

use crate::common::{self, last_error, zeroed};

/// A job with nothing set.
fn job() -> bl_job {
    bl_job { size: size_of::<bl_job>(), ..zeroed() }
}

fn extras(has: u32) -> bl_extras {
    bl_extras { size: size_of::<bl_extras>(), has, ..zeroed() }
}

fn transform(algorithm: &CStr) -> bl_transform {
    bl_transform { size: size_of::<bl_transform>(), algorithm: algorithm.as_ptr(), ..zeroed() }
}

/// A job over bytes in place.
fn in_place(session: *const bl_session, bytes: &mut [u8]) -> bl_job {
    let (source, destination) = (bytes.as_ptr(), bytes.as_mut_ptr());
    let len = bytes.len();
    bl_job { session, source, len, destination, room: len, ..job() }
}

fn words(text: *const c_char) -> String {
    // SAFETY: the library gives texts that end with a zero byte.
    unsafe { CStr::from_ptr(text) }.to_str().expect("it is UTF-8").to_owned()
}

fn open(transform: &bl_transform) -> *mut bl_session {
    common::open(transform).unwrap_or_else(|_| panic!("{}", last_error()))
}

/// The session of an algorithm and a direction, with a key of the usual length.
fn keyed(algorithm: &str, direction: &str, key: &[u8], mac_key: &[u8]) -> *mut bl_session {
    let (algorithm, direction) =
        (CString::new(algorithm).expect("no zero"), CString::new(direction).expect("no zero"));
    let (key_len, mac_key_len) = (key.len(), mac_key.len());
    open(&bl_transform {
        direction: direction.as_ptr(),
        key: key.as_ptr(),
        key_len,
        mac_key: mac_key.as_ptr(),
        mac_key_len,
        ..transform(&algorithm)
    })
}

struct Owned(*mut bl_processor);

impl Owned {
    fn new() -> Owned {
        let mut processor = ptr::null_mut();
        // SAFETY: the place is a variable.
        assert_eq!(unsafe { bl_processor_open(&mut processor) }, BL_OK);
        Owned(processor)
    }

    fn process(&self, jobs: &mut [bl_job]) -> bl_status {
        // SAFETY: the tests' jobs are as documented.
        unsafe { bl_process(self.0, jobs.as_mut_ptr(), jobs.len()) }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: it is open, and used no more.
        unsafe { bl_processor_close(self.0) };
    }
}

fn close(session: *mut bl_session) {
    // SAFETY: it is open, and its jobs have come back.
    unsafe { bl_session_close(session) };
}

/// Returns what the engine makes of a message: text and tag.
fn by_engine(session: &broadloom::Session, text: &[u8], nonce: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut jobs = [Job::new(session, text.to_vec()).nonce(nonce)];
    Processor::new().process_many(&mut jobs);
    assert!(jobs[0].succeeded(), "{:?}", jobs[0].status());
    let output = jobs[0].output().map_or(text, |output| output).to_vec();
    (output, jobs[0].tag().unwrap_or_default().to_vec())
}

#[test]
fn every_simple_algorithm_does_what_the_engine_does_and_back() {
    let registry = broadloom::registry();
    let processor = Owned::new();
    // RC4 is broken: providers have it only where they are asked for it.
    let rc4 = Algorithm::Cipher(CipherAlgorithm::Rc4);
    assert!(registry.providers().all(|provider| !provider.supports(rc4)));
    for algorithm in Algorithm::simple().filter(|algorithm| *algorithm != rc4) {
        let key: Vec<u8> = (1..).take(algorithm.key_len()).collect();
        let forth = algorithm.directions()[0];
        let built = Transform::new(algorithm, forth, &key, &[]).build().expect("it fits");
        let session = registry.open(&built).expect("somebody has it");
        // KASUMI's nonces are fields, of which few bits may be set.
        let nonce_len = algorithm.nonce_lens().max().min(16).max(algorithm.nonce_lens().min());
        let nonce_len = if algorithm.nonce_lens().contains(nonce_len) {
            nonce_len
        } else {
            algorithm.nonce_lens().min()
        };
        let nonce: Vec<u8> = (0..nonce_len).map(|at| 0x11 & algorithm.nonce_mask(at)).collect();
        let texts: Vec<Vec<u8>> = (1..40u8).map(|n| vec![n; 16 * usize::from(n)]).collect();
        let right: Vec<_> = texts.iter().map(|text| by_engine(&session, text, &nonce)).collect();

        let name = algorithm.to_string();
        let ours = keyed(&name, forth.name(), &key, &[]);
        // SAFETY: the session is open.
        let tag_len = unsafe { bl_session_tag_len(ours) };
        assert_eq!(tag_len, session.tag_len());
        let mut work: Vec<_> = texts.iter().map(|text| (text.clone(), vec![0; tag_len])).collect();
        let writes = algorithm.cipher().is_some() || matches!(algorithm, Algorithm::Aead(_));
        let mut jobs: Vec<_> = work
            .iter_mut()
            .map(|(text, tag)| bl_job {
                nonce: nonce.as_ptr(),
                nonce_len: nonce.len(),
                tag: tag.as_mut_ptr(),
                tag_len,
                ..in_place(ours, text)
            })
            .collect();
        if !writes {
            jobs.iter_mut().for_each(|job| job.destination = ptr::null_mut());
        }
        assert_eq!(processor.process(&mut jobs), BL_OK, "{name}: {}", last_error());
        assert!(jobs.iter().all(|job| (job.status, job.produced) == (BL_OK, tag_len)), "{name}");
        assert!(work == right, "{name}");

        let Some(&back) = algorithm.directions().iter().find(|direction| direction.checks()) else {
            close(ours);
            continue;
        };
        let theirs = keyed(&name, back.name(), &key, &[]);
        jobs.iter_mut().for_each(|job| job.session = theirs);
        assert_eq!(processor.process(&mut jobs), BL_OK, "{name}: {}", last_error());
        assert!(work.iter().map(|(text, _)| text).eq(&texts), "{name}");
        close(ours);
        close(theirs);
    }
}

#[test]
fn calls_on_many_buffers_do_what_sessions_do() {
    let mut digests = [[0; 32]; 70];
    let texts: Vec<Vec<u8>> = (0..70u8).map(|n| vec![n; usize::from(n) * 3]).collect();
    let mut jobs: Vec<_> = texts
        .iter()
        .zip(&mut digests)
        .map(|(text, digest)| bl_job {
            source: text.as_ptr(),
            len: text.len(),
            tag: digest.as_mut_ptr(),
            tag_len: 32,
            ..job()
        })
        .collect();
    // SAFETY: the jobs are as documented.
    let status = unsafe { bl_hash_many(c"sha256".as_ptr(), jobs.as_mut_ptr(), jobs.len()) };
    assert_eq!(status, BL_OK, "{}", last_error());
    let session = broadloom::registry()
        .open(&Transform::hash(broadloom::HashAlgorithm::Sha256))
        .expect("native has it");
    for (text, digest) in texts.iter().zip(digests) {
        assert_eq!(by_engine(&session, text, &[]).1, digest);
    }

    let key = b"a key";
    let (hash, count) = (c"sha256".as_ptr(), jobs.len());
    // SAFETY: as above.
    let status = unsafe { bl_hmac_many(hash, key.as_ptr(), key.len(), jobs.as_mut_ptr(), count) };
    assert_eq!(status, BL_OK, "{}", last_error());
    let hmac: Algorithm = "hmac-sha256".parse().expect("a name");
    let hmac = Transform::new(hmac, Direction::Generate, key, &[]).build().expect("it fits");
    let session = broadloom::registry().open(&hmac).expect("native has it");
    for (text, digest) in texts.iter().zip(digests) {
        assert_eq!(by_engine(&session, text, &[]).1, digest);
    }

    // A job with a session of its own says two things at once.
    let other = keyed("sha256", "digest", &[], &[]);
    jobs[7].session = other;
    // SAFETY: as above.
    let status = unsafe { bl_hash_many(c"sha256".as_ptr(), jobs.as_mut_ptr(), jobs.len()) };
    assert_eq!((status, jobs[7].status, jobs[8].status), (BL_E_JOBS, BL_E_ARGUMENT, BL_OK));
    assert!(last_error().starts_with("job 7: the job has a session"), "{}", last_error());
    close(other);
}

#[test]
fn a_cipher_and_an_aead_go_there_and_back_apart_and_in_place() {
    let key = [7; 32];
    let text: Vec<u8> = (0..160).collect();
    let mut sealed = vec![0; 160];
    let (mut tag, nonce, header) = ([0; 16], [3; 12], [9; 20]);
    let mut seal = [bl_job {
        source: text.as_ptr(),
        len: text.len(),
        destination: sealed.as_mut_ptr(),
        room: sealed.len(),
        nonce: nonce.as_ptr(),
        nonce_len: 12,
        associated: header.as_ptr(),
        associated_len: 20,
        tag: tag.as_mut_ptr(),
        tag_len: 16,
        ..job()
    }];
    let name = c"chacha20-poly1305".as_ptr();
    // SAFETY: the jobs of this test are as documented.
    unsafe {
        let status = bl_seal_many(name, key.as_ptr(), 32, seal.as_mut_ptr(), 1);
        assert_eq!(status, BL_OK, "{}", last_error());
        assert_ne!(sealed, text);
        (seal[0].source, seal[0].destination) = (sealed.as_ptr(), sealed.as_mut_ptr());
        let status = bl_open_many(name, key.as_ptr(), 32, seal.as_mut_ptr(), 1);
        assert_eq!(status, BL_OK, "{}", last_error());
        assert_eq!(sealed, text);
        // The tag is wrong for a plaintext that is taken for a ciphertext; and it is wiped.
        let status = bl_open_many(name, key.as_ptr(), 32, seal.as_mut_ptr(), 1);
        assert_eq!((status, seal[0].status), (BL_E_JOBS, BL_E_TAG_MISMATCH));
        assert_eq!(sealed, [0; 160]);
        assert_eq!(last_error(), "job 0: the tag is wrong");

        let iv = [1; 16];
        let mut bytes = text.clone();
        let mut cbc =
            [bl_job { nonce: iv.as_ptr(), nonce_len: 16, ..in_place(ptr::null(), &mut bytes) }];
        for (direction, changed) in [(c"encrypt", true), (c"decrypt", false)] {
            let (name, direction) = (c"aes-256-cbc".as_ptr(), direction.as_ptr());
            let status = bl_cipher_many(name, direction, key.as_ptr(), 32, cbc.as_mut_ptr(), 1);
            assert_eq!(status, BL_OK, "{}", last_error());
            assert_eq!(bytes != text, changed);
        }
        let status = bl_cipher_many(name, c"seal".as_ptr(), key.as_ptr(), 32, cbc.as_mut_ptr(), 1);
        assert_eq!(status, BL_E_NAME);
        assert!(last_error().contains("is no cipher"), "{}", last_error());
    }
}

/// ESP's layout in one buffer: header, IV, ciphertext, tag; and the same in three pieces.
#[test]
fn ranges_tags_in_the_data_and_pieces_are_those_of_the_engine() {
    let (key, mac_key, iv) = ([1; 16], [2; 20], [3; 16]);
    let session = keyed("aes-128-cbc+hmac-sha1", "encrypt", &key, &mac_key);
    let places = bl_extras {
        cipher: bl_range { start: 24, end: 88 },
        mac: bl_range { start: 0, end: 88 },
        tag_at: 88,
        ..extras(BL_HAS_CIPHER_RANGE | BL_HAS_MAC_RANGE | BL_HAS_TAG_AT)
    };
    let start: Vec<u8> = (0..108).collect();
    let mut whole = start.clone();
    let nonce = bl_job { nonce: iv.as_ptr(), nonce_len: 16, session, ..job() };
    let one = bl_job { extras: &places, ..in_place(session, &mut whole) };
    let one = bl_job { nonce: nonce.nonce, nonce_len: 16, ..one };

    let mut pieces = [start[..10].to_vec(), start[10..50].to_vec(), start[50..].to_vec()];
    let list =
        pieces.each_mut().map(|piece| bl_piece { bytes: piece.as_mut_ptr(), len: piece.len() });
    let scattered = bl_extras {
        has: places.has | BL_HAS_SOURCE_PIECES | BL_HAS_DESTINATION_PIECES,
        source_pieces: list.as_ptr(),
        source_count: 3,
        destination_pieces: list.as_ptr(),
        destination_count: 3,
        ..places
    };
    let three = bl_job { extras: &scattered, ..nonce };
    // A plain job in the place of one with extras, and the other way round.
    let mut plain = vec![5; 32];
    let mut tag = [0; 20];
    let both = bl_job {
        tag: tag.as_mut_ptr(),
        tag_len: 20,
        nonce: iv.as_ptr(),
        nonce_len: 16,
        ..in_place(session, &mut plain)
    };
    let processor = Owned::new();
    assert_eq!(processor.process(&mut [both, one, three]), BL_OK, "{}", last_error());
    assert_eq!(pieces.concat(), whole);
    assert_eq!(whole[..24], start[..24]);
    assert_ne!(whole[24..], start[24..]);
    let first = (plain.clone(), tag);
    assert_ne!(first.1, [0; 20]);
    // The shell of the job with extras stands for the one without, and the other way round.
    plain.fill(5);
    assert_eq!(processor.process(&mut [one, both]), BL_OK, "{}", last_error());
    assert_eq!((plain.clone(), tag), first);
    // Nor is anything left of extras that were refused.
    let refused = bl_extras { has: places.has | BL_HAS_LIMIT, limit: 1, ..places };
    let refused = bl_job { extras: &refused, ..one };
    assert_eq!(processor.process(&mut [refused]), BL_E_JOBS);
    plain.fill(5);
    assert_eq!(processor.process(&mut [both]), BL_OK, "{}", last_error());
    assert_eq!((plain, tag), first);
    close(session);
}

/// What came of a job: status, bytes produced, and the buffers that it may write to.
type Outcome = (bl_status, usize, Vec<u8>, Vec<u8>);

/// Kinds of jobs that leave different things with what the library keeps for the next job.
const KINDS: usize = 10;

/// Processes a job of a kind.
fn process_kind(processor: &Owned, sessions: &[*mut bl_session; 5], kind: usize) -> Outcome {
    let [hmac, seal, open, cbc, hash] = *sessions;
    let (mut text, mut tag) = ([7; 64], [0; 32]);
    let (nonce, associated) = ([1; 16], [2; 20]);
    let pieces = [
        bl_piece { bytes: text.as_mut_ptr(), len: 24 },
        bl_piece { bytes: text.as_mut_ptr().wrapping_add(24), len: 40 },
    ];
    let more = bl_extras {
        source_pieces: pieces.as_ptr(),
        source_count: 2,
        ..extras(BL_HAS_SOURCE_PIECES)
    };
    let ranged = bl_extras { mac: bl_range { start: 3, end: 60 }, ..extras(BL_HAS_MAC_RANGE) };
    let read = |session| bl_job { session, source: text.as_ptr(), len: 64, ..job() };
    let tagged = |job: bl_job, tag: &mut [u8; 32], tag_len| bl_job {
        tag: tag.as_mut_ptr(),
        tag_len,
        nonce: nonce.as_ptr(),
        nonce_len: 12,
        ..job
    };
    let bare = |job: bl_job, tag: &mut [u8; 32]| bl_job { nonce_len: 0, ..tagged(job, tag, 32) };
    let with_data =
        |job: bl_job| bl_job { associated: associated.as_ptr(), associated_len: 20, ..job };
    let given = match kind {
        0 => bare(read(hmac), &mut tag),
        1 => bare(read(hash), &mut tag),
        2 => with_data(tagged(in_place(seal, &mut text), &mut tag, 16)),
        3 => tagged(in_place(seal, &mut text), &mut tag, 16),
        // A tag that is wrong: what is decrypted is wiped.
        4 => with_data(tagged(in_place(open, &mut text), &mut tag, 16)),
        5 => bl_job { nonce: nonce.as_ptr(), nonce_len: 16, ..in_place(cbc, &mut text) },
        6 => bl_job {
            source: ptr::null(),
            len: 0,
            extras: &raw const more,
            ..bare(read(hash), &mut tag)
        },
        7 => bl_job { extras: &raw const ranged, ..bare(read(hmac), &mut tag) },
        // Refused: without bytes; with a nonce of a length that there is not.
        8 => bl_job { source: ptr::null(), ..bare(read(hmac), &mut tag) },
        _ => bl_job { nonce: nonce.as_ptr(), nonce_len: 3, ..in_place(cbc, &mut text) },
    };
    let mut jobs = [given];
    processor.process(&mut jobs);
    (jobs[0].status, jobs[0].produced, text.to_vec(), tag.to_vec())
}

#[test]
fn nothing_of_a_job_is_left_for_the_next_one() {
    let sessions = [
        keyed("hmac-sha256", "generate", &[3; 32], &[]),
        keyed("aes-128-gcm", "seal", &[4; 16], &[]),
        keyed("aes-128-gcm", "open", &[4; 16], &[]),
        keyed("aes-128-cbc", "encrypt", &[5; 16], &[]),
        open(&transform(c"sha256")),
    ];
    let alone: Vec<Outcome> =
        (0..KINDS).map(|kind| process_kind(&Owned::new(), &sessions, kind)).collect();
    let succeeded = alone.iter().filter(|result| result.0 == BL_OK).count();
    assert_eq!((succeeded, alone[4].0), (7, BL_E_TAG_MISMATCH));
    for before in 0..KINDS {
        for (kind, expected) in alone.iter().enumerate() {
            let processor = Owned::new();
            process_kind(&processor, &sessions, before);
            let result = process_kind(&processor, &sessions, kind);
            assert_eq!(result, *expected, "{kind} after {before}");
        }
    }
    sessions.into_iter().for_each(close);
}

#[test]
fn wrong_jobs_are_refused_with_words_and_the_others_done() {
    let session = keyed("aes-128-cbc", "encrypt", &[1; 16], &[]);
    let hash = keyed("sha1", "digest", &[], &[]);
    let iv = [3; 16];
    let mut bytes = vec![4; 64];
    let good = bl_job { nonce: iv.as_ptr(), nonce_len: 16, ..in_place(session, &mut bytes) };
    let mut digest = [0; 20];
    let hashed = bl_job { session: hash, tag: digest.as_mut_ptr(), tag_len: 20, ..job() };
    let other = good.destination.wrapping_add(8);
    let limited = bl_extras { limit: 5, ..extras(BL_HAS_LIMIT) };
    let unknown = extras(1 << 20);
    let wrong_size = bl_extras { size: 8, ..extras(0) };
    for (wrong, status, text) in [
        (bl_job { session: ptr::null(), ..good }, BL_E_ARGUMENT, "session of the job is a null"),
        (bl_job { source: ptr::null(), ..good }, BL_E_ARGUMENT, "source is a null pointer"),
        (bl_job { nonce: ptr::null(), ..good }, BL_E_ARGUMENT, "nonce is a null pointer"),
        (bl_job { destination: other, ..good }, BL_E_ARGUMENT, "destination overlap"),
        (bl_job { destination: other, room: 60, ..good }, BL_E_ROOM, "do not fit into 60"),
        (bl_job { destination: ptr::null_mut(), ..good }, BL_E_READ_ONLY, "only be read"),
        (bl_job { len: 63, ..good }, BL_E_DATA_LENGTH, "no multiple of the block length, 16"),
        (bl_job { nonce_len: 12, ..good }, BL_E_NONCE_LENGTH, "nonce of 12 bytes"),
        (bl_job { tag_len: 19, ..hashed }, BL_E_TAG_LENGTH, "20 bytes, and there is room for 19"),
        (
            bl_job { associated: iv.as_ptr(), associated_len: 4, ..hashed },
            BL_E_NOT_TAKEN,
            "takes no",
        ),
        (bl_job { extras: &limited, ..hashed }, BL_E_ARGUMENT, "decompressions alone"),
        (bl_job { extras: &unknown, ..hashed }, BL_E_ARGUMENT, "has is 0x100000"),
        (bl_job { extras: &wrong_size, ..hashed }, BL_E_ARGUMENT, "size of bl_extras is 8"),
    ] {
        let processor = Owned::new();
        let mut jobs = [hashed, wrong, hashed];
        digest.fill(0);
        assert_eq!(processor.process(&mut jobs), BL_E_JOBS);
        assert_eq!(jobs.map(|job| job.status), [BL_OK, status, BL_OK], "{text}");
        let said = last_error();
        assert!(said.starts_with("job 1: ") && said.contains(text), "{said} / {text}");
        assert_eq!(digest[..4], [0xda, 0x39, 0xa3, 0xee]);
        // Nothing of the wrong job is left in the shells.
        jobs = [hashed; 3];
        assert_eq!(processor.process(&mut jobs), BL_OK, "{}", last_error());
    }
    let processor = Owned::new();
    let mut short = [bl_job { size: 100, ..hashed }];
    assert_eq!(processor.process(&mut short), BL_E_JOBS);
    let right = format!("size of bl_job is 100; right is sizeof(bl_job), {}", size_of::<bl_job>());
    assert!(last_error().contains(&right), "{}", last_error());
    close(session);
    close(hash);
}

#[test]
fn wrong_transforms_are_refused_with_words() {
    let key = [1; 16];
    let keyed = |name| bl_transform { key: key.as_ptr(), key_len: 16, ..transform(name) };
    let scheme = bl_scheme {
        size: size_of::<bl_scheme>(),
        hash: ptr::null(),
        padding: ptr::null(),
        salt_len: 0,
        prehashed: 0,
        hedged: 0,
        context: ptr::null(),
        context_len: 0,
        external_mu: 0,
    };
    for (wrong, status, text) in [
        (transform(c"aes-129-gcm"), BL_E_NAME, "valid: md5"),
        (transform(c"\xff"), BL_E_NAME, "not UTF-8"),
        (transform(c"aes-128-gcm"), BL_E_TRANSFORM, "a key of 0 bytes does not fit"),
        (bl_transform { direction: c"seel".as_ptr(), ..keyed(c"aes-128-gcm") }, BL_E_NAME, "seal"),
        (bl_transform { tag_len: 5, ..keyed(c"aes-128-gcm") }, BL_E_TRANSFORM, "tags of 5 bytes"),
        (
            bl_transform { provider: c"isl".as_ptr(), ..keyed(c"aes-128-gcm") },
            BL_E_PROVIDER,
            "isal",
        ),
        (
            bl_transform { provider: c"zlib".as_ptr(), ..keyed(c"aes-128-gcm") },
            BL_E_PROVIDER,
            "zlib",
        ),
        (bl_transform { flags: 4, ..keyed(c"aes-128-gcm") }, BL_E_ARGUMENT, "flags is 0x4"),
        (bl_transform { scheme: &scheme, ..keyed(c"aes-128-gcm") }, BL_E_ARGUMENT, "no scheme"),
        (
            bl_transform { key: ptr::null(), ..keyed(c"aes-128-gcm") },
            BL_E_ARGUMENT,
            "key is a null",
        ),
        (bl_transform { size: 3, ..keyed(c"aes-128-gcm") }, BL_E_ARGUMENT, "bl_transform is 3"),
        (
            bl_transform { algorithm: ptr::null(), direction: c"sign".as_ptr(), ..keyed(c"") },
            BL_E_KEY,
            "the key cannot be read",
        ),
    ] {
        let mut session = ptr::null_mut();
        // SAFETY: the transforms are as documented, but for what is refused.
        assert_eq!(unsafe { bl_session_open(&wrong, &mut session) }, status, "{}", last_error());
        assert!(last_error().contains(text), "{} / {text}", last_error());
        assert!(session.is_null());
    }
    // SAFETY: null pointers are refused.
    unsafe {
        assert_eq!(bl_session_open(ptr::null(), &mut ptr::null_mut()), BL_E_ARGUMENT);
        assert_eq!(bl_session_open(&keyed(c"aes-128-gcm"), ptr::null_mut()), BL_E_ARGUMENT);
        bl_session_close(ptr::null_mut());
        assert_eq!(bl_process(ptr::null_mut(), ptr::null_mut(), 0), BL_E_ARGUMENT);
        assert!(bl_session_provider(ptr::null()).is_null());
    }
}

#[test]
fn queue_pairs_give_every_job_back_once_in_order() {
    let hmac = keyed("hmac-sha1", "generate", b"key", &[]);
    let gcm = keyed("aes-128-gcm", "seal", &[1; 16], &[]);
    let config = bl_queue_config {
        size: size_of::<bl_queue_config>(),
        capacity: 100,
        in_order: 1,
        batch: 0,
        max_wait_ns: BL_WAIT_FOR_EVER,
    };
    let mut pair = ptr::null_mut();
    // SAFETY: the configuration and the jobs of this test are as documented.
    unsafe {
        assert_eq!(bl_queue_pair_open(&config, &mut pair), BL_OK);
        assert_eq!(bl_queue_pair_capacity(pair), 100);
        let mut texts: Vec<Vec<u8>> = (0..150u8).map(|n| vec![n; 64]).collect();
        let mut tags = vec![[0; 20]; 150];
        let nonce = [2; 12];
        let mut jobs: Vec<_> = texts
            .iter_mut()
            .zip(&mut tags)
            .enumerate()
            .map(|(at, (text, tag))| {
                let session = if at % 3 == 0 { gcm } else { hmac };
                let nonce_len = if at % 3 == 0 { 12 } else { 0 };
                let mut job = in_place(session, text);
                if at % 3 != 0 {
                    job.destination = ptr::null_mut();
                }
                let (tag, nonce) = (tag.as_mut_ptr(), nonce.as_ptr());
                bl_job { tag, tag_len: 20, nonce, nonce_len, ..job }
            })
            .collect();
        let all: Vec<*mut bl_job> = jobs.iter_mut().map(|job| &raw mut *job).collect();
        let mut accepted = 0;
        assert_eq!(bl_queue_pair_enqueue(pair, all.as_ptr(), 150, &mut accepted), BL_OK);
        assert_eq!((accepted, bl_queue_pair_in_flight(pair)), (100, 100));
        let mut descriptor: c_int = -1;
        assert_eq!(bl_queue_pair_event(pair, &mut descriptor), BL_OK, "{}", last_error());
        assert!(descriptor >= 0);
        assert_eq!(bl_queue_pair_flush(pair), BL_OK);
        let (mut back, mut given) = (vec![ptr::null_mut(); 150], 0);
        assert_eq!(bl_queue_pair_dequeue(pair, back.as_mut_ptr(), 70, &mut given), BL_OK);
        assert_eq!((given, &back[..70]), (70, &all[..70]));
        assert!(all[..70].iter().all(|job| (**job).status == BL_OK));
        // A wrong job is not taken, and those before it are.
        let wrong = all[120];
        (*wrong).session = ptr::null();
        let rest = &all[100..];
        let status = bl_queue_pair_enqueue(pair, rest.as_ptr(), rest.len(), &mut accepted);
        assert_eq!((status, accepted), (BL_E_ARGUMENT, 20));
        assert!(last_error().starts_with("job 20: "), "{}", last_error());
        // What is left is done when the queue pair is closed.
        bl_queue_pair_close(pair);
        assert!(all[..120].iter().all(|job| (**job).status == BL_OK));
        assert_eq!((*all[121]).status, 0, "it was never taken");
        close(hmac);
        close(gcm);
    }
}

#[test]
fn workers_give_every_job_back_to_any_thread() {
    let session = keyed("sha256", "digest", &[], &[]);
    let config = bl_workers_config {
        size: size_of::<bl_workers_config>(),
        threads: 2,
        capacity: 64,
        ..zeroed()
    };
    let mut workers = ptr::null_mut();
    // SAFETY: the configuration and the jobs of this test are as documented.
    unsafe {
        let wrong = bl_workers_config { placement: c"far".as_ptr(), ..config };
        assert_eq!(bl_workers_open(&wrong, &mut workers), BL_E_NAME);
        assert!(last_error().contains("packed, spread"), "{}", last_error());
        assert_eq!(bl_workers_open(&config, &mut workers), BL_OK, "{}", last_error());
        let mut digests = vec![[0; 32]; 1000];
        let mut jobs: Vec<_> = digests
            .iter_mut()
            .map(|digest| bl_job { session, tag: digest.as_mut_ptr(), tag_len: 32, ..job() })
            .collect();
        let all: Vec<*mut bl_job> = jobs.iter_mut().map(|job| &raw mut *job).collect();
        let (mut submitted, mut complete) = (0, 0);
        let mut back = [ptr::null_mut(); 50];
        while complete < 900 {
            let (mut accepted, mut given, mut ready) = (0, 0, 0);
            let left = &all[submitted..];
            let status = bl_workers_submit(workers, left.as_ptr(), left.len(), &mut accepted);
            assert_eq!(status, BL_OK, "{}", last_error());
            submitted += accepted;
            assert_eq!(bl_workers_wait(workers, 1_000_000_000, &mut ready), BL_OK);
            assert_eq!(bl_workers_poll(workers, back.as_mut_ptr(), 50, &mut given), BL_OK);
            assert!(back[..given].iter().all(|job| (**job).status == BL_OK));
            complete += given;
        }
        assert_eq!(bl_workers_in_flight(workers), submitted - complete);
        bl_workers_close(workers);
        assert!(digests[..submitted].iter().all(|digest| digest[..4] == [0xe3, 0xb0, 0xc4, 0x42]));
        close(session);
    }
}

#[test]
fn compressions_say_what_they_made_and_how_much_room_is_missing() {
    let processor = Owned::new();
    let crc = bl_compression {
        size: size_of::<bl_compression>(),
        level: 6,
        window: 0,
        huffman: ptr::null(),
        checksum: c"crc32".as_ptr(),
        ending: ptr::null(),
    };
    let forth = open(&bl_transform { compression: &crc, ..transform(c"deflate") });
    let back = open(&bl_transform {
        direction: c"decompress".as_ptr(),
        compression: &crc,
        ..transform(c"deflate")
    });
    let text: Vec<u8> = (0..100_000u32).map(|n| (n / 100) as u8).collect();
    // SAFETY: the session is open.
    let mut room = vec![0; unsafe { bl_session_bound(forth, text.len()) }];
    let mut jobs = [bl_job {
        session: forth,
        source: text.as_ptr(),
        len: text.len(),
        destination: room.as_mut_ptr(),
        room: room.len(),
        ..job()
    }];
    assert_eq!(processor.process(&mut jobs), BL_OK, "{}", last_error());
    let compressed = jobs[0];
    assert!(compressed.produced > 0 && compressed.produced < text.len() / 10);
    let mut again = vec![0; text.len()];
    let decompress = bl_job {
        session: back,
        source: room.as_ptr(),
        len: compressed.produced,
        destination: again.as_mut_ptr(),
        room: again.len(),
        ..job()
    };
    let limit = bl_extras { limit: 99_999, ..extras(BL_HAS_LIMIT) };
    let mut jobs = [
        decompress,
        bl_job { room: 10, ..decompress },
        bl_job { extras: &limit, ..decompress },
        bl_job { len: 5, ..decompress },
        decompress,
    ];
    assert_eq!(processor.process(&mut jobs), BL_E_JOBS);
    let statuses = jobs.map(|job| job.status);
    assert_eq!(statuses, [BL_OK, BL_E_ROOM, BL_E_OUTPUT_LIMIT, BL_E_TRUNCATED, BL_OK]);
    assert_eq!((jobs[0].produced, jobs[1].produced), (text.len(), text.len()));
    assert_eq!((jobs[0].checksum, jobs[0].consumed), (compressed.checksum, compressed.produced));
    assert!(again == text);
    // A limit holds for its job alone, also where another kind of job comes between.
    let hash = keyed("sha1", "digest", &[], &[]);
    let between = bl_job { session: hash, ..job() };
    for (next, status) in [(jobs[2], BL_E_OUTPUT_LIMIT), (between, BL_OK), (decompress, BL_OK)] {
        let mut next = [next];
        processor.process(&mut next);
        assert_eq!(next[0].status, status, "{}", last_error());
    }
    close(hash);
    close(forth);
    close(back);
}

#[test]
fn a_lack_of_memory_has_a_status_of_its_own() {
    // Half of what a process can address, of which no page is ever touched: there is no room for
    // as much output.
    let len = 1 << 46;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: the mapping is new, and nothing refers to it but the job.
    let source = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_READ, flags, -1, 0) };
    assert_ne!(source, libc::MAP_FAILED);
    let processor = Owned::new();
    let session = keyed("deflate", "compress", &[], &[]);
    let mut text = [0u8; 100];
    let huge = bl_job { session, source: source.cast(), len, ..job() };
    let small = bl_job { destination: text.as_mut_ptr(), room: 100, len: 10, ..huge };
    let mut jobs = [huge, small];
    assert_eq!(processor.process(&mut jobs), BL_E_JOBS);
    assert_eq!(jobs.map(|job| job.status), [BL_E_NO_MEMORY, BL_OK], "{}", last_error());
    assert_eq!((jobs[0].produced, jobs[0].consumed), (0, 0));
    assert!(last_error().contains("there is no memory for"), "{}", last_error());
    close(session);
    // SAFETY: the mapping has this length, and nothing refers to it any more.
    assert_eq!(unsafe { libc::munmap(source, len) }, 0);
}

#[test]
fn inputs_of_any_length_go_there_and_back_in_every_format() {
    let text: Vec<u8> = (0..300_000u32).map(|n| (n / 7) as u8).collect();
    let size = size_of::<bl_stream_options>();
    let two_threads = bl_stream_options { size, threads: 2, ..zeroed() };
    for format in [c"gzip", c"zlib", c"bgzf", c"raw", c"parcomp"] {
        let options = bl_stream_options { format: format.as_ptr(), level: 6, ..two_threads };
        let (mut output, mut again) = (vec![0; 400_000], vec![0; 300_000]);
        let (mut len, mut back) = (0, 0);
        // SAFETY: the arguments are as documented.
        unsafe {
            let (from, from_len) = (text.as_ptr(), text.len());
            let to = output.as_mut_ptr();
            let status = bl_compress(&options, from, from_len, to, 400_000, &mut len);
            assert_eq!(status, BL_OK, "{}", last_error());
            let whole = len;
            let status = bl_compress(&options, from, from_len, to, 10, &mut len);
            assert_eq!((status, len), (BL_E_ROOM, whole));
            let status = bl_decompress(&options, to, whole, again.as_mut_ptr(), 300_000, &mut back);
            assert_eq!((status, back), (BL_OK, 300_000), "{format:?}: {}", last_error());
            assert!(again == text);
            let status = bl_decompress(&options, to, whole, again.as_mut_ptr(), 299_999, &mut back);
            assert_eq!((status, back), (BL_E_ROOM, 0), "{format:?}: {}", last_error());
            let status =
                bl_decompress(&options, to, whole - 1, again.as_mut_ptr(), 300_000, &mut back);
            assert_eq!(status, BL_E_DATA, "{format:?}: {}", last_error());
        }
    }
}

#[test]
fn the_framework_of_the_paper_goes_there_and_back() {
    let mut text: Vec<u8> = (0..200_000u32).map(|n| (n / 9) as u8).collect();
    let params = CfParams {
        level: 1,
        deflateWindowSize: 7,
        bStatic: 0,
        chunkSize: 16384,
        maxJobsOutstanding: 4,
        bDebug: 0,
        numThreads: 2,
        coreAffinity: 0,
    };
    for name in [c"zlib", c"libdeflate", c"qat"] {
        let (mut output, mut again) = (vec![0; 200_000], vec![0; 200_000]);
        let (mut provider, mut same) = (ptr::null_mut(), ptr::null_mut());
        let (mut len, mut back) = (0, 0);
        let mut params = params;
        // SAFETY: the arguments are as documented.
        unsafe {
            assert_eq!(cfGetProvider(name.as_ptr().cast_mut(), &mut provider), 0);
            assert_eq!(cfGetProvider(name.as_ptr().cast_mut(), &mut same), 0);
            assert_eq!(provider, same);
            let (from, to) = (text.as_mut_ptr(), output.as_mut_ptr());
            let status =
                cfCompressBuffer(provider, &mut params, from, 200_000, to, 200_000, &mut len);
            assert_eq!(status, 0, "{}", last_error());
            let back_to = again.as_mut_ptr();
            let status =
                cfDecompressBuffer(provider, &mut params, to, len, back_to, 200_000, &mut back);
            assert_eq!((status, back), (0, 200_000), "{}", last_error());
            assert!(again == text);
            let status = cfCompressBuffer(provider, &mut params, from, 200_000, to, 9, &mut back);
            assert_eq!((status, back), (BL_E_ROOM, len));
            for (wrong, words) in [
                (CfParams { numThreads: 33, ..params }, "numThreads is 33; valid: 0 to 32"),
                (CfParams { chunkSize: -1, ..params }, "chunkSize is -1"),
                (CfParams { chunkSize: 5, ..params }, "5"),
                (CfParams { level: 99, ..params }, "99"),
            ] {
                let mut wrong = wrong;
                let status =
                    cfCompressBuffer(provider, &mut wrong, from, 10, to, 200_000, &mut back);
                assert_ne!(status, 0);
                assert!(last_error().contains(words), "{} / {words}", last_error());
            }
            let none = c"gzip".as_ptr().cast_mut();
            assert_eq!(cfGetProvider(none, &mut provider), BL_E_PROVIDER);
            assert!(last_error().contains("libdeflate"), "{}", last_error());
        }
    }
}

#[test]
fn names_are_listed_and_statuses_have_words() {
    let listed = |name: fn(usize) -> *const c_char| -> Vec<String> {
        (0..).map(name).take_while(|name| !name.is_null()).map(words).collect()
    };
    let algorithms = listed(|number| bl_algorithm_name(number));
    assert!(algorithms.iter().any(|name| name == "aes-128-gcm"));
    assert!(algorithms.iter().all(|name| name.parse::<Algorithm>().is_ok()));
    assert_eq!(listed(|number| bl_provider_name(number))[0], "native");
    assert_eq!(words(bl_version()), env!("CARGO_PKG_VERSION"));
    assert_eq!(words(bl_status_text(BL_E_TAG_MISMATCH)), "the tag is wrong");
}
