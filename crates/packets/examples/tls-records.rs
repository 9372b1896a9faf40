//! Many connections' TLS records in one burst, as a server protects the responses that it has ready
//! in one turn of its event loop. The clients read all of them in one burst, too. A record of one
//! connection is damaged on its way, which ends that connection and disturbs no other.
//!
//! ```sh
//! cargo run --release -p broadloom-packets --example tls-records
//! cargo run --release -p broadloom-packets --example tls-records -- 1000 tls13-aes-256-gcm
//! ```
//!
//! The arguments are the number of connections and a suite of TLS 1.3.

use std::error::Error;

use broadloom_engine::Registry;
use broadloom_lanes::Cpu;
use broadloom_packets::records::{RecordCipher, RecordSuite, RecordVersion};
use broadloom_packets::tls::{HEADER, RecordAead, RecordKeys, Tls13Config, Tls13Flow, record_len};
use broadloom_packets::{Flow, Packet, PacketProcessor};

/// The most bytes of a response that go into one record: small records reach a client's
/// application sooner than those of 16 KiB.
const CONTENT: usize = 4096;

/// Bytes behind the content: its type, and a tag.
const TAIL: usize = 1 + 16;

type Failure = Box<dyn Error>;

/// Both ends of one connection, after a handshake that this example leaves out.
struct Connection {
    server: Tls13Flow,
    client: Tls13Flow,
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().map_or(Ok(64), |count| count.parse())?;
    let suite = arguments.next().unwrap_or("tls13-aes-128-gcm".to_owned()).parse()?;
    let (whole, ended) = run(count, suite)?;
    println!("{whole} responses arrived whole, {ended} connections ended");
    Ok(())
}

/// Sends a response over each of `count` connections. Returns how many arrived, and how many
/// connections ended.
fn run(count: usize, suite: RecordSuite) -> Result<(usize, usize), Failure> {
    let (RecordVersion::Tls13, RecordCipher::Aead(aead)) = (suite.version, suite.cipher) else {
        return Err(format!("{suite} is no suite of TLS 1.3").into());
    };
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    let connections: Vec<Connection> =
        (0..count).map(|number| connect(&registry, aead, number)).collect::<Result<_, _>>()?;
    let responses: Vec<Vec<u8>> =
        (0..count).map(|number| vec![number as u8; 100 + number * 977 % 20_000]).collect();
    let mut processor = PacketProcessor::new();

    // The server: the records of each connection in their order, and all of them in one burst.
    let mut records = Vec::new();
    for (connection, response) in connections.iter().zip(&responses) {
        records.extend(response.chunks(CONTENT).map(|content| {
            let mut buffer = vec![0; HEADER + content.len() + TAIL];
            let place = HEADER..HEADER + content.len();
            buffer[place.clone()].copy_from_slice(content);
            Packet::new(&connection.server, buffer, place)
        }));
    }
    let outcome = processor.protect_burst(&mut records);
    println!("{} records of {count} connections protected in one burst", outcome.succeeded);

    // The network: each connection is a stream of bytes.
    let mut streams = vec![Vec::new(); count];
    let mut sent = records.iter();
    for (stream, response) in streams.iter_mut().zip(&responses) {
        let of_connection = sent.by_ref().take(response.len().div_ceil(CONTENT));
        of_connection.for_each(|record| stream.extend_from_slice(record.bytes()));
    }
    if let Some(stream) = streams.get_mut(count / 2) {
        stream[HEADER] ^= 1;
    }

    // The clients: where a record ends stands in its header.
    let mut received = Vec::new();
    for (connection, stream) in connections.iter().zip(&streams) {
        let mut rest = &stream[..];
        while let Some(len) = record_len(rest).filter(|len| *len <= rest.len()) {
            let (record, behind) = rest.split_at(len);
            received.push(Packet::new(&connection.client, record.to_vec(), 0..len));
            rest = behind;
        }
    }
    processor.unprotect_burst(&mut received);
    let (mut whole, mut ended) = (0, 0);
    let mut received = received.iter();
    for (connection, response) in connections.iter().zip(&responses) {
        let records: Vec<_> = received.by_ref().take(response.len().div_ceil(CONTENT)).collect();
        let text: Vec<u8> = records.iter().flat_map(|record| record.bytes()).copied().collect();
        match records.iter().find(|record| !record.succeeded()) {
            None if text == *response => whole += 1,
            None => return Err("a response differs from what was sent".into()),
            Some(_) => {
                let counted = connection.client.counters().read();
                println!("a connection ended: {} of its records refused", counted.refused());
                ended += 1;
            }
        }
    }
    Ok((whole, ended))
}

/// Opens both ends of a connection under traffic secrets, which a handshake would have agreed on.
fn connect(registry: &Registry, aead: RecordAead, number: usize) -> Result<Connection, Failure> {
    let secret = |side: u8| -> Vec<u8> {
        let bytes = number.to_be_bytes().into_iter().chain([side]).cycle();
        bytes.take(aead.hash().digest_len()).collect()
    };
    let (of_server, of_client) = (secret(1), secret(2));
    let open = |write: &[u8], read: &[u8]| {
        let (write, read) = (RecordKeys::Secret(write), RecordKeys::Secret(read));
        let config = Tls13Config { aead, write, write_number: 0, read, read_number: 0 };
        Tls13Flow::new(registry, &config)
    };
    Ok(Connection { server: open(&of_server, &of_client)?, client: open(&of_client, &of_server)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(name: &str) -> RecordSuite {
        name.parse().expect("it is a suite")
    }

    #[test]
    fn all_responses_arrive_but_the_damaged_one() -> Result<(), Failure> {
        for (name, count) in [("tls13-aes-128-gcm", 64), ("tls13-chacha20-poly1305", 300)] {
            assert_eq!(run(count, suite(name))?, (count - 1, 1));
        }
        assert_eq!(run(0, suite("tls13-aes-256-gcm"))?, (0, 0));
        Ok(())
    }

    #[test]
    fn other_versions_are_refused() {
        let error = run(1, suite("tls12-aes-128-gcm")).expect_err("it is no suite of TLS 1.3");
        assert_eq!(error.to_string(), "tls12-aes-128-gcm is no suite of TLS 1.3");
    }
}
