//! The memory of a session. It is that of the whole process, so that no other test is in this file.

use broadloom_lanes::Cpu;
use broadloom_perf::experiments::matrix::Suite;
use broadloom_perf::measure::workload::Workload;
use broadloom_perf::names::Kind;
use broadloom_perf::report::states::STATES;
use broadloom_perf::{MatrixOptions, run_matrix};
use broadloom_testing::present;

#[test]
fn a_session_grows_by_what_its_state_keeps() {
    let options = MatrixOptions {
        suite: Some(Suite::DpdkOpensslStates),
        algorithms: ["3des-ctr", "hmac-sha1"].map(|name| name.parse().unwrap()).to_vec(),
        sizes: vec![Workload::Size(32)],
        kinds: vec![Kind::Memory],
        cores: vec![1],
        quick: true,
        ..MatrixOptions::default()
    };
    let report = run_matrix(&options, &Cpu::detect(), &mut Vec::new());
    let Some(report) = present("the memory of sessions", report) else { return };
    assert!(report.rows.iter().all(|row| row.kind() == Kind::Memory));
    let memory = |algorithm: &str, index: usize| {
        let is_it = |row: &&_| STATES[index].is_of(row) && row.algorithm == algorithm;
        let row = report.rows.iter().find(is_it)?;
        row.session_bytes.zip(row.queue_pair_bytes)
    };
    let of_openssl = memory("hmac-sha1", 6).ok_or("openssl is absent");
    let Some((session, pair)) = present("the memory of openssl", of_openssl) else { return };
    // A session has a pointer for each of 64 queue pairs; a queue pair adds a context of some size.
    let (alone, none) = memory("hmac-sha1", 7).unwrap();
    assert!(session - alone > 400.0 && pair > 100.0, "{session} {alone} {pair}");
    assert!(none.abs() < 50.0 && memory("3des-ctr", 3).unwrap().1 > 100.0);
    let kept_nothing = [("hmac-sha1", 0), ("hmac-sha1", 1), ("hmac-sha1", 3), ("3des-ctr", 1)];
    for (algorithm, index) in kept_nothing {
        let (_, pair) = memory(algorithm, index).unwrap();
        assert!(pair.abs() < 50.0, "{algorithm}, {}: {pair}", STATES[index].name);
    }
}
