//! An IPsec gateway: the packets of a TUN device go to another gateway as ESP in UDP (RFC 3948),
//! and those of the other gateway to the device.
//!
//! ```sh
//! cargo run --release -p broadloom-packets --example esp-tun -- --help
//! ```
//!
//! Two threads read packets, from the device and from the socket. Two others protect and unprotect
//! all that were read meanwhile, in one burst. The kernel makes the outer headers, and the program
//! is given its keys: a key exchange is not a part of it. `crates/packets/check` runs it against
//! itself and against strongSwan.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    gateway::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("esp-tun runs only on Linux, because it needs a TUN device");
    std::process::exit(1);
}

#[cfg(target_os = "linux")]
mod gateway {
    use std::error::Error;
    use std::io;
    use std::net::{SocketAddr, UdpSocket};
    use std::ops::Range;
    use std::process::ExitCode;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, sync_channel};
    use std::thread;

    use broadloom_engine::Registry;
    use broadloom_lanes::Cpu;
    use broadloom_packets::esp::{EspAlgorithm, EspConfig, EspFlow, EspKeys, EspMeta, payload_spi};
    use broadloom_packets::{Flows, Packet, PacketProcessor};
    use tun_rs::{DeviceBuilder, SyncDevice};

    const HELP: &str = "\
usage: esp-tun DEVICE LISTEN PEER KEYS

Connects a TUN device with another gateway, by ESP in UDP, until it is stopped.

  DEVICE  the TUN device, such as tun0; it is made if there is none
  LISTEN  the address and the UDP port of this gateway, such as 192.0.2.1:4500
  PEER    the address and the UDP port of the other gateway
  KEYS    a file with a line for each direction, such as
            out 0x1001 esp-aes-128-gcm 000102030405060708090a0b0c0d0e0f10111213
            in 0x2002 esp-aes-128-gcm f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00010203
          Each line has a direction, an SPI, an algorithm and the bytes of its keys: the key, the
          salt and the HMAC key, in this order. Exactly one line begins with \"out\"; each line
          with \"in\" has its own SPI.

Use new keys for each start: the gateway counts from the beginning again, and would repeat nonces.
";

    type Failure = Box<dyn Error + Send + Sync>;

    /// Packets of a burst at most.
    const BURST: usize = 64;

    /// The longest packet that is read.
    const LONGEST: usize = 65_535;

    /// The numbers of IPv4 and IPv6 as payload of ESP.
    const IPV4: u8 = 4;
    const IPV6: u8 = 41;

    pub fn main() -> ExitCode {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let outcome = match arguments[..] {
            ["-h" | "--help"] => {
                print!("{HELP}");
                Ok(())
            }
            [device, listen, peer, keys] => run(device, listen, peer, keys),
            _ => Err("usage: esp-tun DEVICE LISTEN PEER KEYS (see esp-tun --help)".into()),
        };
        match outcome {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("esp-tun: {error}");
                ExitCode::FAILURE
            }
        }
    }

    fn run(device: &str, listen: &str, peer: &str, keys: &str) -> Result<(), Failure> {
        let address = |text: &str| {
            let parsed = text.parse::<SocketAddr>();
            parsed.map_err(|_| format!("{text} is no address with a port, such as 192.0.2.1:4500"))
        };
        let (listen, peer) = (address(listen)?, address(peer)?);
        let text = std::fs::read_to_string(keys).map_err(|error| format!("{keys}: {error}"))?;
        let (outbound, inbound) = flows(&text).map_err(|error| format!("{keys}: {error}"))?;
        let socket = UdpSocket::bind(listen).map_err(|error| format!("{listen}: {error}"))?;
        let opened = DeviceBuilder::new().name(device).build_sync();
        let opened = opened.map_err(|error| format!("the TUN device {device}: {error}"))?;
        let (device, socket) = (Arc::new(opened), Arc::new(socket));
        println!("{listen} to {peer}, {} inbound flows", inbound.len());

        let (near, far) = (Arc::clone(&device), Arc::clone(&socket));
        let from_device = reader(outbound.room(), move |buffer| near.recv(buffer));
        let from_socket = reader((0, 0), move |buffer| far.recv(buffer));
        let (near, far) = (Arc::clone(&device), Arc::clone(&socket));
        // Both go on until reading fails, and then the program ends.
        let (ended, end) = sync_channel(2);
        let ended_too = ended.clone();
        thread::spawn(move || ended.send(send(&outbound, &from_device, &far, peer)));
        thread::spawn(move || ended_too.send(receive(&inbound, &from_socket, &near)));
        end.recv()?
    }

    /// Opens the flows of a file of keys: the outbound one, and the inbound ones by their SPIs.
    fn flows(text: &str) -> Result<(EspFlow, Flows<u32, EspFlow>), Failure> {
        let mut registry = Registry::new();
        registry.add_factory(broadloom_native::factory(&Cpu::detect()));
        let (mut outbound, inbound) = (None, Flows::new());
        for (number, line) in (1..).zip(text.lines()) {
            // The line is not shown, since it has a key.
            let wrong = |error: Failure| format!("line {number}: {error}");
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [] => {}
                ["out", spi, algorithm, key] if outbound.is_none() => {
                    let open = |config: &EspConfig<'_>| EspFlow::outbound(&registry, config);
                    outbound = Some(flow(spi, algorithm, key, open).map_err(wrong)?);
                }
                ["in", spi, algorithm, key] => {
                    let open = |config: &EspConfig<'_>| EspFlow::inbound(&registry, config);
                    let flow = flow(spi, algorithm, key, open).map_err(wrong)?;
                    if inbound.insert(flow.spi(), Arc::new(flow)).is_some() {
                        return Err(wrong(format!("{spi} is the SPI of two flows").into()).into());
                    }
                }
                ["out", ..] if outbound.is_some() => {
                    return Err(wrong("this is the second line with \"out\"".into()).into());
                }
                _ => {
                    let expected = "\"out\" or \"in\", an SPI, an algorithm and a key are expected";
                    return Err(wrong(expected.into()).into());
                }
            }
        }
        Ok((outbound.ok_or("there is no line with \"out\"")?, inbound))
    }

    /// Opens the flow of a line.
    fn flow(
        spi: &str,
        algorithm: &str,
        key: &str,
        open: impl Fn(&EspConfig<'_>) -> Result<EspFlow, broadloom_packets::FlowError>,
    ) -> Result<EspFlow, Failure> {
        let parsed = match spi.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => spi.parse(),
        };
        let spi = parsed.map_err(|_| format!("{spi} is no SPI, such as 4097 or 0x1001"))?;
        let algorithm: EspAlgorithm = algorithm.parse()?;
        let bytes = hex(key).ok_or("a key has two hexadecimal digits for each byte")?;
        let lens = [algorithm.key_len(), algorithm.salt_len(), algorithm.integrity_key_len()];
        let (expected, given) = (lens.iter().sum::<usize>(), bytes.len());
        if given != expected {
            return Err(format!("{algorithm} takes {expected} bytes of keys, not {given}").into());
        }
        let (key, rest) = bytes.split_at(lens[0]);
        let (salt, integrity) = rest.split_at(lens[1]);
        let keys = EspKeys { key, salt, integrity };
        let config = EspConfig { window: 1024, ..EspConfig::new(algorithm, keys, spi) };
        Ok(open(&config)?)
    }

    fn hex(text: &str) -> Option<Vec<u8>> {
        let digit = |digit: &u8| char::from(*digit).to_digit(16);
        let byte = |pair: &[u8]| match pair {
            [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
            _ => None,
        };
        text.as_bytes().chunks(2).map(byte).collect()
    }

    /// A buffer with a packet, and where in the buffer the packet is.
    type Read = (Vec<u8>, Range<usize>);

    /// Reads packets on a thread of its own, into buffers with this room before and behind them.
    /// The last item is why reading ended.
    fn reader(
        (head, tail): (usize, usize),
        read: impl Fn(&mut [u8]) -> io::Result<usize> + Send + 'static,
    ) -> Receiver<io::Result<Read>> {
        let (sender, receiver) = sync_channel(4 * BURST);
        thread::spawn(move || {
            let mut buffer = vec![0; LONGEST];
            loop {
                let packet = read(&mut buffer).map(|len| {
                    let mut packet = vec![0; head + len + tail];
                    packet[head..head + len].copy_from_slice(&buffer[..len]);
                    (packet, head..head + len)
                });
                let is_last = packet.is_err();
                if sender.send(packet).is_err() || is_last {
                    return;
                }
            }
        });
        receiver
    }

    /// Waits for a packet, and returns it with all that were read meanwhile.
    fn next(packets: &Receiver<io::Result<Read>>) -> Result<Vec<Read>, Failure> {
        let first = packets.recv()??;
        let mut burst = vec![first];
        for packet in packets.try_iter().take(BURST - 1) {
            burst.push(packet?);
        }
        Ok(burst)
    }

    /// Protects the packets of the device, and sends them to the peer.
    fn send(
        flow: &EspFlow,
        packets: &Receiver<io::Result<Read>>,
        socket: &UdpSocket,
        peer: SocketAddr,
    ) -> Result<(), Failure> {
        let mut processor = PacketProcessor::new();
        loop {
            let protect = |(buffer, range): Read| {
                let protocol = if buffer[range.start] >> 4 == 4 { IPV4 } else { IPV6 };
                Packet::new(flow, buffer, range).with_meta(EspMeta::payload(protocol))
            };
            let mut burst: Vec<_> = next(packets)?.into_iter().map(protect).collect();
            processor.protect_burst(&mut burst);
            for packet in &burst {
                packet.status().ok_or("a packet was not processed")??;
                // A packet that the network does not take is lost, as others are on their way.
                if let Err(error) = socket.send_to(packet.bytes(), peer) {
                    eprintln!("esp-tun: a packet was not sent: {error}");
                }
            }
        }
    }

    /// Unprotects the packets of the peer, and writes them to the device.
    fn receive(
        flows: &Flows<u32, EspFlow>,
        packets: &Receiver<io::Result<Read>>,
        device: &SyncDevice,
    ) -> Result<(), Failure> {
        let mut processor = PacketProcessor::new();
        loop {
            let mut burst = Vec::new();
            for (buffer, range) in next(packets)? {
                // Keepalives and messages of key exchanges have no SPI.
                let flow = payload_spi(&buffer[range.clone()]).and_then(|spi| flows.get(&spi));
                burst.extend(flow.map(|flow| Packet::new(flow, buffer, range)));
            }
            processor.unprotect_burst(&mut burst);
            for packet in &burst {
                let is_ip = [IPV4, IPV6].contains(&packet.meta().next_header);
                match packet.status() {
                    Some(Ok(())) if is_ip => {
                        // The kernel refuses what is no IP packet: its sender loses it.
                        if let Err(error) = device.send(packet.bytes()) {
                            eprintln!("esp-tun: a packet was not delivered: {error}");
                        }
                    }
                    Some(Err(error)) => eprintln!("esp-tun: a packet was refused: {error}"),
                    _ => {}
                }
            }
        }
    }
    #[cfg(test)]
    mod tests {
        use super::*;

        const OUT: &str = "out 4097 esp-aes-128-gcm 000102030405060708090a0b0c0d0e0f10111213";
        const IN: &str = "in 0x2002 esp-null-hmac-sha1 000102030405060708090a0b0c0d0e0f10111213";

        #[test]
        fn a_file_of_keys_has_one_outbound_flow() {
            let (outbound, inbound) = flows(&format!("{IN}\n\n{OUT}\n")).expect("it is right");
            assert_eq!(outbound.spi(), 4097);
            assert!(inbound.get(&0x2002).is_some());
            assert_eq!(inbound.len(), 1);
        }

        #[test]
        fn errors_name_the_line_and_the_value_and_no_key() {
            let cases = [
                (IN.to_owned(), "there is no line with \"out\""),
                (format!("{OUT}\n{OUT}"), "line 2: this is the second line with \"out\""),
                (format!("{OUT}\n{IN}\n{IN}"), "line 3: 0x2002 is the SPI of two flows"),
                (OUT.replace("4097", "0x"), "line 1: 0x is no SPI, such as 4097 or 0x1001"),
                (format!("{OUT}00"), "line 1: esp-aes-128-gcm takes 20 bytes of keys, not 21"),
                (format!("{OUT}0"), "line 1: a key has two hexadecimal digits for each byte"),
                (
                    OUT.replace("out", "both"),
                    "line 1: \"out\" or \"in\", an SPI, an algorithm and a key are expected",
                ),
            ];
            for (text, expected) in cases {
                let error = flows(&text).map(|_| ()).expect_err(expected);
                assert_eq!(error.to_string(), expected);
            }
            let error = flows(&OUT.replace("gcm", "gc")).map(|_| ()).expect_err("no algorithm");
            let error = error.to_string();
            assert!(error.contains("esp-aes-128-gc") && error.contains("esp-aes-128-gcm"));
        }
    }
}
