//! Packets whose job fails while they are protected, as when a device is lost.

use broadloom_packets::srtp::{SrtpConfig, SrtpMeta, SrtpProfile, SrtpStream};
use broadloom_packets::{Flow, Frame, PacketError, Work};

use super::{config, ends, rtcp, rtp};
use crate::support::{protect, unprotect};

/// Frames a packet for protection, and has its first job fail. Returns the error of the frame, or
/// what is left where the packet was.
fn fail(stream: &SrtpStream, text: &[u8]) -> Result<Vec<u8>, PacketError> {
    let mut buffer = [&[0; 8][..], text, &[0; 40]].concat();
    let original = 8..8 + text.len();
    let (mut range, mut meta) = (original.clone(), SrtpMeta::default());
    let mut frame = Frame::new(&mut buffer, &mut range);
    let mut work = Work::default();
    stream.protect(&mut frame, &mut meta, &mut work)?;
    stream.failed(&mut frame, &mut meta, &work);
    Ok(buffer[original].to_vec())
}

fn configs() -> Vec<SrtpConfig> {
    let profiles = [SrtpProfile::Aes128CmHmacSha1_80, SrtpProfile::Aes128Gcm];
    let all = profiles.map(|profile| {
        let cryptex = SrtpConfig { cryptex: true, ..config(profile) };
        let elements = SrtpConfig { encrypted_extensions: vec![1, 3], ..config(profile) };
        [config(profile), cryptex, elements]
    });
    all.concat()
}

#[test]
fn a_packet_that_fails_is_as_it_was_and_its_number_is_used_up() {
    let extension = [0xbe, 0xde, 0, 2, 0x12, 5, 6, 7, 0x31, 8, 9, 0];
    let forms = [
        (0x80, vec![]),
        (0x82, vec![7; 8]),
        (0x90, extension.to_vec()),
        (0x91, [&[7; 4][..], &extension].concat()),
    ];
    for config in configs() {
        let [ours, _] = ends(&config);
        for (sequence, (first, rest)) in forms.iter().enumerate() {
            let text = rtp(sequence as u16, *first, rest, b"payload");
            assert_eq!(fail(&ours, &text).as_ref(), Ok(&text), "{config:?}");
            let number = sequence as u64;
            assert_eq!(fail(&ours, &text), Err(PacketError::Replay { number }), "{config:?}");
        }
        assert_eq!(fail(&ours, &rtcp(20)), Ok(rtcp(20)));
    }
}

/// The index of an RTCP packet that failed is not given to another.
#[test]
fn an_index_that_failed_is_left_out() {
    for config in configs() {
        let [ours, theirs] = ends(&config);
        let first = protect(&ours, &[rtcp(20)]);
        fail(&ours, &rtcp(20)).expect("it is framed");
        let third = protect(&ours, &[rtcp(20)]);
        assert_eq!(
            unprotect(&theirs, &[first, third.clone()].concat()),
            [Ok(rtcp(20)), Ok(rtcp(20))]
        );
        let error = PacketError::Replay { number: 2 };
        assert_eq!(unprotect(&theirs, &third), [Err(error)]);
    }
}
