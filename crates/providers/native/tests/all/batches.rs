//! How many jobs a queue pair waits for.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    CipherAlgorithm, HashAlgorithm, Job, QueueConfig, QueuePair, Session, Transform,
};
use broadloom_lanes::{Cpu, DesLanes, KasumiLanes};
use broadloom_native::Native;

/// The number of jobs with which a queue pair begins to work.
fn batch(cpu: &Cpu, transform: &Transform) -> usize {
    let provider: Arc<dyn Provider> = Arc::new(Native::new(cpu.clone()).with_legacy());
    let session = Session::open(provider, transform).expect("it can");
    let nonce = vec![0; session.algorithm().nonce_lens().min()];
    let mut pair = QueuePair::new(QueueConfig { max_wait: None, ..QueueConfig::default() });
    let mut done = Vec::new();
    for count in 1..=pair.capacity() {
        pair.enqueue(&mut vec![Job::new(&session, vec![7; 8]).nonce(&nonce)]);
        if pair.dequeue(&mut done, usize::MAX) > 0 {
            assert_eq!(done.len(), count, "all that waited");
            return count;
        }
    }
    panic!("none came back");
}

#[test]
fn lanes_of_bits_are_waited_for_until_they_are_full() {
    for cpu in Cpu::available().map(|isa| Cpu::with_isa(isa).expect("it is available")) {
        assert_eq!(batch(&cpu, &Transform::hash(HashAlgorithm::Sha1)), 64);
        let des = Transform::cipher(CipherAlgorithm::TripleDesCbc, b"0123456789abcdefghijklmn");
        let des = des.encrypt().expect("the key is sound");
        assert_eq!(batch(&cpu, &des), DesLanes::kernel_info(&cpu).lanes);
        let f8 = Transform::cipher(CipherAlgorithm::KasumiF8, &[3; 16]).encrypt();
        assert_eq!(
            batch(&cpu, &f8.expect("the key is sound")),
            KasumiLanes::kernel_info(&cpu).lanes
        );
    }
}
