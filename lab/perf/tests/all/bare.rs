//! Libraries' own calls in a matrix: what they make is what Broadloom makes, and rows tell them
//! from providers.
//!
//! A machine without a library has nothing to test of it; continuous integration must have OpenSSL
//! and intel-ipsec-mb.

use broadloom_engine::{Algorithm, Direction};
use broadloom_lanes::Cpu;
use broadloom_perf::experiments::matrix::available_cores;
use broadloom_perf::measure::peers::buffers::Buffers;
use broadloom_perf::measure::peers::{Bare, Found};
use broadloom_perf::measure::workload::Workload;
use broadloom_perf::measure::workset::Workset;
use broadloom_perf::names::{Cache, Call, Kind, Peer};
use broadloom_perf::report::row::{Report, Row};
use broadloom_perf::{MatrixOptions, PerfError, run_matrix};
use broadloom_testing::present;

/// The algorithms that some peer has.
const ALGORITHMS: [&str; 14] = [
    "aes-128-gcm",
    "aes-256-gcm",
    "chacha20-poly1305",
    "aes-128-cbc",
    "aes-256-cbc",
    "aes-128-ctr",
    "aes-128-cmac",
    "3des-cbc",
    "sha1",
    "sha256",
    "sha512",
    "hmac-sha1",
    "hmac-sha256",
    "hmac-sha512",
];

/// What ipsec-mb has of these, all of which it has; OpenSSL has them as well.
const RING: [&str; 9] = [
    "aes-128-gcm",
    "aes-256-gcm",
    "chacha20-poly1305",
    "sha1",
    "sha256",
    "sha512",
    "hmac-sha1",
    "hmac-sha256",
    "hmac-sha512",
];

fn try_run(options: &MatrixOptions) -> (Result<Report, PerfError>, String) {
    let mut out = Vec::new();
    let report = run_matrix(options, &Cpu::detect(), &mut out);
    (report, String::from_utf8(out).unwrap())
}

fn run(options: &MatrixOptions) -> (Report, String) {
    let (report, text) = try_run(options);
    (report.unwrap(), text)
}

fn quick(algorithms: &[&str], peers: &[Peer]) -> MatrixOptions {
    MatrixOptions {
        algorithms: algorithms.iter().map(|name| name.parse().unwrap()).collect(),
        providers: vec!["native".parse().unwrap()],
        peers: peers.to_vec(),
        sizes: vec![Workload::Size(64)],
        quick: true,
        ..MatrixOptions::default()
    }
}

/// The peers that this program has, and that are installed, without the one that has nothing but
/// signatures.
fn here() -> Vec<Peer> {
    let general = Peer::ALL.into_iter().filter(|&peer| peer != Peer::Secp256k1);
    let built = general.filter_map(|peer| Some((peer, Found::find(peer).ok()?)));
    built.filter_map(|(peer, found)| present("a peer", found).map(|_| peer)).collect()
}

/// Returns `true` if a peer is measured at an algorithm in its first direction.
fn has(peer: Peer, algorithm: &str) -> bool {
    match peer {
        Peer::OpenSsl | Peer::IpsecMb => true,
        Peer::Ring => RING.contains(&algorithm),
        Peer::AwsLcRs => algorithm != "3des-cbc",
        Peer::Secp256k1 => false,
    }
}

#[test]
fn every_peer_agrees_with_native_both_ways() {
    let peers = here();
    for direction in [None, Some(Direction::Decrypt), Some(Direction::Open)] {
        let both = ALGORITHMS.into_iter().filter(|name| {
            let algorithm: Algorithm = name.parse().unwrap();
            direction.is_none_or(|direction| algorithm.directions().contains(&direction))
        });
        let algorithms: Vec<&str> = both.collect();
        let options = MatrixOptions {
            kinds: vec![Kind::Verify],
            directions: direction.into_iter().collect(),
            sizes: [1, 15, 16, 17, 64, 100, 1000, 8192].map(Workload::Size).to_vec(),
            bursts: vec![1, 24],
            ..quick(&algorithms, &peers)
        };
        let (report, text) = run(&options);
        for name in &algorithms {
            for &peer in &peers {
                let row = |row: &&Row| row.provider == peer.name() && row.algorithm == **name;
                // Sizes of block ciphers are rounded up, but each is a case of its own.
                let expected = if has(peer, name) { 8 * 2 } else { 0 };
                assert_eq!(report.rows.iter().filter(row).count(), expected, "{peer} {name}");
                let said = format!("{peer} (bare) takes no part in {name} ");
                assert_eq!(text.contains(&said), expected == 0, "{peer} {name}: {text}");
            }
        }
    }
}

/// The length of SHAKE's output is the engine's to choose, and a bare call has to be told.
#[test]
fn openssl_makes_as_many_bytes_of_shake_as_native() {
    let Some(peer) = here().into_iter().find(|peer| *peer == Peer::OpenSsl) else { return };
    let (report, text) = run(&quick(&["sha3-256", "shake128", "shake256"], &[peer]));
    let rows = report.rows.iter().filter(|row| row.provider == peer.name());
    assert_eq!(rows.count(), 3, "{text}");
}

#[test]
fn rows_tell_a_library_from_the_provider_of_its_name() {
    let peers = here();
    let options = MatrixOptions {
        providers: ["native", "openssl"].map(|name| name.parse().unwrap()).to_vec(),
        calls: vec![Call::QueuePair, Call::ProcessMany],
        caches: vec![Cache::Warm, Cache::Cold],
        kinds: vec![Kind::Throughput, Kind::Latency],
        cores: vec![1, 2.min(available_cores())],
        ..quick(&["sha256", "aes-128-gcm"], &peers)
    };
    let (report, text) = run(&options);
    let interface = |row: &Row| row.interface.clone().expect("every row of a matrix has it");
    for peer in &peers {
        assert!(text.contains(&format!("{peer} (bare): ")), "{text}");
        let bare: Vec<&Row> = report
            .rows
            .iter()
            .filter(|row| row.provider == peer.name() && interface(row) == "bare")
            .collect();
        let native = report.rows.iter().filter(|row| row.provider == "native");
        assert_eq!(bare.len(), native.count(), "{peer}");
        for row in bare {
            assert_eq!(row.side(), format!("{peer} (bare)"));
            match row.kind() {
                Kind::Latency => {
                    assert!(row.latency_ns_min.is_some_and(|least| least > 0.0), "{row:?}");
                }
                _ => {
                    assert!(row.cycles_per_buffer.is_some_and(|cycles| cycles > 0.0), "{row:?}");
                    assert!(row.limit_cycles_per_buffer.is_some(), "{row:?}");
                }
            }
        }
    }
    let engine =
        report.rows.iter().filter(|row| row.contexts.is_some() || row.provider == "native");
    assert!(engine.into_iter().all(|row| interface(row) == "engine"));
    // Each is compared with native in its own case.
    for peer in &peers {
        let line = text
            .lines()
            .find(|line| line.contains(&format!("{peer} (bare)")) && line.contains('×'));
        assert!(line.is_some(), "{text}");
    }
}

#[test]
fn what_bare_calls_cannot_do_is_said() {
    let options = MatrixOptions {
        outstanding: vec![2],
        directions: vec![Direction::Verify, Direction::Digest],
        ..quick(&["hmac-sha1", "sha1"], &here())
    };
    let (report, text) = run(&options);
    for peer in here() {
        let verify = format!("{peer} (bare) takes no part in hmac-sha1 verify: ");
        assert!(text.contains(&verify), "{text}");
        let outstanding = format!(
            "{peer} (bare) takes no part in sha1 digest: its bare calls leave nothing outstanding"
        );
        assert!(text.contains(&outstanding), "{text}");
        let rows: Vec<&Row> =
            report.rows.iter().filter(|row| row.provider == peer.name()).collect();
        assert!(rows.iter().all(|row| row.mode == "sync") && rows.len() == 1, "{rows:?}");
    }
}

#[test]
fn buffers_that_a_library_cannot_count_are_left_out() {
    let Some(peer) = here().into_iter().find(|&peer| peer == Peer::IpsecMb) else { return };
    let options = MatrixOptions {
        sizes: vec![Workload::Size(64), Workload::Size(65_535)],
        ..quick(&["sha1"], &[peer])
    };
    let (report, text) = run(&options);
    let bare = report.rows.iter().filter(|row| row.provider == "ipsec-mb");
    assert_eq!(bare.map(|row| row.size).collect::<Vec<_>>(), [Some(64)]);
    assert!(text.contains("ipsec-mb (bare) takes no part in sha1 digest: 65535 bytes"), "{text}");
}

/// Who signs with another hash than who verifies ends the run.
#[test]
fn peers_sign_and_verify_on_each_curve_with_the_hash_of_native() {
    let sign = [Peer::OpenSsl, Peer::AwsLcRs];
    let peers: Vec<Peer> = here().into_iter().filter(|peer| sign.contains(peer)).collect();
    let curves = ["ecdsa-p256", "ecdsa-p384", "ecdsa-p521"];
    let directions = [Direction::Sign, Direction::Verify];
    let options = MatrixOptions {
        directions: directions.to_vec(),
        bursts: vec![4],
        calls: vec![Call::ProcessMany],
        ..quick(&curves, &peers)
    };
    let (report, text) = run(&options);
    let sides = peers.iter().map(|peer| peer.name()).chain(["native"]);
    for side in sides {
        for (curve, direction) in
            curves.into_iter().flat_map(|curve| directions.map(|to| (curve, to)))
        {
            let is_its = |row: &Row| {
                (&*row.provider, &*row.algorithm, &*row.direction)
                    == (side, curve, direction.name())
            };
            assert!(report.rows.iter().any(is_its), "{side}, {curve} {direction}: {text}");
        }
    }
}

#[test]
fn a_peer_that_was_left_out_names_its_feature() {
    for (peer, built) in
        [(Peer::Ring, cfg!(feature = "ring")), (Peer::AwsLcRs, cfg!(feature = "aws-lc-rs"))]
    {
        let (report, text) = try_run(&quick(&["sha1"], &[peer]));
        match report {
            Ok(report) => assert!(built && report.rows.len() == 2, "{text}"),
            Err(error) => {
                assert!(!built && error.is_usage() && text.is_empty(), "{error} {text}");
                let expected = format!("a build with the cargo feature {peer}");
                assert!(error.to_string().ends_with(&expected), "{error}");
            }
        }
    }
}

/// A wrong tag is not passed over.
#[test]
fn a_wrong_tag_is_a_failure() {
    let algorithm = "aes-128-gcm".parse().unwrap();
    let workset = Workset::of_lengths(algorithm, &[100, 200, 300], 5);
    let (inputs, nonces) = (workset.copies(), vec![vec![1; 12]; 3]);
    let tags = vec![vec![7; 16]; 3];
    for peer in here() {
        let found = Found::find(peer).unwrap().unwrap();
        let with = |direction| {
            let buffers =
                Buffers::in_place(&workset, direction, &inputs, &nonces, b"header", &tags);
            found.seat(buffers).unwrap().unwrap_or_else(|absent| panic!("{absent}"))
        };
        let mut seals: Box<dyn Bare + '_> = with(Direction::Seal);
        seals.burst(0..3).unwrap();
        assert_ne!(seals.output(1), workset.buffer(1), "{peer}");
        assert_ne!(seals.buffers().tag(0), seals.buffers().tag(1), "{peer}");
        seals.restore();
        assert_eq!(seals.output(1), workset.buffer(1), "{peer}");
        let error = with(Direction::Open).burst(0..3).unwrap_err().to_string();
        assert!(error.starts_with(peer.name()), "{error}");
    }
}
