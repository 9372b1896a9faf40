//! tshark, of Wireshark, reads what our flows protect, with the keys (Debian's package tshark).

mod esp;
mod quic;
mod tls;

use std::fmt::Write;
use std::process::Command;

use broadloom_testing::{has_version, is_present};

use crate::support::output_of;

/// Returns `true` if tshark is there, and text2pcap, which comes with it. Where they must be, they
/// are.
fn is_there() -> bool {
    let needed = "a comparison with tshark";
    let text2pcap = Command::new("text2pcap").arg("--version").output().is_ok();
    has_version("tshark", "--version") && is_present(needed, text2pcap, "there is no text2pcap")
}

/// Returns a capture of packets, each with whether the server sent it. `headers` are the arguments
/// of text2pcap that say which headers it puts before the packets.
fn capture<'p>(headers: &[&str], packets: impl IntoIterator<Item = (bool, &'p [u8])>) -> Vec<u8> {
    let mut dump = String::new();
    for (is_from_server, packet) in packets {
        dump += if is_from_server { "O\n" } else { "I\n" };
        for (line, bytes) in packet.chunks(32).enumerate() {
            write!(dump, "{:06x}", line * 32).expect("memory can be written");
            for byte in bytes {
                write!(dump, " {byte:02x}").expect("memory can be written");
            }
            dump.push('\n');
        }
    }
    let mut text2pcap = Command::new("text2pcap");
    text2pcap.args(["-q", "-D", "-F", "pcap"]).args(headers).args(["-", "-"]);
    output_of(&mut text2pcap, dump.into_bytes())
}

/// Returns what tshark prints of a capture.
fn read(capture: Vec<u8>, arguments: &[String]) -> String {
    let mut tshark = Command::new("tshark");
    tshark.args(["-n", "-r", "-"]).args(arguments);
    String::from_utf8(output_of(&mut tshark, capture)).expect("it prints text")
}

/// Returns the arguments with which tshark prints one line of these fields for each packet.
fn fields(names: &[&str]) -> impl Iterator<Item = String> {
    let names = names.iter().flat_map(|name| ["-e".to_owned(), (*name).to_owned()]);
    ["-T", "fields"].map(str::to_owned).into_iter().chain(names.collect::<Vec<_>>())
}

/// A key log in a file, which is removed when it is dropped.
struct KeyLog(std::path::PathBuf);

impl KeyLog {
    fn new(name: &str, lines: &str) -> Self {
        let name = format!("{name}-{}.keys", std::process::id());
        let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&file, lines).expect("the folder for files of tests can be written");
        KeyLog(file)
    }

    /// Returns the arguments with which tshark reads the key log.
    fn arguments(&self) -> [String; 2] {
        ["-o".to_owned(), format!("tls.keylog_file:{}", self.0.display())]
    }
}

impl Drop for KeyLog {
    fn drop(&mut self) {
        // What is left lies in a folder for files of tests.
        let _ = std::fs::remove_file(&self.0);
    }
}
