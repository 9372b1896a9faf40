//! libsrtp2 unprotects what is protected here, and the other way round.

use std::process::{Command, Stdio};

use broadloom_packets::srtp::{SrtpConfig, SrtpProfile, SrtpStream};
use broadloom_testing::is_present;

use super::{SSRC, context, key_and_salt, master, rtcp, rtp};
use crate::secrets::digits;
use crate::support::{noise, output_of, protect, unprotect};

const LIBRARY: &str = "libsrtp2.so.1";

/// Returns `true` if Python and the library are there. Where they must be, they are.
fn is_there() -> bool {
    let load = format!("import ctypes; ctypes.CDLL('{LIBRARY}')");
    let run = Command::new("python3").args(["-c", &load]).stderr(Stdio::null()).status();
    let is_there = run.is_ok_and(|status| status.success());
    let reason = format!("python3 or {LIBRARY} is not installed");
    is_present("a comparison with libsrtp", is_there, &reason)
}

/// How both sides protect packets.
struct Agreement {
    profile: SrtpProfile,
    mki: &'static [u8],
    extensions: &'static [u8],
}

impl Agreement {
    /// A stream of ours, whose first index of SRTCP is that of the library.
    fn stream(&self) -> SrtpStream {
        let mut config =
            SrtpConfig::new(self.profile, [master(self.profile, 0).with_mki(self.mki)]);
        config.encrypted_extensions = self.extensions.to_vec();
        SrtpStream::resume(context(&config), SSRC, 0, 1).expect("it is valid")
    }

    /// What the library makes of packets; empty where it refuses one.
    fn theirs(&self, mode: &str, packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let name = self.profile.name();
        let cipher = ["gcm", "null", "cm"].into_iter().find(|cipher| name.contains(cipher));
        let bits = 8 * self.profile.key_len();
        let profile = format!("{}-{bits}-{}", cipher.expect("a cipher"), self.profile.tag_len());
        let (key, salt) = key_and_salt(self.profile, 0);
        let mut python = Command::new("python3");
        python.args(["-c", include_str!("libsrtp.py"), LIBRARY, mode, &profile]);
        python.args([digits(&[key, salt].concat()), digits(self.mki), digits(self.extensions)]);
        let framed: Vec<u8> = packets
            .iter()
            .flat_map(|packet| [&(packet.len() as u32).to_be_bytes()[..], packet].concat())
            .collect();
        let output = output_of(&mut python, framed);
        let mut rest = &output[..];
        let mut made = Vec::new();
        while let Some((len, bytes)) = rest.split_first_chunk() {
            let (packet, behind) = bytes.split_at(u32::from_be_bytes(*len) as usize);
            made.push(packet.to_vec());
            rest = behind;
        }
        made
    }
}

/// RTP packets of all forms, and RTCP packets among them, whose sequence number rolls over.
fn texts(count: usize) -> Vec<Vec<u8>> {
    let extension = [0xbe, 0xde, 0, 3, 0x12, 1, 2, 3, 0x33, 4, 5, 6, 7, 0x10, 8, 0];
    let text = |at: usize| {
        let sequence = (60_000 + 7 * at) as u16;
        let payload = noise(at % 300, at as u64);
        match at % 5 {
            0 => rtcp(4 * (at % 40)),
            1 => rtp(sequence, 0x90, &extension, &payload),
            2 => rtp(sequence, 0x82, &noise(8, 3), &payload),
            3 => rtp(sequence, 0xb1, &[&[9; 4][..], &extension].concat(), &payload),
            _ => rtp(sequence, 0x80, &[], &payload),
        }
    };
    (0..count).map(text).collect()
}

/// Returns the order in which packets arrive: one in ten is lost, and the others of ten come in the
/// opposite order.
fn order(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).filter(|at| at % 10 != 7).collect();
    order[1..].chunks_mut(9).for_each(<[usize]>::reverse);
    order
}

fn agree(agreement: &Agreement, count: usize) {
    let texts = texts(count);
    let name = agreement.profile;
    let sent = protect(&agreement.stream(), &texts);
    let expected = agreement.theirs("protect", &texts);
    for ((text, sent), expected) in texts.iter().zip(&sent).zip(&expected) {
        let [text, ours, theirs] = [text, sent, expected].map(|bytes| || digits(bytes));
        assert!(sent == expected, "{name}: {} is {}, not {}", text(), ours(), theirs());
    }

    let order = order(count);
    let arriving: Vec<Vec<u8>> = order.iter().map(|at| sent[*at].clone()).collect();
    let arrived: Vec<&Vec<u8>> = order.iter().map(|at| &texts[*at]).collect();
    let theirs = agreement.theirs("unprotect", &arriving);
    assert!(theirs.iter().eq(arrived.iter().copied()), "{name}: the library has all packets");
    let ours = agreement.stream();
    let received = unprotect(&ours, &arriving);
    let received = received.iter().map(|result| result.as_ref().expect("it is authentic"));
    assert!(received.eq(arrived), "{name}: all packets are there");
    assert_eq!(ours.roc() as usize, (60_000 + 7 * (count - 1)) >> 16);
}

/// The profiles that libsrtp has. Where it is built over NSS, as Debian's is, its packets under
/// AES-192 are not those that its own tests expect, with which the module `vectors` compares.
fn profiles() -> impl Iterator<Item = SrtpProfile> {
    SrtpProfile::ALL.into_iter().filter(|profile| profile.key_len() != 24)
}

#[test]
fn libsrtp_agrees() {
    if !is_there() {
        return;
    }
    for profile in profiles() {
        let count = match profile {
            SrtpProfile::Aes128CmHmacSha1_80 | SrtpProfile::Aes128Gcm => 10_000,
            _ => 1000,
        };
        agree(&Agreement { profile, mki: &[], extensions: &[] }, count);
    }
}

#[test]
fn libsrtp_agrees_on_identifiers_and_encrypted_elements() {
    if !is_there() {
        return;
    }
    for profile in profiles() {
        // Of SRTCP, libsrtp looks for the MKI where it would be if the tag were that of SRTP.
        if profile.tag_len() == profile.rtcp_tag_len() {
            agree(&Agreement { profile, mki: &[7, 1, 9], extensions: &[] }, 1000);
        }
        // libsrtp encrypts no elements under the null cipher.
        if !profile.name().contains("null") {
            agree(&Agreement { profile, mki: &[], extensions: &[1, 3] }, 1000);
        }
    }
}
