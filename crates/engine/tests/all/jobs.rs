//! Jobs that are used again: with other ranges, or with something that they no longer take.

use std::time::Instant;

use broadloom_engine::{
    Algorithm, Bytes, Data, Direction, Extra, Job, JobError, Processor, Session, Transform,
};

use crate::toy::{CIPHER, HASH, MAC, Toy, sum};

const KEY: [u8; 16] = [0x40; 16];
const TEXT: [u8; 8] = [2, 4, 6, 8, 10, 12, 14, 16];

fn digest() -> Session {
    Toy::SOUND.open(&Transform::hash(HASH))
}

fn run(job: &mut Job<'_>) -> Option<Result<(), JobError>> {
    Processor::new().process_many(std::slice::from_mut(job));
    job.status()
}

#[test]
fn whatever_is_added_to_a_complete_job_makes_it_ready_again() {
    let session = digest();
    let builders: [fn(Job<'static>) -> Job<'static>; 9] = [
        |job| job.nonce(&[]),
        |job| job.associated(b"x"),
        |job| job.expect_tag(&[1]),
        |job| job.tag_at(0),
        |job| job.cipher_range(0..2),
        |job| job.mac_range(0..2),
        |job| job.by(Instant::now()),
        |job| job.room(1),
        |job| job.limit(1),
    ];
    for (index, build) in builders.into_iter().enumerate() {
        let mut job = Job::new(session.clone(), TEXT.to_vec());
        assert_eq!(run(&mut job), Some(Ok(())));
        let job = build(job);
        assert_eq!((job.status(), job.tag()), (None, None), "builder {index}");
    }
    let setters: [fn(&mut Job<'static>); 5] = [
        |job| job.set_tag_at(None),
        |job| job.set_cipher_range(None),
        |job| job.set_mac_range(None),
        |job| job.set_deadline(None),
        |job| job.set_expected_tag(&[]),
    ];
    for (index, set) in setters.into_iter().enumerate() {
        let mut job = Job::new(session.clone(), TEXT.to_vec());
        assert_eq!(run(&mut job), Some(Ok(())));
        set(&mut job);
        assert_eq!((job.status(), job.tag()), (None, None), "setter {index}");
        assert_eq!(run(&mut job), Some(Ok(())), "setter {index} took nothing away that was there");
    }
}

#[test]
fn ranges_and_the_place_of_the_tag_are_changed_and_taken_away() {
    let encrypt = Transform::cipher_then_mac(CIPHER, &KEY, MAC, &KEY).encrypt().expect("it fits");
    let session = Toy::SOUND.open(&encrypt);
    let packet = |text: usize| vec![2; 8 + text + 16];
    let mut job = Job::new(&session, Vec::new()).nonce(&[0; 16]);
    for text in [3, 0, 40] {
        job.set_data(packet(text));
        let end = 8 + text;
        job.set_cipher_range(Some(8..end));
        job.set_mac_range(Some(0..end));
        job.set_tag_at(Some(end));
        assert_eq!(run(&mut job), Some(Ok(())));
        let covered = [vec![2; 8], vec![0x42; text]].concat();
        let tag = sum(0x40, &covered);
        assert_eq!(job.output(), Some(&covered[8..]), "what the cipher wrote, of {text} bytes");
        let packet = [covered, tag.to_vec()].concat();
        assert_eq!(job.data().output(), Some(packet.as_slice()), "{text} bytes");
    }
    job.set_data(TEXT.to_vec());
    assert_eq!(
        run(&mut job),
        Some(Err(JobError::Range { what: Extra::CipherRange, start: 8, end: 48, len: 8 }))
    );
    job.set_cipher_range(None);
    job.set_mac_range(None);
    job.set_tag_at(None);
    assert_eq!(run(&mut job), Some(Ok(())));
    let ciphered = TEXT.map(|byte| byte ^ 0x40);
    assert_eq!(job.output(), Some(ciphered.as_slice()));
    assert_eq!(job.tag(), Some(sum(0x40, &ciphered).as_slice()));
}

/// A header, what is ciphered, and what follows: the output is what the cipher wrote, wherever that
/// is.
#[test]
fn the_output_is_the_range_that_the_cipher_wrote() {
    let encrypt = Transform::cipher(CIPHER, &KEY).encrypt().expect("it fits");
    let session = Toy::SOUND.open(&encrypt);
    let ciphered = TEXT.map(|byte| byte ^ 0x40);
    let whole = [&TEXT[..3], &ciphered[3..6], &TEXT[6..]].concat();
    let (mut lent, mut apart) = (TEXT, [0; 8]);
    for data in [
        Data::from(TEXT.to_vec()),
        Data::from(&mut lent),
        Data::from((&TEXT, &mut apart)),
        Data::from((&TEXT, vec![0; 8])),
    ] {
        let mut job = Job::new(&session, data).nonce(&[0; 16]).cipher_range(3..6);
        assert_eq!(job.output(), None, "it is not complete");
        assert_eq!(run(&mut job), Some(Ok(())));
        assert_eq!(job.output(), Some(&ciphered[3..6]));
        assert_eq!(job.data().output(), Some(whole.as_slice()));
        job.set_cipher_range(Some(8..8));
        assert_eq!((run(&mut job), job.output()), (Some(Ok(())), Some(&[][..])));
        job.set_cipher_range(Some(3..9));
        assert_eq!(
            (run(&mut job).is_some_and(|status| status.is_err()), job.output()),
            (true, None)
        );
    }
    let pieces = Data::scattered(vec![TEXT.to_vec().into(), TEXT.to_vec().into()]);
    let mut job = Job::new(&session, pieces).nonce(&[0; 16]);
    assert_eq!((run(&mut job), job.output()), (Some(Ok(())), None), "it is in several pieces");
    assert!(job.data().output_pieces().eq([ciphered, ciphered]));
}

#[test]
fn a_range_of_no_bytes_overlaps_no_tag() {
    let (text, tag) = ([2; 24], sum(0x40, &[]));
    let packet = [&tag[..], &text[16..]].concat();
    let mac = || Transform::mac(MAC, &KEY);
    let chain = || Transform::cipher_then_mac(CIPHER, &KEY, MAC, &KEY);
    for (transform, data) in [
        (mac().generate(), text.to_vec()),
        (mac().verify(), packet.clone()),
        (chain().encrypt(), text.to_vec()),
        (chain().decrypt(), packet.clone()),
    ] {
        let session = Toy::SOUND.open(&transform.expect("it fits"));
        for empty in [0, 1, 15, 16] {
            let mut job = Job::new(&session, data.clone()).mac_range(empty..empty).tag_at(0);
            if session.algorithm().cipher().is_some() {
                job = job.cipher_range(empty..empty).nonce(&[0; 16]);
            }
            assert_eq!(run(&mut job), Some(Ok(())), "{session:?}, {empty}");
            assert_eq!(job.data().output(), Some(packet.as_slice()));
        }
    }
}

/// No range means all by its numbers alone: those of a negative length are as wrong as any.
#[test]
fn a_range_to_the_largest_number_is_not_all_of_the_data() {
    let encrypt = Transform::cipher_then_mac(CIPHER, &KEY, MAC, &KEY).encrypt().expect("it fits");
    let session = Toy::SOUND.open(&encrypt);
    let mut job = Job::new(&session, TEXT.to_vec()).nonce(&[0; 16]);
    job.set_cipher_range(Some(0..usize::MAX));
    let failed = |status| matches!(status, Some(Err(JobError::Range { start: 0, len: 8, .. })));
    assert!(failed(run(&mut job)), "{:?}", job.status());
    job.set_cipher_range(None);
    job.set_mac_range(Some(0..usize::MAX));
    assert!(failed(run(&mut job)), "{:?}", job.status());
    job.set_mac_range(None);
    assert_eq!(run(&mut job), Some(Ok(())));
}

#[test]
fn a_job_for_another_session_is_given_only_what_that_one_takes() {
    let digest = digest();
    let mac = Transform::mac(MAC, &KEY);
    let verify = Toy::SOUND.open(&mac.verify().expect("it fits"));
    let mut job = Job::new(&verify, TEXT.to_vec()).expect_tag(&sum(0x40, &TEXT));
    assert_eq!(run(&mut job), Some(Ok(())));
    job.set_session(&digest);
    let error = JobError::NotTaken {
        extra: Extra::ExpectedTag,
        algorithm: Algorithm::Hash(HASH),
        direction: Direction::Digest,
    };
    assert_eq!(run(&mut job), Some(Err(error)), "a tag that nobody checks");
    assert_eq!(error.to_string(), "md5 digest takes no tag to check");
    job.set_expected_tag(&[]);
    assert_eq!(run(&mut job), Some(Ok(())));

    let error = JobError::NotTaken {
        extra: Extra::Associated,
        algorithm: Algorithm::Hash(HASH),
        direction: Direction::Digest,
    };
    *job.associated_mut() = Bytes::from(b"header");
    assert_eq!(run(&mut job), Some(Err(error)));
    *job.associated_mut() = Bytes::EMPTY;
    assert_eq!(run(&mut job), Some(Ok(())), "associated data that are none");
    assert_eq!(job.tag(), Some(sum(0, &TEXT).as_slice()));
}
