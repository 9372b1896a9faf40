//! Two IPsec gateways that exchange IP packets as ESP in UDP (RFC 3948), over loopback.
//!
//! Each gateway is a thread with a UDP socket, an outbound flow, and a table of inbound flows. The
//! first gateway protects bursts of packets and sends them. The second one finds the flow of each
//! datagram by its SPI, unprotects the burst, and sends the packets back the other way. The first
//! gateway begins with a keepalive, which has no effect.
//!
//! ```sh
//! cargo run --release -p broadloom-packets --example esp-gateway -- esp-aes-128-gcm 1000
//! ```

use std::error::Error;
use std::net::UdpSocket;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use broadloom_engine::Registry;
use broadloom_lanes::Cpu;
use broadloom_packets::esp::{EspAlgorithm, EspConfig, EspFlow, EspKeys, EspMeta, payload_spi};
use broadloom_packets::{Flow, Flows, Packet, PacketProcessor};

type Failure = Box<dyn Error + Send + Sync>;

/// Packets of a burst.
const BURST: usize = 32;

/// The SPIs of the two directions.
const THERE: u32 = 0x1001;
const BACK: u32 = 0x2002;

/// One end of the tunnel.
struct Gateway {
    socket: UdpSocket,
    outbound: EspFlow,
    inbound: Flows<u32, EspFlow>,
    processor: PacketProcessor,
}

impl Gateway {
    /// Returns a gateway that sends under one SPI and receives under another.
    fn new(socket: UdpSocket, algorithm: EspAlgorithm, spis: [u32; 2]) -> Result<Self, Failure> {
        socket.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut registry = Registry::new();
        registry.add_factory(broadloom_native::factory(&Cpu::detect()));
        let [outbound, inbound] = spis;
        let receiver =
            with_config(algorithm, inbound, |config| EspFlow::inbound(&registry, config))?;
        let inbound = Flows::new();
        inbound.insert(receiver.spi(), Arc::new(receiver));
        Ok(Gateway {
            socket,
            outbound: with_config(algorithm, outbound, |config| {
                EspFlow::outbound(&registry, config)
            })?,
            inbound,
            processor: PacketProcessor::new(),
        })
    }

    /// Protects packets in one burst, and sends each as a datagram.
    fn send(&mut self, inner: &[Vec<u8>]) -> Result<(), Failure> {
        let (head, tail) = self.outbound.room();
        let packet = |inner: &Vec<u8>| {
            let mut buffer = vec![0; head + inner.len() + tail];
            buffer[head..head + inner.len()].copy_from_slice(inner);
            let range = head..head + inner.len();
            // The next header of an IPv4 packet in a tunnel is 4.
            Packet::new(&self.outbound, buffer, range).with_meta(EspMeta::payload(4))
        };
        let mut packets: Vec<_> = inner.iter().map(packet).collect();
        self.processor.protect_burst(&mut packets);
        for packet in &packets {
            packet.status().ok_or("a packet was not processed")??;
            self.socket.send(packet.bytes())?;
        }
        Ok(())
    }

    /// Receives `count` packets that belong to flows, unprotects them in one burst, and returns
    /// those that are authentic.
    fn receive(&mut self, count: usize) -> Result<Vec<Vec<u8>>, Failure> {
        let mut packets = Vec::new();
        while packets.len() < count {
            let mut datagram = vec![0; 2048];
            let len = self.socket.recv(&mut datagram)?;
            let spi = payload_spi(&datagram[..len]);
            // A keepalive or a message of a key exchange has no SPI.
            if let Some(flow) = spi.and_then(|spi| self.inbound.get(&spi)) {
                packets.push(Packet::new(flow, datagram, 0..len));
            }
        }
        self.processor.unprotect_burst(&mut packets);
        packets.retain(Packet::succeeded);
        Ok(packets.iter().map(|packet| packet.bytes().to_vec()).collect())
    }
}

/// Opens a flow with the keys of one direction. A real gateway gets keys from a key exchange, fresh
/// ones for every flow: these are for the example alone.
fn with_config<F>(
    algorithm: EspAlgorithm,
    spi: u32,
    open: impl Fn(&EspConfig<'_>) -> Result<F, broadloom_packets::FlowError>,
) -> Result<F, Failure> {
    let bytes = |len: usize| vec![spi as u8; len];
    let (key, salt) = (bytes(algorithm.key_len()), bytes(algorithm.salt_len()));
    let integrity = bytes(algorithm.integrity_key_len());
    let keys = EspKeys { key: &key, salt: &salt, integrity: &integrity };
    let config = EspConfig { extended: true, window: 1024, ..EspConfig::new(algorithm, keys, spi) };
    Ok(open(&config)?)
}

/// Returns an IPv4 packet from one host to another, without a checksum.
fn ip_packet(from: u8, to: u8, payload: &[u8]) -> Vec<u8> {
    let len = (20 + payload.len()) as u16;
    let [high, low] = len.to_be_bytes();
    let mut packet = vec![0x45, 0, high, low, 0, 0, 0x40, 0, 64, 253, 0, 0];
    packet.extend([10, 0, 0, from, 10, 0, 0, to]);
    packet.extend(payload);
    packet
}

/// Sends packets and compares what comes back.
fn client(mut gateway: Gateway, count: usize) -> Result<Gateway, Failure> {
    let packets: Vec<_> =
        (0..count).map(|number| ip_packet(1, 2, &vec![number as u8; number % 1200])).collect();
    for burst in packets.chunks(BURST) {
        gateway.send(burst)?;
        let echoes = gateway.receive(burst.len())?;
        if echoes.len() != burst.len() {
            return Err(format!("{} of {} packets came back", echoes.len(), burst.len()).into());
        }
        for (packet, echo) in burst.iter().zip(&echoes) {
            if echo[20..] != packet[20..] || echo[12..16] != packet[16..20] {
                return Err("a packet came back changed".into());
            }
        }
    }
    Ok(gateway)
}

/// Sends packets back to where they came from.
fn server(mut gateway: Gateway, count: usize) -> Result<Gateway, Failure> {
    let mut left = count;
    while left > 0 {
        let mut packets = gateway.receive(left.min(BURST))?;
        left -= packets.len();
        for packet in &mut packets {
            let (source, destination) = packet[12..20].split_at_mut(4);
            source.swap_with_slice(destination);
        }
        gateway.send(&packets)?;
    }
    Ok(gateway)
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "esp-aes-128-gcm".to_owned());
    let algorithm: EspAlgorithm = name.parse()?;
    let count = arguments.next().unwrap_or_else(|| "1000".to_owned());
    let count: usize =
        count.parse().map_err(|_| format!("{count} is not a number of packets, such as 1000"))?;

    let [near, far] = [UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?];
    near.connect(far.local_addr()?)?;
    far.connect(near.local_addr()?)?;
    near.send(&[0xff])?; // a keepalive (RFC 3948, 2.3)
    let near = Gateway::new(near, algorithm, [THERE, BACK])?;
    let far = Gateway::new(far, algorithm, [BACK, THERE])?;

    let server = thread::spawn(move || server(far, count));
    let near = client(near, count)?;
    let far = server.join().map_err(|_| "the server panicked")??;
    for (end, spi, gateway) in [("near", BACK, &near), ("far", THERE, &far)] {
        let inbound = gateway.inbound.get(&spi).ok_or("the flow is gone")?;
        let (sent, received) = (gateway.outbound.counters().read(), inbound.counters().read());
        println!(
            "{end}: {} packets sent ({} bytes), {} received ({} bytes), {} refused",
            sent.packets,
            sent.bytes,
            received.packets,
            received.bytes,
            received.refused()
        );
    }
    Ok(())
}
