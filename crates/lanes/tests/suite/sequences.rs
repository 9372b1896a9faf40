//! Random sequences of calls of the managers. The fuzz targets run the same driver.

use crate::common::sequence::{Op, run};
use crate::common::{cpus, every_kind};
use proptest::prelude::*;

pub fn op() -> impl Strategy<Value = Op> {
    let len = prop_oneof![6 => 0..150u16, 2 => 0..1000u16, 1 => Just(4096u16)];
    let submit =
        (len, any::<Option<u8>>()).prop_map(|(len, deadline)| Op::Submit { len, deadline });
    prop_oneof![
        20 => submit,
        3 => Just(Op::Flush),
        3 => any::<u8>().prop_map(|now| Op::Expire { now }),
        1 => Just(Op::Close),
        1 => Just(Op::Drop),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_call_keeps_its_word(
        ops in proptest::collection::vec(op(), 0..200),
        depth in 1..80usize,
    ) {
        for cpu in cpus() {
            every_kind!(run(&cpu, depth, &ops));
        }
    }
}
