//! Signatures on binary curves: the engine's, OpenSSL's own functions, and `openssl speed`.

use broadloom::provider::ProviderSpec;
use broadloom_engine::{Algorithm, Curve, Direction, PublicKeyAlgorithm};

use super::{Bench, speed};
use crate::error::PerfError;
use crate::experiments::matrix::{MatrixOptions, run_matrix};
use crate::measure::workload::Workload;
use crate::names::Peer;
use crate::report::row::{BARE, Row, hundredths};

/// Bytes of a message: its digest would be as long.
const MESSAGE: usize = 32;

/// Messages at a time.
const BURST: usize = 64;

/// Returns the rows of `perf matrix`, and a row for each figure of the program.
pub(super) fn rows(bench: &mut Bench) -> Result<Vec<Row>, PerfError> {
    let curves = [Curve::K283, Curve::B283];
    let algorithms: Vec<Algorithm> =
        curves.map(|curve| Algorithm::PublicKey(PublicKeyAlgorithm::Ecdsa(curve))).to_vec();
    let options = MatrixOptions {
        algorithms: algorithms.clone(),
        directions: vec![Direction::Sign, Direction::Verify],
        sizes: vec![Workload::Size(MESSAGE)],
        providers: ["native", "openssl"].map(ProviderSpec::without_options).to_vec(),
        peers: vec![Peer::OpenSsl],
        bursts: vec![BURST],
        quick: bench.quick,
        ..MatrixOptions::default()
    };
    let report = match run_matrix(&options, &bench.cpu, &mut std::io::sink()) {
        Ok(report) => report,
        // Nobody has the curves: that is the finding, and no failure.
        Err(PerfError::Nothing(why)) => {
            bench.notes.push(why);
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    bench.notes.extend(report.notes);
    let mut rows = report.rows;
    match speed::run(&curves, bench.quick) {
        Ok(figures) => {
            for (algorithm, direction, rate) in figures {
                rows.push(of_program(bench, algorithm, direction, rate));
            }
        }
        Err(reason) => bench.notes.push(format!("openssl speed takes no part: {reason}")),
    }
    Ok(rows)
}

fn of_program(bench: &Bench, algorithm: Algorithm, direction: Direction, rate: f64) -> Row {
    Row {
        algorithm: algorithm.to_string(),
        direction: direction.to_string(),
        size: Some(MESSAGE),
        mode: "sync".to_owned(),
        burst: 1,
        cores: 1,
        provider: speed::NAME.to_owned(),
        kernel: "openssl speed".to_owned(),
        order: "in-order".to_owned(),
        isa: bench.cpu.isa().to_string(),
        cache: "warm".to_owned(),
        cycles_per_buffer: Some(hundredths(bench.clock.hertz() / rate)),
        operations_per_second: Some(hundredths(rate)),
        buffer_bytes: MESSAGE as f64,
        interface: Some(BARE.to_owned()),
        ..Row::default()
    }
}
