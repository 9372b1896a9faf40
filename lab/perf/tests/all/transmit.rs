//! `broadloom-perf transmit`: every side sends what was written, and is timed.

use broadloom_lanes::Cpu;
use broadloom_perf::experiments::transmit::By;
use broadloom_perf::report::row::Row;
use broadloom_perf::{TransmitOptions, run_transmit};

/// Options for short runs over few connections.
fn options() -> TransmitOptions {
    TransmitOptions {
        connections: vec![1, 20],
        writes: vec![1000, 40_000],
        quick: true,
        ..TransmitOptions::default()
    }
}

/// Every side sends to every connection what it was given, or the run would have ended: what
/// arrives is decrypted and compared, for writes of one record and of several.
#[test]
fn every_side_has_a_row_for_each_case() {
    let mut tables = Vec::new();
    let report = run_transmit(&options(), &Cpu::detect(), &mut tables).expect("it measures");
    let told = |by: By| {
        let is_told = |note: &String| note.starts_with(&format!("{by} is not measured: "));
        report.notes.iter().any(is_told)
    };
    let reason = report.notes.join("; ");
    let openssl = broadloom_testing::is_present("OpenSSL's side", !told(By::OpenSsl), &reason);
    let sides = [
        (By::Plain, "plain", true),
        (By::Records, "native", true),
        (By::OpenSsl, "openssl", openssl),
        (By::Rustls, "rustls", cfg!(feature = "rustls")),
        (By::KernelTls, "ktls", !told(By::KernelTls)),
    ];
    for (by, provider, is_there) in sides {
        let rows: Vec<&Row> = report.rows.iter().filter(|row| row.provider == provider).collect();
        assert_eq!((rows.len(), told(by)), if is_there { (4, false) } else { (0, true) }, "{by}");
        for row in rows {
            assert!(row.cycles_per_kib.is_some_and(|cycles| cycles > 0.0), "{row:?}");
            assert!(row.gbps.is_some_and(|gbps| gbps > 0.0), "{row:?}");
        }
    }
    let bursts = report.rows.iter().filter(|row| row.provider == "native");
    let bursts: Vec<usize> = bursts.map(|row| row.burst).collect();
    assert_eq!(bursts, [1, 20, 1, 6]);
    let text = String::from_utf8(tables).expect("it is text");
    assert!(text.contains("Writes of 1000 bytes:") && text.contains("Writes of 40000 bytes:"));
}

#[test]
fn numbers_out_of_range_are_refused() {
    let options = TransmitOptions { connections: vec![0], ..options() };
    let error = run_transmit(&options, &Cpu::detect(), &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(error, "connections 0 is out of range; valid: 1 to 20000");
}
