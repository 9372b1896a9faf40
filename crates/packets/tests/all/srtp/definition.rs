//! Packets are those of the definition, for every profile and every form of header.

use broadloom_packets::srtp::{SrtpConfig, SrtpProfile, SrtpStream};

use super::reference::Reference;
use super::{SSRC, context, ends, key_and_salt, master, rtcp, rtp};
use crate::support::{noise, protect, unprotect};

/// Headers beyond the fixed one, with the first byte: plain, with padding, with two sources, with
/// an extension, with all of it.
const HEADERS: [(u8, &[u8]); 5] = [
    (0x80, &[]),
    (0xa0, &[]),
    (0x82, &[1, 1, 1, 1, 2, 2, 2, 2]),
    (0x90, &[0xbe, 0xde, 0, 1, 0x10, 7, 0, 0]),
    (0xb2, &[1, 1, 1, 1, 2, 2, 2, 2, 0x12, 0x34, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8]),
];

fn reference(profile: SrtpProfile) -> Reference {
    let (key, salt) = key_and_salt(profile, 0);
    Reference::new(profile, &key, &salt)
}

fn packets() -> Vec<(Vec<u8>, usize)> {
    let lens = [0, 1, 15, 16, 17, 160, 1200];
    let all = lens.iter().flat_map(|len| HEADERS.map(|header| (header, *len)));
    all.enumerate()
        .map(|(sequence, ((first, rest), len))| {
            (rtp(sequence as u16, first, rest, &noise(len, 5)), 12 + rest.len())
        })
        .collect()
}

#[test]
fn rtp_is_that_of_the_definition() {
    for profile in SrtpProfile::ALL {
        for mki in [&[][..], &[1], &[1, 2, 3, 4, 5]] {
            let mut reference = reference(profile);
            reference.mki = mki.to_vec();
            let config = SrtpConfig::new(profile, [master(profile, 0).with_mki(mki)]);
            let [ours, theirs] = [(); 2].map(|()| {
                SrtpStream::resume(context(&config), SSRC, 0x0102_0304, 0).expect("it is valid")
            });
            let packets = packets();
            let texts: Vec<Vec<u8>> = packets.iter().map(|(packet, _)| packet.clone()).collect();
            let sent = protect(&ours, &texts);
            for ((packet, header), sent) in packets.iter().zip(&sent) {
                assert_eq!(sent, &reference.rtp(packet, *header, 0x0102_0304), "{profile}");
            }
            let received: Vec<_> = unprotect(&theirs, &sent).into_iter().map(Result::ok).collect();
            assert_eq!(received, texts.into_iter().map(Some).collect::<Vec<_>>(), "{profile}");
            assert_eq!(ours.roc(), 0x0102_0304);
        }
    }
}

#[test]
fn rtcp_is_that_of_the_definition() {
    for profile in SrtpProfile::ALL {
        for (encrypts, mki) in [(true, &[][..]), (false, &[]), (true, &[7, 8]), (false, &[7, 8])] {
            let mut reference = reference(profile);
            reference.mki = mki.to_vec();
            let mut config = SrtpConfig::new(profile, [master(profile, 0).with_mki(mki)]);
            config.encrypts_rtcp = encrypts;
            let [ours, theirs] = ends(&config);
            let texts = [0, 1, 15, 16, 20, 92, 1200].map(rtcp);
            let sent = protect(&ours, &texts);
            for (index, (text, sent)) in texts.iter().zip(&sent).enumerate() {
                let expected = reference.rtcp(text, index as u32, encrypts);
                assert_eq!(sent, &expected, "{profile}, {encrypts}");
            }
            let received: Vec<_> = unprotect(&theirs, &sent).into_iter().map(Result::ok).collect();
            assert_eq!(received, texts.into_iter().map(Some).collect::<Vec<_>>(), "{profile}");
        }
    }
}
