//! After a session is dropped, its key is nowhere in the memory of the process, whatever algorithm
//! and provider it was of, and although the processor that worked for it lives on.
#![cfg(target_os = "linux")]

use broadloom::{Algorithm, Direction, Job, Processor, Transform};
use broadloom_residue::{Secret, assert_gone};

/// Bytes of which each algorithm takes as many as its keys have. Nobody writes where they are.
const KEY: &[u8; 64] = b"\x4d\x1b\xe6\x93\x2f\x70\xca\x58\xb7\x04\x8d\xf1\x3a\x65\xdc\x29\
    \x96\x0f\x72\xab\x1e\xc3\x57\xe8\x30\x8b\x44\xfd\x69\x12\xd5\xae\
    \x5b\xc9\x27\x80\xf6\x3d\x94\x1a\xe1\x4e\xb8\x05\x73\xdf\x62\xa7\
    \x38\x8c\x16\xe5\x9b\x50\xcd\x2a\xf4\x67\x01\xbe\x49\x92\xd8\x7f";

/// A directions' jobs, none of which has to succeed: keys are used all the same.
fn work(processor: &mut Processor, session: &broadloom::Session) {
    let algorithm = session.algorithm();
    let nonces = algorithm.nonce_lens();
    let len = [12, 16, 8, 24, nonces.min()].into_iter().find(|len| nonces.contains(*len));
    let nonce: Vec<u8> =
        (0..len.unwrap_or_default()).map(|at| 0x11 & algorithm.nonce_mask(at)).collect();
    let tag = vec![1; session.tag_len()];
    let checks = matches!(session.direction(), Direction::Open | Direction::Verify);
    let jobs = (1..20u8).map(|number| {
        let job = Job::new(session, vec![number; 16 * usize::from(number)]).nonce(&nonce);
        if checks { job.expect_tag(&tag) } else { job }
    });
    let mut jobs: Vec<_> = jobs.collect();
    processor.process_many(&mut jobs);
    let wrong = |job: &Job<'_>| !job.succeeded() && !checks;
    assert!(!jobs.iter().any(wrong), "{session:?}: {:?}", jobs[0].status());
    // One message ends, and another does not.
    let Ok(mut stream) = session.begin() else { return };
    stream.update(processor, &[7; 1000]).expect("nothing fails");
    let copy = stream.clone();
    let ended =
        if checks { stream.verify(processor, &tag) } else { stream.finish(processor).map(drop) };
    assert_eq!(ended.is_ok(), !checks, "{session:?}: {ended:?}");
    drop(copy);
}

/// Overwrites what kernels spilled from registers, which nobody wipes (SECURITY.md): the stack
/// below the caller.
#[inline(never)]
fn overwrite_spilled() {
    std::hint::black_box(&mut [0u8; 64 << 10]);
}

#[test]
fn no_algorithm_leaves_its_key_at_any_provider() {
    let registry = broadloom::registry();
    let mut processor = Processor::new();
    let providers: Vec<String> =
        registry.default_providers().map(|provider| provider.name().to_owned()).collect();
    let mut count = 0;
    for algorithm in Algorithm::simple().filter(|algorithm| algorithm.key_len() >= 8) {
        let key = &KEY[..algorithm.key_len().min(KEY.len())];
        let half = key.len().min(16);
        let (first, last) = (&key[..half], &key[key.len() - half..]);
        for provider in &providers {
            for &direction in algorithm.directions() {
                let transform = Transform::new(algorithm, direction, key, &[]).build();
                let transform = transform.expect("the key fits");
                let Ok(session) = registry.open_at(provider, &transform) else { continue };
                drop(transform);
                work(&mut processor, &session);
                count += 1;
            }
            overwrite_spilled();
            let name = format!("{algorithm} at {provider}");
            let secrets = [first, last].map(|part| Secret::new(&name, part));
            assert_gone(&secrets.each_ref());
        }
    }
    assert!(count > 100, "{count} sessions of keyed algorithms");
}

#[test]
fn no_stream_leaves_bytes_that_wait() {
    const MESSAGE: &[u8; 40] = b"\xd0\x2c\x9e\x47\xb1\x68\x05\xf3\x8a\x5d\xe2\x39\x74\xcb\x16\xaf\
        \x51\x0a\xd7\x86\x3f\xe9\x22\x9c\x60\xb5\x4b\xf8\x13\xae\x75\xc8\
        \x0f\x92\x5a\xe4\x37\xbd\x61\x28";
    let registry = broadloom::registry();
    let mut processor = Processor::new();
    // Bytes wait for a block at a provider that takes pieces, and for the end at one that does not.
    for (name, key) in [("sha256", &[][..]), ("hmac-sha512", &[3; 20]), ("aes-128-cmac", &[5; 16])]
    {
        let algorithm: Algorithm = name.parse().expect("a name");
        let transform = Transform::new(algorithm, algorithm.directions()[0], key, &[]).build();
        let session = registry.open(&transform.expect("the key fits")).expect("native has it");
        let mut stream = session.begin().expect("it takes pieces");
        for piece in MESSAGE.chunks(20) {
            stream.update(&mut processor, piece).expect("nothing fails");
        }
        let secret = Secret::new(name, MESSAGE);
        let copy = stream.clone();
        assert_eq!(broadloom_residue::search(&[&secret]).len(), 2, "{name}: the search finds both");
        drop((stream, copy));
        assert_gone(&[&secret]);
    }
}
