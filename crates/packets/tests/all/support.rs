//! What the tests of all protocols share.

use std::io::Write;
use std::process::{Command, Stdio};

use broadloom_engine::Registry;
use broadloom_lanes::Cpu;
use broadloom_packets::{Flow, Packet, PacketError, PacketProcessor};

/// A registry with the provider `native`.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    registry
}

/// A packet with `text` in the middle of a buffer with room around it.
pub fn packet<'a, F: Flow>(flow: &'a F, text: &[u8]) -> Packet<'a, F> {
    let (head, tail) = (128, 384);
    let mut buffer = vec![0xee; head + text.len() + tail];
    buffer[head..head + text.len()].copy_from_slice(text);
    Packet::new(flow, buffer, head..head + text.len())
}

pub use broadloom_testing::noise;

/// Protects texts of one flow in one burst, and returns what is sent.
pub fn protect<F: Flow>(flow: &F, texts: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut packets: Vec<_> = texts.iter().map(|text| packet(flow, text)).collect();
    let outcome = PacketProcessor::new().protect_burst(&mut packets);
    assert_eq!(outcome.refused, 0, "{packets:?}");
    packets.iter().map(|packet| packet.bytes().to_vec()).collect()
}

/// Unprotects packets of one flow in one burst, and returns what each came to.
pub fn unprotect<F: Flow>(flow: &F, sent: &[Vec<u8>]) -> Vec<Result<Vec<u8>, PacketError>> {
    let mut packets: Vec<_> = sent.iter().map(|sent| packet(flow, sent)).collect();
    PacketProcessor::new().unprotect_burst(&mut packets);
    let result = |packet: &Packet<'_, F>| {
        let status = packet.status().expect("every packet of a burst has a status");
        status.map(|()| packet.bytes().to_vec())
    };
    packets.iter().map(result).collect()
}

/// Damages every bit of a packet in turn, and checks that none of these passes, and that an
/// untouched neighbour in the same burst does. `neighbours` has a fresh packet for every bit of
/// `sent`.
pub fn no_damaged_packet_passes<F: Flow>(flow: &F, sent: &[u8], mut neighbours: Vec<Vec<u8>>) {
    for bit in 0..sent.len() * 8 {
        let mut damaged = sent.to_vec();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let neighbour = neighbours.pop().expect("a neighbour for every bit");
        let results = unprotect(flow, &[damaged, neighbour]);
        assert!(results[0].is_err(), "a packet with bit {bit} flipped passed");
        assert!(results[1].is_ok(), "bit {bit}: the neighbour failed: {:?}", results[1]);
    }
}

/// Gives a program its input, and returns what it prints.
///
/// # Panics
/// If the program fails, with what it says.
pub fn output_of(program: &mut Command, input: Vec<u8>) -> Vec<u8> {
    let streams = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = streams.spawn().expect("the program starts");
    let mut stdin = running.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = running.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program:?}: {}, {errors}", output.status);
    writer.join().expect("no panic").expect("the program reads all");
    output.stdout
}
