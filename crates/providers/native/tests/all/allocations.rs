//! In a steady state no job allocates: not in the engine, and not in the lanes. Allocations of each
//! thread are counted apart, so that other tests may allocate at the same time.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    AesSize, CipherAlgorithm, Data, Direction, HashAlgorithm, HybridKem, HybridPrivateKey, Job,
    MacAlgorithm, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, MlKemPrivateKey, MlKemSet, Order,
    PrivateKey, Processor, PublicKey, PublicKeyAlgorithm, QueueConfig, QueuePair, Scheme, Session,
    Transform,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;

const HMAC: MacAlgorithm = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
const CBC: CipherAlgorithm = CipherAlgorithm::AesCbc(AesSize::Aes128);

/// One session of each kind: a hash, a MAC made and checked, a cipher, a chain.
fn sessions() -> Vec<Session> {
    let provider: Arc<dyn Provider> = Arc::new(Native::new(Cpu::detect()).with_legacy());
    let transforms = [
        Ok(Transform::hash(HashAlgorithm::Sha256)),
        Transform::mac(HMAC, b"key").generate(),
        Transform::mac(HMAC, b"key").verify(),
        Transform::cipher(CBC, &[7; 16]).decrypt(),
        Transform::cipher_then_mac(CBC, &[7; 16], HMAC, b"key").encrypt(),
    ];
    let open = |transform: Result<Transform, _>| {
        let transform = transform.expect("it fits");
        Session::open(Arc::clone(&provider), &transform).expect("native has it")
    };
    transforms.into_iter().map(open).collect()
}

/// A job that fits the session, in one piece or scattered.
fn job(session: &Session, number: usize) -> Job<'_, usize> {
    let bytes = vec![number as u8; 16 * (number % 20)];
    let data = match number % 3 {
        0 => Data::scattered(vec![
            bytes[..bytes.len() / 2].to_vec().into(),
            bytes[bytes.len() / 2..].to_vec().into(),
        ]),
        _ => Data::from(bytes),
    };
    let job = Job::new(session, data).user(number);
    let job = if session.algorithm().cipher().is_some() { job.nonce(&[1; 16]) } else { job };
    if session.direction().checks() && session.tag_len() > 0 {
        job.expect_tag(&[0; 20])
    } else {
        job
    }
}

/// The allocations of the last of some rounds: what was needed once is there by then.
fn in_steady_state(mut round: impl FnMut()) -> u64 {
    (0..4)
        .map(|_| allocation_counter::measure(&mut round).count_total)
        .last()
        .expect("there are rounds")
}

#[test]
fn process_many_allocates_nothing() {
    let sessions = sessions();
    let mut jobs: Vec<_> =
        (0..300).map(|number| job(&sessions[number % sessions.len()], number)).collect();
    let mut processor = Processor::new();
    let allocations = in_steady_state(|| {
        assert_eq!(processor.process_many(&mut jobs).completed, 300);
    });
    assert_eq!(allocations, 0);
    assert!(jobs.iter().filter(|job| job.succeeded()).count() >= 240, "only wrong tags fail");
}

#[test]
fn a_queue_pair_allocates_nothing() {
    let sessions = sessions();
    for order in [Order::Any, Order::AsSubmitted] {
        let mut jobs: Vec<_> = (0..300)
            .map(|number| Box::new(job(&sessions[number % sessions.len()], number)))
            .collect();
        let mut queue =
            QueuePair::new(QueueConfig { order, capacity: 512, ..QueueConfig::default() });
        let allocations = in_steady_state(|| {
            assert_eq!(queue.enqueue(&mut jobs), 300);
            queue.flush();
            assert_eq!(queue.dequeue(&mut jobs, 300), 300);
        });
        assert_eq!(allocations, 0, "{order:?}");
    }
}

#[test]
fn ml_kem_allocates_nothing() {
    let provider: Arc<dyn Provider> = Arc::new(Native::new(Cpu::detect()));
    let open = |transform: Result<Transform, _>| {
        Session::open(Arc::clone(&provider), &transform.expect("it fits")).expect("native has it")
    };
    let set = MlKemSet::MlKem768;
    let algorithm = PublicKeyAlgorithm::MlKem(set);
    let generate = open(Transform::generate_key(algorithm));
    let encapsulate = open(Transform::encapsulate(algorithm));
    let mut processor = Processor::new();
    let mut output = |session: &Session, data: &[u8]| {
        let mut jobs = [Job::new(session, data)];
        processor.process_many(&mut jobs);
        jobs[0].take_output()
    };
    let private = output(&generate, b"");
    let public = set.public_of(&private);
    let sent = output(&encapsulate, public);
    let key = MlKemPrivateKey::from_expanded(set, &private).expect("it was generated");
    let decapsulate = open(Transform::decapsulate(&PrivateKey::MlKem(key)));
    let ciphertext = &sent[..set.ciphertext_len()];
    let kinds = [(&generate, &[][..]), (&encapsulate, public), (&decapsulate, ciphertext)];
    let mut jobs: Vec<_> =
        kinds.into_iter().cycle().take(60).map(|(session, data)| Job::new(session, data)).collect();
    let allocations = in_steady_state(|| {
        assert_eq!(processor.process_many(&mut jobs).completed, 60);
    });
    assert_eq!(allocations, 0);
    assert!(jobs.iter().all(Job::succeeded));
}

#[test]
fn ml_dsa_allocates_nothing() {
    let provider: Arc<dyn Provider> = Arc::new(Native::new(Cpu::detect()));
    let open = |transform: Result<Transform, _>| {
        Session::open(Arc::clone(&provider), &transform.expect("it fits")).expect("native has it")
    };
    let set = MlDsaSet::MlDsa65;
    let generate = open(Transform::generate_key(PublicKeyAlgorithm::MlDsa(set)));
    let mut processor = Processor::new();
    let mut output = |session: &Session, data: &[u8]| {
        let mut jobs = [Job::new(session, data)];
        processor.process_many(&mut jobs);
        jobs[0].take_output()
    };
    let keys = output(&generate, b"");
    let (private, public) = keys.split_at(set.private_key_len());
    let private = MlDsaPrivateKey::from_expanded(set, private).expect("it was generated");
    let public = MlDsaPublicKey::new(set, public).expect("it was generated");
    let sign = open(Transform::sign(&PrivateKey::MlDsa(private), Scheme::default().hedged()));
    let verify = open(Transform::verify(&PublicKey::MlDsa(public), Scheme::default()));
    let signature = output(&sign, b"a message");
    let mut jobs: Vec<_> = [&generate, &sign, &verify]
        .into_iter()
        .cycle()
        .take(60)
        .map(|session| match session.direction() {
            Direction::Generate => Job::new(session, &[][..]),
            Direction::Verify => Job::new(session, &b"a message"[..]).signature(&*signature),
            _ => Job::new(session, &b"a message"[..]),
        })
        .collect();
    let allocations = in_steady_state(|| {
        assert_eq!(processor.process_many(&mut jobs).completed, 60);
    });
    assert_eq!(allocations, 0);
    assert!(jobs.iter().all(Job::succeeded));
}

#[test]
fn hybrids_of_ml_kem_allocate_nothing() {
    let provider: Arc<dyn Provider> = Arc::new(Native::new(Cpu::detect()));
    let open = |transform: Result<Transform, _>| {
        Session::open(Arc::clone(&provider), &transform.expect("it fits")).expect("native has it")
    };
    for kem in HybridKem::ALL {
        let algorithm = PublicKeyAlgorithm::Hybrid(kem);
        let generate = open(Transform::generate_key(algorithm));
        let encapsulate = open(Transform::encapsulate(algorithm));
        let mut processor = Processor::new();
        let mut output = |session: &Session, data: &[u8]| {
            let mut jobs = [Job::new(session, data)];
            processor.process_many(&mut jobs);
            jobs[0].take_output()
        };
        let pair = output(&generate, b"");
        let (private, public) = kem.keys_of(&pair);
        let sent = output(&encapsulate, public);
        let key = HybridPrivateKey::from_expanded(kem, private).expect("it was generated");
        let decapsulate = open(Ok(Transform::decapsulate_hybrid(&key)));
        let ciphertext = &sent[..kem.ciphertext_len()];
        let kinds = [(&generate, &[][..]), (&encapsulate, public), (&decapsulate, ciphertext)];
        let mut jobs: Vec<_> = kinds
            .into_iter()
            .cycle()
            .take(60)
            .map(|(session, data)| Job::new(session, data))
            .collect();
        let allocations = in_steady_state(|| {
            assert_eq!(processor.process_many(&mut jobs).completed, 60);
        });
        assert_eq!(allocations, 0, "{}", kem.name());
        assert!(jobs.iter().all(Job::succeeded));
    }
}
