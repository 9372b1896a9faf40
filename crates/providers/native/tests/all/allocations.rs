//! In a steady state no job allocates: not in the engine, and not in the lanes. Allocations of each
//! thread are counted apart, so that other tests may allocate at the same time.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    AesSize, CipherAlgorithm, Data, HashAlgorithm, Job, MacAlgorithm, Order, Processor,
    QueueConfig, QueuePair, Session, Transform,
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
