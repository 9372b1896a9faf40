//! Nonces without a counter, in jobs that are used again for something else.

use std::sync::Arc;

use broadloom_engine::{
    AeadAlgorithm, AesSize, CipherAlgorithm, Job, JobError, Lengths, Processor, Session, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;

fn open(transform: &Transform) -> Session {
    Session::open(Arc::new(Native::new(Cpu::detect())), transform).expect("native has it")
}

fn run(job: &mut Job<'_>) -> (Option<Result<(), JobError>>, Vec<u8>) {
    Processor::new().process_many(std::slice::from_mut(job));
    (job.status(), job.output().unwrap_or_default().to_vec())
}

/// A nonce that is completed for one session is as it was given for the next.
#[test]
fn a_nonce_is_completed_for_its_session_alone() {
    let ctr32 = CipherAlgorithm::AesCtr32(AesSize::Aes128);
    let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
    let fits = "it fits";
    let sessions = [
        open(&Transform::cipher(ctr32, &[7; 16]).encrypt().expect(fits)),
        open(&Transform::aead(gcm, &[7; 16]).seal().expect(fits)),
        open(&Transform::cipher(CipherAlgorithm::ChaCha20, &[7; 32]).encrypt().expect(fits)),
    ];
    let nonce: [u8; 12] = std::array::from_fn(|i| i as u8 + 1);
    let fresh = |session: &Session, nonce: &[u8]| {
        run(&mut Job::new(session.clone(), vec![0; 100]).nonce(nonce))
    };
    let mut used = Job::new(sessions[0].clone(), vec![0; 100]).nonce(&nonce);
    for turn in [0, 1, 2, 0, 2, 1, 0, 0] {
        used.set_session(sessions[turn].clone());
        used.set_data(vec![0; 100]);
        let expected = fresh(&sessions[turn], &nonce);
        assert_eq!(expected.0, Some(Ok(())));
        assert_eq!(run(&mut used), expected, "session {turn}");
    }
    // RFC 3686 counts from 1; ChaCha20 here from 0.
    let with = [nonce.as_slice(), &[0, 0, 0, 1]].concat();
    assert_eq!(fresh(&sessions[0], &nonce), fresh(&sessions[0], &with));
    let with = [&[0; 4], nonce.as_slice()].concat();
    assert_eq!(fresh(&sessions[2], &nonce), fresh(&sessions[2], &with));
    for len in [11, 13, 15, 17] {
        let error = JobError::NonceLength { len, valid: Lengths::exactly(16).or(12) };
        assert_eq!(fresh(&sessions[0], &vec![1; len]).0, Some(Err(error)));
        assert_eq!(
            error.to_string(),
            format!("a nonce of {len} bytes does not fit; valid: 12 or 16")
        );
    }
}
