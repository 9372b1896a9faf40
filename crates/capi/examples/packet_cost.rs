//! What a burst of packets from C costs over one from Rust: ESP with AES-128-GCM, packets of 64
//! bytes, each of its own flow, bursts of 64, `bl_protect_burst` and
//! `PacketProcessor::protect_burst` in turn in one process.
//!
//! ```sh
//! cargo run --release -p broadloom-capi --example packet_cost
//! ```
//!
//! Both begin with payloads in buffers and end with packets in the same buffers, and use their
//! descriptions of packets again. Prints the minimum and the median of many short pieces.

use std::ptr;
use std::time::Instant;

use broadloom_capi::{
    BL_OK, bl_esp_config, bl_esp_open, bl_flow, bl_packet, bl_processor_open, bl_protect_burst,
};
use broadloom_packets::esp::{EspConfig, EspFlow, EspKeys, EspMeta};
use broadloom_packets::{Packet, PacketProcessor};

const BURST: usize = 64;
const BYTES: usize = 64;
/// Room for header and IV, and behind the payload for trailer and tag.
const HEAD: usize = 16;
const TAIL: usize = 32;
/// Bursts in a piece, which the clock sees as one.
const REPEATS: usize = 50;
const PIECES: usize = 2000;

type Buffer = [u8; HEAD + BYTES + TAIL];

/// Nanoseconds a packet.
fn timed(mut burst: impl FnMut()) -> f64 {
    let begin = Instant::now();
    (0..REPEATS).for_each(|_| burst());
    begin.elapsed().as_secs_f64() * 1e9 / (REPEATS * BURST) as f64
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let keys: Vec<[u8; 16]> = (0..BURST as u8).map(|number| [number; 16]).collect();
    let registry = broadloom::registry();
    let algorithm = "esp-aes-128-gcm".parse()?;
    let open = |key: &[u8; 16]| {
        let keys = EspKeys { key, salt: &[1; 4], integrity: &[] };
        EspFlow::outbound(&registry, &EspConfig::new(algorithm, keys, 300))
    };
    let flows = keys.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut processor = PacketProcessor::new();
    let mut buffers: Vec<Buffer> = vec![[7; HEAD + BYTES + TAIL]; BURST];
    let place = HEAD..HEAD + BYTES;
    let mut packets: Vec<Packet<'_, EspFlow>> = flows
        .iter()
        .zip(&mut buffers)
        .map(|(flow, buffer)| Packet::new(flow, &mut buffer[..], place.clone()))
        .collect();
    let mut rust = || {
        for packet in &mut packets {
            packet.buffer_mut()[place.clone()].fill(7);
            packet.set_range(place.clone());
            *packet.meta_mut() = EspMeta::payload(17);
        }
        assert_eq!(processor.protect_burst(&mut packets).refused, 0);
    };

    let mut c_processor = ptr::null_mut();
    let mut c_flows: Vec<*mut bl_flow> = vec![ptr::null_mut(); BURST];
    // SAFETY: all members are numbers and pointers, for which zero is a value. Configurations, keys
    // and places are variables that outlive the calls.
    let (nothing, no_config): (bl_packet, bl_esp_config) = unsafe {
        assert_eq!(bl_processor_open(&mut c_processor), BL_OK);
        (std::mem::zeroed(), std::mem::zeroed())
    };
    let salt = [1; 4];
    for (flow, key) in c_flows.iter_mut().zip(&keys) {
        let config = bl_esp_config {
            size: size_of::<bl_esp_config>(),
            algorithm: c"esp-aes-128-gcm".as_ptr(),
            key: key.as_ptr(),
            key_len: key.len(),
            salt: salt.as_ptr(),
            salt_len: salt.len(),
            spi: 300,
            ..no_config
        };
        // SAFETY: as above.
        assert_eq!(unsafe { bl_esp_open(&config, flow) }, BL_OK);
    }
    let mut c_buffers: Vec<Buffer> = vec![[7; HEAD + BYTES + TAIL]; BURST];
    let size = size_of::<bl_packet>();
    let mut c_packets: Vec<bl_packet> = vec![bl_packet { size, ..nothing }; BURST];
    let mut c = || {
        let parts = c_flows.iter().zip(&mut c_buffers);
        for (packet, (&flow, buffer)) in c_packets.iter_mut().zip(parts) {
            buffer[place.clone()].fill(7);
            (packet.flow, packet.buffer, packet.room) = (flow, buffer.as_mut_ptr(), buffer.len());
            (packet.begin, packet.len, packet.kind) = (HEAD, BYTES, 17);
        }
        // SAFETY: the packets, and all that they point to, are variables that nobody else uses.
        let status = unsafe { bl_protect_burst(c_processor, c_packets.as_mut_ptr(), BURST) };
        assert_eq!(status, BL_OK);
    };

    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..PIECES {
        times[0].push(timed(&mut rust));
        times[1].push(timed(&mut c));
    }
    drop(packets);
    assert!(buffers == c_buffers, "both make the same packets");
    let mut minima = [0.0; 2];
    for ((name, times), minimum) in ["Rust", "C"].iter().zip(&mut times).zip(&mut minima) {
        times.sort_by(f64::total_cmp);
        *minimum = times[0];
        println!("{name}: {:.2} ns a packet, median {:.2}", times[0], times[PIECES / 2]);
    }
    println!("C over Rust: {:+.1} %", 100.0 * (minima[1] / minima[0] - 1.0));
    Ok(())
}
