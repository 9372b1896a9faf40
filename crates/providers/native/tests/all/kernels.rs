//! The names of kernels, as sessions have them.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Algorithm, Session, Transform};
use broadloom_lanes::Cpu;
use broadloom_native::Native;

#[test]
fn sessions_name_kernels_that_the_lanes_list() {
    for cpu in Cpu::available().map(|isa| Cpu::with_isa(isa).expect("it is available")) {
        let mut named = Vec::new();
        for info in [broadloom_lanes::kernels(&cpu), broadloom_public_key::kernels(&cpu)].concat() {
            named.push(format!("{} x{}", info.kernel, info.lanes));
            named.push(format!("{}, pipelined", info.kernel));
        }
        let provider: Arc<dyn Provider> = Arc::new(Native::new(cpu).with_legacy());
        for algorithm in Algorithm::simple().filter(|algorithm| provider.supports(*algorithm)) {
            for direction in algorithm.directions() {
                let key: Vec<u8> = (1..).take(algorithm.key_len()).collect();
                let transform = Transform::new(algorithm, *direction, &key, &[]);
                let transform = transform.allow_weak_keys().build().expect("the key fits");
                let session = Session::open(Arc::clone(&provider), &transform).expect("it opens");
                let kernel = session.kernel();
                assert!(named.contains(&kernel), "{algorithm}: {kernel}");
            }
        }
    }
}
