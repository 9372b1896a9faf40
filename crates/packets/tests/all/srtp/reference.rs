//! SRTP and SRTCP, written down a second time over RustCrypto.

use aes::cipher::{KeyIvInit, StreamCipher};
use aes_gcm::aead::{Aead, KeyInit, Payload};
use broadloom_packets::srtp::SrtpProfile;
use hmac::Mac;

/// The session keys of one master key.
pub struct Reference {
    profile: SrtpProfile,
    key: Vec<u8>,
    salt: Vec<u8>,
    pub mki: Vec<u8>,
}

/// Whether a packet is encrypted, authenticated, or both, and by which cipher.
#[derive(PartialEq)]
enum Kind {
    Gcm,
    Cm,
    Null,
}

/// Encrypts or decrypts in AES counter mode.
pub fn counter_mode(key: &[u8], block: [u8; 16], data: &mut [u8]) {
    let iv = block.as_slice();
    match key.len() {
        16 => ctr::Ctr128BE::<aes::Aes128>::new_from_slices(key, iv).unwrap().apply_keystream(data),
        24 => ctr::Ctr128BE::<aes::Aes192>::new_from_slices(key, iv).unwrap().apply_keystream(data),
        _ => ctr::Ctr128BE::<aes::Aes256>::new_from_slices(key, iv).unwrap().apply_keystream(data),
    }
}

fn xor(place: &mut [u8], bytes: &[u8]) {
    place.iter_mut().zip(bytes).for_each(|(place, byte)| *place ^= byte);
}

impl Reference {
    pub fn new(profile: SrtpProfile, key: &[u8], salt: &[u8]) -> Self {
        Reference { profile, key: key.to_vec(), salt: salt.to_vec(), mki: Vec::new() }
    }

    fn kind(&self) -> Kind {
        match self.profile.name() {
            name if name.ends_with("gcm") => Kind::Gcm,
            name if name.contains("null") => Kind::Null,
            _ => Kind::Cm,
        }
    }

    /// The session key with a label.
    pub fn derive(&self, label: u8, len: usize) -> Vec<u8> {
        let mut block = [0; 16];
        block[..self.salt.len()].copy_from_slice(&self.salt);
        block[7] ^= label;
        let mut key = vec![0; len];
        counter_mode(&self.key, block, &mut key);
        key
    }

    /// The first counter block of a packet.
    fn block(salt: &[u8], ssrc: [u8; 4], index: u64) -> [u8; 16] {
        let mut block = [0; 16];
        block[..14].copy_from_slice(salt);
        xor(&mut block[4..8], &ssrc);
        xor(&mut block[8..14], &index.to_be_bytes()[2..]);
        block
    }

    fn gcm(&self, first: u8, ssrc: [u8; 4], index: u64, associated: &[u8], text: &[u8]) -> Vec<u8> {
        let mut nonce: [u8; 12] = self.derive(first + 2, 12).try_into().unwrap();
        xor(&mut nonce[2..6], &ssrc);
        xor(&mut nonce[6..], &index.to_be_bytes()[2..]);
        let payload = Payload { msg: text, aad: associated };
        let key = self.derive(first, self.key.len());
        match key.len() {
            16 => aes_gcm::Aes128Gcm::new_from_slice(&key).unwrap().encrypt(&nonce.into(), payload),
            _ => aes_gcm::Aes256Gcm::new_from_slice(&key).unwrap().encrypt(&nonce.into(), payload),
        }
        .unwrap()
    }

    fn hmac(&self, label: u8, len: usize, parts: &[&[u8]]) -> Vec<u8> {
        let key = self.derive(label, 20);
        let mut mac = <hmac::Hmac<sha1::Sha1> as hmac::KeyInit>::new_from_slice(&key).unwrap();
        parts.iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes()[..len].to_vec()
    }

    /// The SRTP packet of an RTP packet whose header has `header` bytes.
    pub fn rtp(&self, packet: &[u8], header: usize, roc: u32) -> Vec<u8> {
        let ssrc = packet[8..12].try_into().unwrap();
        let sequence = u16::from_be_bytes([packet[2], packet[3]]);
        let index = u64::from(roc) << 16 | u64::from(sequence);
        if self.kind() == Kind::Gcm {
            let (header, text) = packet.split_at(header);
            return [header, &self.gcm(0, ssrc, index, header, text), &self.mki].concat();
        }
        let mut sent = packet.to_vec();
        if self.kind() == Kind::Cm {
            let block = Reference::block(&self.derive(2, 14), ssrc, index);
            counter_mode(&self.derive(0, self.key.len()), block, &mut sent[header..]);
        }
        let tag = self.hmac(1, self.profile.tag_len(), &[&sent, &roc.to_be_bytes()]);
        [sent, self.mki.clone(), tag].concat()
    }

    /// The SRTCP packet of an RTCP packet.
    pub fn rtcp(&self, packet: &[u8], index: u32, encrypts: bool) -> Vec<u8> {
        let ssrc = packet[4..8].try_into().unwrap();
        let encrypts = encrypts && self.kind() != Kind::Null;
        let word = (index | u32::from(encrypts) << 31).to_be_bytes();
        if self.kind() == Kind::Gcm {
            let clear = if encrypts { 8 } else { packet.len() };
            let associated = [&packet[..clear], &word].concat();
            let sealed = self.gcm(3, ssrc, index.into(), &associated, &packet[clear..]);
            return [&packet[..clear], &sealed, &word, &self.mki].concat();
        }
        let mut sent = packet.to_vec();
        if encrypts {
            let block = Reference::block(&self.derive(5, 14), ssrc, index.into());
            counter_mode(&self.derive(3, self.key.len()), block, &mut sent[8..]);
        }
        sent.extend(word);
        let tag = self.hmac(4, 10, &[&sent]);
        [sent, self.mki.clone(), tag].concat()
    }

    /// The key stream of a packet's header extension (RFC 6904).
    pub fn header_stream(&self, ssrc: [u8; 4], index: u64, len: usize) -> Vec<u8> {
        let mut salt = self.derive(7, self.salt.len());
        salt.resize(14, 0);
        let block = Reference::block(&salt, ssrc, index);
        let mut stream = vec![0; len];
        counter_mode(&self.derive(6, self.key.len()), block, &mut stream);
        stream
    }

    /// The SRTP packet of an RTP packet whose header is encrypted by Cryptex, in the order in which
    /// it is encrypted: fixed header, header of the extension, sources, elements, payload.
    pub fn cryptex(&self, packet: &[u8], sources: usize, roc: u32) -> Vec<u8> {
        let back = |moved: &[u8]| {
            [&moved[..12], &moved[16..16 + sources], &moved[12..16], &moved[16 + sources..]]
                .concat()
        };
        let moved = [&packet[..12], &packet[12 + sources..16 + sources], &packet[12..12 + sources]];
        let moved = [&moved.concat(), &packet[16 + sources..]].concat();
        if self.kind() == Kind::Gcm {
            return back(&self.rtp(&moved, 16, roc));
        }
        let mut sent = self.rtp(&moved, 16, roc);
        sent.truncate(packet.len());
        let sent = back(&sent);
        let tag = self.hmac(1, self.profile.tag_len(), &[&sent, &roc.to_be_bytes()]);
        [sent, self.mki.clone(), tag].concat()
    }
}
