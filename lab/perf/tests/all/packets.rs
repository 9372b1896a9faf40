//! `broadloom-perf packets`: every protocol is protected, unprotected, compared and timed.

use broadloom_lanes::Cpu;
use broadloom_perf::experiments::packets::{Call, Frames, PacketPeer, Protocol, Way, page};
use broadloom_perf::{PacketOptions, run_packets};

/// Options for one protocol, with few packets.
fn options(protocol: &str) -> PacketOptions {
    PacketOptions {
        protocols: vec![protocol.parse().expect("a protocol")],
        frames: vec![Frames::Bytes(100)],
        flows: vec![3],
        bursts: vec![5],
        quick: true,
        ..PacketOptions::default()
    }
}

#[test]
fn every_usual_protocol_is_measured_in_both_directions() {
    for protocol in Protocol::USUAL {
        let options = options(&protocol.to_string());
        let report = run_packets(&options, &Cpu::detect(), &mut Vec::new()).expect("it measures");
        let directions: Vec<&str> = report.rows.iter().map(|row| row.direction.as_str()).collect();
        assert_eq!(directions, ["protect", "unprotect"], "{protocol}");
        for row in &report.rows {
            assert_eq!(row.protocol.as_deref(), Some(protocol.to_string().as_str()));
            assert_eq!((row.frame.as_deref(), row.flows, row.burst), (Some("100"), Some(3), 5));
            assert!(row.cycles_per_packet.is_some() && row.packets_per_second.is_some());
        }
    }
}

#[test]
fn packets_go_through_every_call() {
    let all = Call::ALL.to_vec();
    let options = PacketOptions { calls: all.clone(), ..options("wireguard") };
    let report = run_packets(&options, &Cpu::detect(), &mut Vec::new()).expect("it measures");
    let expected: Vec<String> =
        Way::ALL.iter().flat_map(|_| all.iter().map(Call::to_string)).collect();
    let calls: Vec<String> = report.rows.iter().filter_map(|row| row.call.clone()).collect();
    assert_eq!(calls, expected);
    let mut html = Vec::new();
    page::write(&report, &mut html).expect("memory takes it");
    let html = String::from_utf8(html).expect("it is text");
    assert!(html.contains("wireguard") && html.contains("event-fd"));
}

/// Threads with bursts of their own are compared with one in their place, and each needs a flow.
#[test]
fn threads_have_bursts_and_flows_of_their_own() {
    for protocol in ["esp-aes-128-gcm", "srtp-aes-128-gcm", "tls13-aes-128-gcm"] {
        let options = PacketOptions {
            calls: vec![Call::Threads],
            workers: vec![1, 2, 3],
            frames: vec![Frames::Imix],
            ..options(protocol)
        };
        let mut said = Vec::new();
        let report = run_packets(&options, &Cpu::detect(), &mut said).expect("it measures");
        let cores: Vec<usize> = report.rows.iter().map(|row| row.cores).collect();
        assert_eq!(cores, [1, 2, 3, 1, 2, 3], "{protocol}");
        let said = String::from_utf8(said).expect("it is text");
        for compared in ["call threads: 2 workers do", "call threads: 3 workers do"] {
            assert_eq!(said.matches(compared).count(), 2, "{protocol}: {said}");
        }
        let few = PacketOptions { workers: vec![4], ..options };
        let error = run_packets(&few, &Cpu::detect(), &mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("3 flows are not enough for 4 threads"), "{error}");
    }
}

/// A peer that has no part in a protocol is named, and not left out in silence.
#[test]
fn a_peer_without_the_protocol_is_named() {
    let options = PacketOptions { peers: vec![PacketPeer::LibSrtp2], ..options("wireguard") };
    let report = run_packets(&options, &Cpu::detect(), &mut Vec::new()).expect("it measures");
    assert_eq!(report.notes, ["libsrtp2 is not measured with wireguard"]);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let refused = |options: PacketOptions| {
        run_packets(&options, &Cpu::detect(), &mut Vec::new()).unwrap_err().to_string()
    };
    let none = refused(PacketOptions { flows: vec![0], ..options("wireguard") });
    assert_eq!(none, "flows 0 is out of range; valid: 1 to 1048576");
    let many = refused(PacketOptions { bursts: vec![1025], ..options("wireguard") });
    assert!(many.contains("1025"), "{many}");
    let error = "esp".parse::<Protocol>().unwrap_err().to_string();
    assert!(error.contains("esp-aes-128-gcm, "), "{error}");
}
