//! boringtun as the other end of a tunnel, for the tests of broadloom-packets.
//!
//!     boringtun-peer SECRET PUBLIC [SHARED]
//!
//! SECRET is its private key, PUBLIC the key of the other end, SHARED the key that both have
//! before, each in hexadecimal digits. It reads a command from each line of the input:
//!
//! - `initiate`: begin a handshake;
//! - `receive BYTES`: take a message from the other end;
//! - `send BYTES`: send an IP packet.
//!
//! It answers with a line: `message BYTES` for the other end, `packet BYTES` out of the tunnel,
//! `nothing`, or `refused ERROR`, as boringtun names the error.

use std::io::{self, BufRead, Write};

use boringtun::noise::{Tunn, TunnResult};
use boringtun::x25519::{PublicKey, StaticSecret};

fn main() -> io::Result<()> {
    let mut keys = std::env::args().skip(1).map(|digits| key(&digits));
    let (Some(secret), Some(public)) = (keys.next(), keys.next()) else {
        panic!("usage: boringtun-peer SECRET PUBLIC [SHARED]");
    };
    let (secret, public) = (StaticSecret::from(secret), PublicKey::from(public));
    let mut tunnel = Tunn::new(secret, public, keys.next(), None, 7, None);
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (command, digits) = line.split_once(' ').unwrap_or((&line, ""));
        let given = bytes(digits);
        let mut room = vec![0; given.len().max(256) + 32];
        let made = match command {
            "initiate" => tunnel.format_handshake_initiation(&mut room, false),
            "receive" => tunnel.decapsulate(None, &given, &mut room),
            "send" => tunnel.encapsulate(&given, &mut room),
            _ => panic!("there is no command {command}"),
        };
        let answer = match made {
            TunnResult::WriteToTunnelV4(packet, _) => format!("packet {}", digits_of(packet)),
            TunnResult::WriteToTunnelV6(packet, _) => format!("packet {}", digits_of(packet)),
            TunnResult::WriteToNetwork(message) => format!("message {}", digits_of(message)),
            TunnResult::Done => "nothing".into(),
            TunnResult::Err(error) => format!("refused {error:?}"),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn key(digits: &str) -> [u8; 32] {
    bytes(digits).try_into().expect("a key has 64 hexadecimal digits")
}

fn digits_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
