//! Headers that are encrypted: elements of an extension (RFC 6904), and all of it (RFC 9335).

use std::slice::from_ref;

use broadloom_packets::srtp::{SrtpConfig, SrtpProfile};
use broadloom_packets::{Packet, PacketError, PacketProcessor};

use super::reference::Reference;
use super::{SSRC, config, ends, key_and_salt, rtp};
use crate::support::{no_damaged_packet_passes, noise, protect, unprotect};

fn reference(profile: SrtpProfile) -> Reference {
    let (key, salt) = key_and_salt(profile, 0);
    Reference::new(profile, &key, &salt)
}

fn with_elements(profile: SrtpProfile) -> SrtpConfig {
    SrtpConfig { encrypted_extensions: vec![1, 3, 200], ..config(profile) }
}

fn with_cryptex(profile: SrtpProfile) -> SrtpConfig {
    SrtpConfig { cryptex: true, ..config(profile) }
}

/// An extension with elements of one byte, in which identifiers 1 and 3 are encrypted: its bytes,
/// and which of them are encrypted.
fn one_byte() -> (Vec<u8>, Vec<bool>) {
    let (mut bytes, mut encrypted) = (vec![0xbe, 0xde, 0, 10], Vec::new());
    let elements = [(1, 3), (2, 16), (3, 9), (0, 0), (4, 2), (1, 1), (0, 0)];
    for (identifier, len) in elements {
        let header: u8 = if identifier == 0 { 0 } else { identifier << 4 | (len - 1) };
        bytes.push(header);
        bytes.extend(noise(len.into(), 3).iter().map(|byte| byte | 1));
        encrypted.push(false);
        encrypted.extend(vec![identifier == 1 || identifier == 3; len.into()]);
    }
    bytes.resize(44, 0);
    encrypted.resize(40, false);
    (bytes, encrypted)
}

/// An extension with elements of two bytes, in which identifiers 1 and 200 are encrypted.
fn two_bytes() -> (Vec<u8>, Vec<bool>) {
    let (mut bytes, mut encrypted) = (vec![0x10, 0x05, 0, 17], Vec::new());
    for (identifier, len) in [(200, 40), (1, 0), (7, 5), (1, 14)] {
        bytes.extend([identifier, len]);
        bytes.extend(noise(len.into(), 4));
        encrypted.extend([false; 2]);
        encrypted.extend(vec![identifier != 7; len.into()]);
    }
    bytes.resize(72, 0);
    encrypted.resize(68, false);
    (bytes, encrypted)
}

#[test]
fn elements_are_encrypted_one_by_one() {
    for profile in SrtpProfile::ALL {
        let reference = reference(profile);
        let [ours, theirs] = ends(&with_elements(profile));
        for (sequence, (extension, encrypted)) in [one_byte(), two_bytes()].iter().enumerate() {
            let rest = [&[9, 9, 9, 9], &extension[..]].concat();
            let plain = rtp(sequence as u16, 0x91, &rest, &noise(50, 1));
            let stream =
                reference.header_stream(SSRC.to_be_bytes(), sequence as u64, encrypted.len());
            let mut expected = plain.clone();
            for (at, (stream, encrypted)) in stream.iter().zip(encrypted).enumerate() {
                expected[20 + at] ^= if *encrypted { *stream } else { 0 };
            }
            let expected = reference.rtp(&expected, 20 + encrypted.len(), 0);
            let sent = protect(&ours, from_ref(&plain));
            assert_eq!(sent, [expected], "{profile}, {sequence}");
            assert_eq!(unprotect(&theirs, &sent), [Ok(plain)], "{profile}, {sequence}");
        }
    }
}

#[test]
fn packets_with_and_without_elements_share_a_burst() {
    let [ours, theirs] = ends(&with_elements(SrtpProfile::Aes128CmHmacSha1_80));
    let texts: Vec<Vec<u8>> = (0..200)
        .map(|sequence| match sequence % 3 {
            0 => rtp(sequence, 0x80, &[], &noise(100, 2)),
            1 => rtp(sequence, 0x90, &one_byte().0, &noise(100, 2)),
            _ => rtp(sequence, 0x90, &two_bytes().0, &noise(100, 2)),
        })
        .collect();
    let sent = protect(&ours, &texts);
    let received: Vec<_> = unprotect(&theirs, &sent).into_iter().map(Result::ok).collect();
    assert_eq!(received, texts.into_iter().map(Some).collect::<Vec<_>>());
}

#[test]
fn an_element_beyond_its_extension_is_refused_and_uses_no_number() {
    let [ours, _] = ends(&with_elements(SrtpProfile::Aes128Gcm));
    let wrong = rtp(5, 0x90, &[0xbe, 0xde, 0, 1, 0x14, 1, 2, 3], b"payload");
    let mut packets = [crate::support::packet(&ours, &wrong)];
    PacketProcessor::new().protect_burst(&mut packets);
    let error = PacketError::Malformed { field: "len of a header extension", value: 5 };
    assert_eq!((packets[0].status(), packets[0].bytes()), (Some(Err(error)), &wrong[..]));
    assert_eq!(protect(&ours, &[rtp(5, 0x80, &[], b"payload")]).len(), 1);
}

#[test]
fn whole_headers_are_encrypted() {
    let sources = noise(12, 8);
    for profile in SrtpProfile::ALL {
        let is_null = profile.name().contains("null");
        let reference = reference(profile);
        let [ours, theirs] = ends(&with_cryptex(profile));
        for (sequence, sources) in [&[][..], &sources].into_iter().enumerate() {
            let first = 0x90 | (sources.len() / 4) as u8;
            let rest = |profile: [u8; 2]| [sources, &profile, &[0, 2], &noise(8, 2)].concat();
            let plain = rtp(sequence as u16, first, &rest([0xbe, 0xde]), &noise(77, 1));
            let marked = rtp(sequence as u16, first, &rest([0xc0, 0xde]), &noise(77, 1));
            let expected = match is_null {
                true => reference.rtp(&plain, 24, 0),
                false => reference.cryptex(&marked, sources.len(), 0),
            };
            let sent = protect(&ours, from_ref(&plain));
            assert_eq!(sent, [expected], "{profile}, {sequence}");
            assert_eq!(unprotect(&theirs, &sent), [Ok(plain)], "{profile}, {sequence}");
        }
    }
}

/// Sources without an extension are encrypted too: an empty extension is added, which says so.
#[test]
fn sources_alone_get_an_extension() {
    for profile in [SrtpProfile::Aes128CmHmacSha1_80, SrtpProfile::Aes256Gcm] {
        let reference = reference(profile);
        let [ours, theirs] = ends(&with_cryptex(profile));
        let sources = noise(8, 8);
        let plain = rtp(1, 0x82, &sources, b"payload");
        let extended = |mark| rtp(1, 0x92, &[&sources[..], mark, &[0, 0]].concat(), b"payload");
        let sent = protect(&ours, from_ref(&plain));
        assert_eq!(sent, [reference.cryptex(&extended(&[0xc0, 0xde]), 8, 0)], "{profile}");
        assert_eq!(unprotect(&theirs, &sent), [Ok(extended(&[0xbe, 0xde]))], "{profile}");
        // Without room for it the packet is refused as it was, and its number is still there.
        let next = rtp(2, 0x82, &sources, b"payload");
        let mut buffer = next.clone();
        buffer.resize(next.len() + 16, 0);
        let mut packets = [Packet::new(&ours, buffer, 0..next.len())];
        PacketProcessor::new().protect_burst(&mut packets);
        let error = PacketError::NoHeadRoom { need: 4, have: 0 };
        assert_eq!((packets[0].status(), packets[0].bytes()), (Some(Err(error)), &next[..]));
        assert_eq!(protect(&ours, &[next]).len(), 1);
    }
}

/// An extension of another kind stays as it is, with Cryptex and with encrypted elements.
#[test]
fn other_extensions_are_left_alone() {
    let profile = SrtpProfile::Aes128CmHmacSha1_80;
    let plain = rtp(1, 0x91, &[1, 2, 3, 4, 0x12, 0x34, 0, 1, 9, 9, 9, 9], b"payload");
    for config in [with_elements(profile), with_cryptex(profile)] {
        let [ours, theirs] = ends(&config);
        let sent = protect(&ours, from_ref(&plain));
        assert_eq!(sent, [reference(profile).rtp(&plain, 24, 0)]);
        assert_eq!(unprotect(&theirs, &sent), [Ok(plain.clone())]);
    }
}

#[test]
fn damage_to_encrypted_headers_disturbs_nobody_else() {
    for profile in [SrtpProfile::Aes128CmHmacSha1_80, SrtpProfile::Aes128Gcm] {
        for config in [with_elements(profile), with_cryptex(profile)] {
            let rest =
                [&[1, 2, 3, 4, 0xbe, 0xde, 0, 2][..], &[0x12, 1, 2, 3, 0x32, 4, 5, 6]].concat();
            let [ours, theirs] = ends(&config);
            let text = |sequence| rtp(sequence, 0x91, &rest, b"payload");
            let texts: Vec<Vec<u8>> = (0..1000).map(text).collect();
            let mut sent = protect(&ours, &texts);
            let first = sent.remove(999);
            sent.reverse();
            no_damaged_packet_passes(&theirs, &first, sent[999 - first.len() * 8..].to_vec());
            assert_eq!(unprotect(&theirs, &[first]), [Ok(text(999))]);
        }
    }
}
