//! A burst of packets sealed and opened with AES-128-GCM, as a VPN gateway does with ESP (RFC
//! 4106): each packet has its own nonce and its own header, which is authenticated and stays
//! readable.
//!
//! ```sh
//! cargo run --release -p broadloom --example aead_burst
//! ```

use std::error::Error;

use broadloom::{AeadAlgorithm, AesSize, Job, JobError, Processor, Session, Transform};

const ALGORITHM: AeadAlgorithm = AeadAlgorithm::AesGcm(AesSize::Aes128);

/// One packet on the wire.
#[derive(Clone)]
struct Packet {
    number: u64,
    header: [u8; 8],
    /// Sealed in place.
    payload: Vec<u8>,
    tag: Vec<u8>,
}

/// Both directions of one key. Opening a session expands the key; packets only use it.
struct Tunnel {
    seal: Session,
    open: Session,
    salt: [u8; 4],
    processor: Processor,
}

impl Tunnel {
    fn new(key: &[u8; 16], salt: [u8; 4]) -> Result<Tunnel, Box<dyn Error>> {
        let registry = broadloom::registry();
        let seal = registry.open(&Transform::aead(ALGORITHM, key).seal()?)?;
        let open = registry.open(&Transform::aead(ALGORITHM, key).open()?)?;
        Ok(Tunnel { seal, open, salt, processor: Processor::new() })
    }

    /// Seals a burst. The packets may have any lengths.
    fn seal(&mut self, packets: &mut [Packet]) -> Result<(), JobError> {
        // A nonce must never come back under the same key: a counter sees to that.
        let salt = self.salt;
        let jobs = packets.iter_mut().map(|packet| {
            let Packet { number, header, payload, tag } = packet;
            Job::new(&self.seal, payload.as_mut_slice())
                .nonce(&nonce(salt, *number))
                .associated(&header[..])
                .user(tag)
        });
        let mut jobs: Vec<_> = jobs.collect();
        // One call for the whole burst: the packets go through the lanes side by side.
        self.processor.process_many(&mut jobs);
        for job in &mut jobs {
            job.status().expect("a processed job is complete")?;
            let tag = job.tag().expect("sealing makes a tag").to_vec();
            **job.user_value_mut() = tag;
        }
        Ok(())
    }

    /// Opens a burst, and says of each packet whether it is genuine. The payload of a forged packet
    /// is wiped.
    fn open(&mut self, packets: &mut [Packet]) -> Vec<Result<(), JobError>> {
        let salt = self.salt;
        let jobs = packets.iter_mut().map(|packet| {
            Job::new(&self.open, packet.payload.as_mut_slice())
                .nonce(&nonce(salt, packet.number))
                .associated(&packet.header[..])
                .expect_tag(&packet.tag)
        });
        let mut jobs: Vec<_> = jobs.collect();
        self.processor.process_many(&mut jobs);
        jobs.iter().map(|job| job.status().expect("a processed job is complete")).collect()
    }
}

/// The nonce of a packet (RFC 4106, 4): a salt of the connection and the packet's number.
fn nonce(salt: [u8; 4], number: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&salt);
    nonce[4..].copy_from_slice(&number.to_be_bytes());
    nonce
}

/// A burst as it comes from a network: many short packets, some long ones.
fn burst() -> Vec<Packet> {
    let packet = |number: u64| {
        let len = if number.is_multiple_of(4) { 1400 } else { 64 };
        Packet { number, header: [number as u8; 8], payload: vec![b'.'; len], tag: Vec::new() }
    };
    (1..=64).map(packet).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut tunnel = Tunnel::new(&[7; 16], *b"salt")?;
    let mut packets = burst();
    tunnel.seal(&mut packets)?;
    packets[9].payload[0] ^= 1;
    let opened = tunnel.open(&mut packets);
    let genuine = opened.iter().filter(|outcome| outcome.is_ok()).count();
    println!("{} packets by {}: {genuine} genuine", packets.len(), tunnel.open.kernel());
    for (packet, outcome) in packets.iter().zip(&opened) {
        if let Err(error) = outcome {
            println!("packet {}: {error}", packet.number);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_comes_back_and_a_forged_packet_is_wiped() {
        let mut tunnel = Tunnel::new(&[3; 16], [1, 2, 3, 4]).expect("every machine has AES-GCM");
        let plain = burst();
        let mut packets = plain.clone();
        tunnel.seal(&mut packets).expect("the packets can be sealed");
        for (packet, plain) in packets.iter().zip(&plain) {
            assert_ne!(packet.payload, plain.payload);
            assert_eq!(packet.tag.len(), 16);
        }
        packets[5].header[0] ^= 0x80;
        let opened = tunnel.open(&mut packets);
        for (index, (packet, plain)) in packets.iter().zip(&plain).enumerate() {
            if index == 5 {
                assert_eq!(opened[index], Err(JobError::TagMismatch));
                assert_eq!(packet.payload, vec![0; plain.payload.len()]);
            } else {
                assert_eq!(opened[index], Ok(()));
                assert_eq!(packet.payload, plain.payload, "packet {}", packet.number);
            }
        }
    }
}
