//! Tests of this provider alone: contexts, queues, limits of libcrypto. The conformance suite tests
//! the properties of all providers.

use std::sync::Arc;
use std::thread;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, CipherAlgorithm, Direction, Job, JobError, Lengths,
    MacAlgorithm, Processor, Session, Transform,
};
use des::TdesEde3;
use des::cipher::{Block, BlockCipherEncrypt, KeyInit};

use crate::evp::Libcrypto;
use crate::{LoadError, OpenSsl};

const GCM: AeadAlgorithm = AeadAlgorithm::AesGcm(AesSize::Aes128);
const CCM: AeadAlgorithm = AeadAlgorithm::AesCcm(AesSize::Aes128);
const LENGTHS: [usize; 12] = [0, 1, 7, 8, 15, 16, 17, 48, 64, 250, 2048, 5000];

/// The library, or nothing where it may be missing: continuous integration must have it.
pub(crate) fn library() -> Option<&'static Libcrypto> {
    broadloom_testing::present("the openssl provider", Libcrypto::get())
}

/// The provider with what is broken, so that it is tested, too.
fn provider(options: &[(&str, &str)]) -> Option<Arc<OpenSsl>> {
    library()?;
    let options = [options, &[("legacy", "yes")]].concat();
    Some(Arc::new(OpenSsl::load(&options).expect("the options are right and libcrypto is there")))
}

fn open(provider: &Arc<OpenSsl>, transform: &Transform) -> Session {
    Session::open(Arc::clone(provider) as Arc<dyn Provider>, transform).expect("libcrypto has it")
}

/// Some bytes, different for every seed.
fn bytes(seed: usize, len: usize) -> Vec<u8> {
    broadloom_testing::noise(len, seed as u64)
}

/// One job: what comes out as data and as tag.
fn process(
    processor: &mut Processor,
    session: &Session,
    nonce: &[u8],
    associated: &[u8],
    data: &[u8],
    tag: Option<&[u8]>,
) -> Result<(Vec<u8>, Vec<u8>), JobError> {
    let mut job = Job::new(session, data.to_vec()).nonce(nonce).associated(associated);
    if let Some(tag) = tag {
        job.set_expected_tag(tag);
    }
    processor.process_many(std::slice::from_mut(&mut job));
    let outcome = job.status().expect("it is complete");
    let made = job.tag().unwrap_or_default().to_vec();
    let data = job.into_parts().0.output().expect("it is in one piece").to_vec();
    match outcome {
        Ok(()) => Ok((data, made)),
        Err(error) => {
            assert!(data.iter().all(|byte| *byte == 0) || tag.is_none(), "nothing is released");
            Err(error)
        }
    }
}

#[test]
fn all_ways_to_have_contexts_give_the_same() {
    let Some(default) = provider(&[]) else { return };
    let per_job = provider(&[("contexts", "per-job")]).expect("it was there");
    let only = provider(&[("queue-pairs", "1")]).expect("it was there");
    let again = [("keys", "per-job"), ("padding", "per-job"), ("ivs", "per-job")];
    let again = provider(&again).expect("it was there");
    let locked = provider(&[("contexts", "locked")]).expect("it was there");
    let mut processors: [_; 5] = std::array::from_fn(|_| Processor::new());
    let provider: &dyn Provider = &*default;
    for algorithm in Algorithm::simple().filter(|algorithm| provider.supports(*algorithm)) {
        let key = bytes(1, algorithm.key_len());
        let (make, check) = match *algorithm.directions() {
            [make] => (make, None),
            [make, check, ..] => (make, Some(check)),
            [] => panic!("{algorithm} does nothing"),
        };
        let sessions = [&default, &per_job, &only, &again, &locked].map(|provider| {
            let open_for = |direction| {
                let transform =
                    Transform::new(algorithm, direction, &key, &[]).build().expect("it is valid");
                open(provider, &transform)
            };
            (open_for(make), check.map(open_for))
        });
        // Twice over, so that what a queue keeps is used again.
        for (seed, len) in LENGTHS.into_iter().chain(LENGTHS).enumerate() {
            let len = len.next_multiple_of(algorithm.granularity()).max(algorithm.min_len());
            let data = bytes(seed, len);
            let nonce = bytes(seed, algorithm.nonce_lens().max().min(12 + 4 * (seed % 2)));
            let nonce = match algorithm.cipher() {
                Some(cipher) => bytes(seed, cipher.nonce_len()),
                None => nonce,
            };
            let aead = matches!(algorithm, Algorithm::Aead(_));
            let associated = if aead { bytes(seed, seed % 3 * 10) } else { Vec::new() };
            let mut made =
                processors.iter_mut().zip(&sessions).map(|(processor, (make, check))| {
                    let (output, tag) = process(processor, make, &nonce, &associated, &data, None)
                        .unwrap_or_else(|error| panic!("{algorithm}, {len} bytes: {error}"));
                    if let Some(check) = check {
                        let expected = (!tag.is_empty()).then_some(tag.as_slice());
                        let back =
                            process(processor, check, &nonce, &associated, &output, expected);
                        assert_eq!(
                            back,
                            Ok((data.clone(), Vec::new())),
                            "{algorithm}, {len} bytes"
                        );
                    }
                    (output, tag)
                });
            let first = made.next().expect("five of them");
            assert!(made.all(|other| other == first), "{algorithm}, {len} bytes");
            assert!(
                algorithm.cipher().is_none() || len < 8 || first.0 != data,
                "{algorithm}: no cipher"
            );
        }
    }
}

/// Also, what goes from one place to another leaves a context as what is done in place does:
/// messages alternate.
#[test]
fn ciphers_do_the_same_in_place_and_from_one_place_to_another() {
    let Some(provider) = provider(&[]) else { return };
    let mut processor = Processor::new();
    let has = |cipher: &CipherAlgorithm| provider.supports(Algorithm::Cipher(*cipher));
    for cipher in CipherAlgorithm::all().filter(has) {
        let key = bytes(9, cipher.key_len());
        let builder = || Transform::cipher(cipher, &key);
        for transform in [builder().encrypt(), builder().decrypt()] {
            let session = open(&provider, &transform.expect("it is valid"));
            for (seed, len) in LENGTHS.into_iter().enumerate() {
                let len = len.next_multiple_of(cipher.granularity()).max(cipher.min_len());
                let source = bytes(seed, len);
                let nonce = bytes(seed, cipher.nonce_len());
                let mut results = Vec::new();
                for _ in 0..2 {
                    let in_place = process(&mut processor, &session, &nonce, b"", &source, None);
                    results.push(in_place.expect("it is ciphered").0);
                    let mut apart = vec![0; source.len()];
                    let data = (source.as_slice(), apart.as_mut_slice());
                    processor.process_many(&mut [Job::new(&session, data).nonce(&nonce)]);
                    results.push(apart);
                }
                assert!(
                    results.iter().all(|result| *result == results[0]),
                    "{cipher}, {len} bytes"
                );
            }
        }
    }
}

#[test]
fn queues_on_two_threads_share_gcm_and_ccm_sessions() {
    let Some(provider_of_two) = provider(&[("queue-pairs", "2")]) else { return };
    let alone = provider(&[("queue-pairs", "1")]).expect("it was there");
    for aead in [GCM, CCM] {
        let seal = Transform::aead(aead, &bytes(3, 16)).seal().expect("it is valid");
        let (shared, reference) = (open(&provider_of_two, &seal), open(&alone, &seal));
        let opening = Transform::aead(aead, &bytes(3, 16)).open().expect("it is valid");
        let opening = open(&provider_of_two, &opening);
        let text = |seed: usize| bytes(seed, seed % 200);
        let mut processor = Processor::new();
        let expected: Vec<_> = (0..2000)
            .map(|seed| {
                process(&mut processor, &reference, &bytes(seed, 12), b"header", &text(seed), None)
            })
            .collect();
        thread::scope(|scope| {
            for half in 0..2 {
                let (shared, opening, expected, text) = (&shared, &opening, &expected, &text);
                scope.spawn(move || {
                    let mut processor = Processor::new();
                    for seed in (half..2000).step_by(2) {
                        let nonce = bytes(seed, 12);
                        let sealed =
                            process(&mut processor, shared, &nonce, b"header", &text(seed), None);
                        assert_eq!(sealed, expected[seed], "{aead}, job {seed}");
                        let (sealed, tag) = sealed.expect("it was sealed");
                        let opened = process(
                            &mut processor,
                            opening,
                            &nonce,
                            b"header",
                            &sealed,
                            Some(&tag),
                        );
                        assert_eq!(opened, Ok((text(seed), Vec::new())), "{aead}, job {seed}");
                    }
                });
            }
        });
    }
}

#[test]
fn no_more_queues_than_it_was_opened_for() {
    let Some(one) = provider(&[("queue-pairs", "1")]) else { return };
    let first = one.open_queue().expect("there is one");
    assert_eq!(
        one.open_queue().err().expect("there is no other").reason,
        "the one queue pair that the openssl provider was opened for (its option queue-pairs) are \
         in use"
    );
    drop(first);
    let _again = one.open_queue().expect("it was given back");
    let three = provider(&[("queue-pairs", "3")]).expect("it was there");
    let _queues: Vec<_> = (0..3).map(|_| three.open_queue().expect("there are three")).collect();
    let reason = three.open_queue().err().expect("there is no fourth").reason;
    assert!(reason.starts_with("all 3 queue pairs "), "{reason}");
}

#[test]
fn a_queue_that_follows_another_uses_its_contexts() {
    let Some(provider) = provider(&[("queue-pairs", "2")]) else { return };
    let transform = Transform::aead(GCM, &bytes(4, 16)).seal().expect("it is valid");
    let session = open(&provider, &transform);
    // The first leaves a context with another length of nonce.
    let long = process(&mut Processor::new(), &session, &[5; 40], b"", b"text", None);
    let short = process(&mut Processor::new(), &session, &[5; 12], b"", b"text", None);
    assert!(long.is_ok() && short.is_ok() && long != short);
    let fresh = open(&provider, &transform);
    assert_eq!(short, process(&mut Processor::new(), &fresh, &[5; 12], b"", b"text", None));
    assert_eq!(long, process(&mut Processor::new(), &fresh, &[5; 40], b"", b"text", None));
}

#[test]
fn triple_des_counters_wrap_and_span_calls() {
    let Some(provider) = provider(&[]) else { return };
    let key = bytes(5, 24);
    let reference = TdesEde3::new_from_slice(&key).expect("24 bytes are a key");
    let cipher = CipherAlgorithm::TripleDesCtr;
    let sessions = [
        Transform::cipher(cipher, &key).encrypt().expect("it is valid"),
        Transform::cipher(cipher, &key).decrypt().expect("it is valid"),
    ]
    .map(|transform| open(&provider, &transform));
    let mut processor = Processor::new();
    for first in [0, 1, u64::MAX, u64::MAX - 3, u64::from(u32::MAX), 0x00ff_ffff_ffff_fffe] {
        for len in [0, 1, 7, 8, 9, 31, 64, 2047, 2048, 2049, 4100] {
            let data = bytes(len, len);
            let mut expected = data.clone();
            for (index, block) in expected.chunks_mut(8).enumerate() {
                let mut stream =
                    Block::<TdesEde3>::from(first.wrapping_add(index as u64).to_be_bytes());
                reference.encrypt_block(&mut stream);
                block.iter_mut().zip(stream).for_each(|(byte, key)| *byte ^= key);
            }
            for session in &sessions {
                let (made, _) =
                    process(&mut processor, session, &first.to_be_bytes(), b"", &data, None)
                        .unwrap();
                assert_eq!(made, expected, "{len} bytes from counter {first:#x} on");
            }
            let mut apart = vec![0; len];
            let mut job = Job::new(&sessions[0], (data.as_slice(), apart.as_mut_slice()));
            job.set_nonce(&first.to_be_bytes());
            processor.process_many(&mut [job]);
            assert_eq!(apart, expected, "{len} bytes from counter {first:#x} on, out of place");
        }
    }
}

/// The examples of SP 800-38C, appendix C: three lengths of nonce and of tag.
#[test]
fn ccm_follows_its_standard_in_whatever_order_nonces_come() {
    let Some(provider) = provider(&[]) else { return };
    let count = |from: u8, len: u8| (from..from + len).collect::<Vec<u8>>();
    let examples = [
        (7, 8, 4, "7162015b4dac255d"),
        (8, 16, 16, "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd"),
        (12, 20, 24, "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951"),
    ];
    let mut processor = Processor::new();
    for (nonce_len, associated_len, text_len, sealed) in examples {
        let sealed: Vec<u8> = (0..sealed.len() / 2)
            .map(|at| u8::from_str_radix(&sealed[2 * at..2 * at + 2], 16).expect("hexadecimal"))
            .collect();
        let (text, tag) = sealed.split_at(usize::from(text_len));
        let key = count(0x40, 16);
        let builder = || Transform::aead(CCM, &key).tag_len(tag.len());
        let sealing = open(&provider, &builder().seal().expect("it is valid"));
        let opening = open(&provider, &builder().open().expect("it is valid"));
        for _ in 0..2 {
            // Nonces of another length before it change nothing.
            let other = process(&mut processor, &sealing, &count(0, 13), b"", b"other", None);
            assert!(other.is_ok(), "{other:?}");
            let (nonce, associated) = (count(0x10, nonce_len), count(0, associated_len));
            let plain = count(0x20, text_len);
            let made = process(&mut processor, &sealing, &nonce, &associated, &plain, None);
            assert_eq!(made, Ok((text.to_vec(), tag.to_vec())));
            let back = process(&mut processor, &opening, &nonce, &associated, text, Some(tag));
            assert_eq!(back, Ok((plain, Vec::new())));
        }
    }
}

#[test]
fn a_wrong_tag_leaves_nothing_behind() {
    let Some(provider) = provider(&[]) else { return };
    let mut processor = Processor::new();
    for aead in [GCM, CCM, AeadAlgorithm::ChaCha20Poly1305] {
        let key = bytes(6, aead.key_len());
        let sealing = open(&provider, &Transform::aead(aead, &key).seal().expect("it is valid"));
        let opening = open(&provider, &Transform::aead(aead, &key).open().expect("it is valid"));
        for (associated, text) in [(b"".as_slice(), b"".as_slice()), (b"", b"text"), (b"data", b"")]
        {
            for seed in 0..3 {
                let nonce = bytes(seed, 12);
                let sealed = process(&mut processor, &sealing, &nonce, associated, text, None);
                let (sealed, tag) = sealed.expect("it is sealed");
                let mut wrong = tag.clone();
                wrong[15] ^= 1;
                let opened =
                    process(&mut processor, &opening, &nonce, associated, &sealed, Some(&wrong));
                assert_eq!(opened, Err(JobError::TagMismatch), "{aead}");
                // The next one has its own nonce and tag.
                let opened =
                    process(&mut processor, &opening, &nonce, associated, &sealed, Some(&tag));
                assert_eq!(opened, Ok((text.to_vec(), Vec::new())), "{aead}");
            }
        }
    }
}

#[test]
fn nonces_that_libcrypto_has_no_room_for_are_refused() {
    let Some(provider) = provider(&[]) else { return };
    let mut processor = Processor::new();
    let seal = Transform::aead(GCM, &[7; 16]).seal().expect("it is valid");
    let gmac = MacAlgorithm::AesGmac(AesSize::Aes128);
    let generate = Transform::mac(gmac, &[7; 16]).generate().expect("it is valid");
    for transform in [seal, generate] {
        let session = open(&provider, &transform);
        assert!(process(&mut processor, &session, &[1; 128], b"", b"text", None).is_ok());
        let refused = process(&mut processor, &session, &[1; 129], b"", b"text", None);
        assert_eq!(refused, Err(JobError::NonceLength { len: 129, valid: Lengths::range(1, 128) }));
        assert!(process(&mut processor, &session, &[1; 12], b"", b"text", None).is_ok());
    }
}

#[test]
fn it_says_what_it_is() {
    let Some(provider) = provider(&[("contexts", "per-job")]) else { return };
    assert_eq!(provider.name(), "openssl");
    let description = provider.description();
    assert!(description.starts_with("OpenSSL "), "{description}");
    assert!(
        description.ends_with(", contexts=per-job, queue-pairs=64, legacy=yes"),
        "{description}"
    );
    let version = library().expect("it was there").short_version();
    for (algorithm, kernel) in [
        ("sha256", "SHA256"),
        ("hmac-sha1", "HMAC SHA1"),
        ("aes-128-cmac", "CMAC AES-128-CBC"),
        ("aes-192-gmac", "AES-192-GCM"),
        ("aes-128-cbc", "AES-128-CBC"),
        ("3des-ctr", "DES-EDE3-ECB over counters"),
        ("rc4", "RC4"),
        ("chacha20-poly1305", "ChaCha20-Poly1305"),
    ] {
        let algorithm: Algorithm = algorithm.parse().expect("a name");
        assert!(provider.supports(algorithm));
        let transform = Transform::new(
            algorithm,
            algorithm.directions()[0],
            &bytes(8, algorithm.key_len()),
            &[],
        );
        let session = open(&provider, &transform.build().expect("it is valid"));
        assert_eq!(session.kernel(), format!("{version} {kernel}"));
    }
    let usual = OpenSsl::load(&[]).expect("it was there");
    for broken in ["rc4", "des-cbc"] {
        let broken = broken.parse().expect("a name");
        assert!(provider.supports(broken) && !usual.supports(broken), "{broken}");
    }
    let chain: Algorithm = "aes-128-cbc+hmac-sha1".parse().expect("a chain");
    assert!(provider.supports(chain));
    let transform =
        Transform::new(chain, Direction::Encrypt, &[1; 16], &[2; 20]).build().expect("it is valid");
    let reason = provider.open_session(&transform).err().expect("the engine takes it apart").reason;
    assert_eq!(reason, "chains are opened half by half");
}

#[test]
fn a_wrong_option_is_no_absent_library() {
    let error = OpenSsl::load(&[("contexts", "none")]).err().expect("there is no such value");
    let LoadError::Option { name, value, .. } = error else { panic!("{error}") };
    assert_eq!((name.as_str(), value.as_str()), ("contexts", "none"));
}
