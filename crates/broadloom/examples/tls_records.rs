//! One large write as several TLS records, all protected together: what a server does that sends a
//! file, and the case of section 5.1 of Intel's white paper on programming accelerators.
//!
//! From TLS 1.1 on every record of a CBC suite has an IV of its own (RFC 4346, 6.2.3.2), so that no
//! record waits for the one before: the chains of eight records go through the lanes side by side.
//!
//! ```sh
//! cargo run --release -p broadloom --example tls_records
//! ```

use std::error::Error;

use broadloom::{
    AesSize, CipherAlgorithm, Direction, HashAlgorithm, Job, MacAlgorithm, Processor, Session,
    Transform,
};

/// The suite: TLS_RSA_WITH_AES_128_CBC_SHA (RFC 5246, A.5).
const CIPHER: CipherAlgorithm = CipherAlgorithm::AesCbc(AesSize::Aes128);
const MAC: MacAlgorithm = MacAlgorithm::Hmac(HashAlgorithm::Sha1);

/// Bytes of text in a record, at most.
const LONGEST: usize = 1 << 14;

const BLOCK: usize = 16;
const TAG: usize = 20;

/// What the MAC covers before the text: number, type, version, length.
const COVERED: usize = 13;

/// TLS 1.2.
const VERSION: [u8; 2] = [3, 3];
const APPLICATION_DATA: u8 = 23;

/// One direction of a connection, with the number of its next record.
struct Connection {
    session: Session,
    number: u64,
    processor: Processor,
}

impl Connection {
    fn new(direction: Direction, key: &[u8], mac_key: &[u8]) -> Result<Connection, Box<dyn Error>> {
        let suite = Transform::mac_then_cipher(MAC, mac_key, CIPHER, key);
        let transform = match direction {
            Direction::Encrypt => suite.encrypt()?,
            _ => suite.decrypt()?,
        };
        let session = broadloom::registry().open(&transform)?;
        Ok(Connection { session, number: 0, processor: Processor::new() })
    }

    /// The records of one write, as they go out: headers, IVs, ciphertexts. `iv` makes a fresh IV
    /// that nobody can foresee.
    fn protect(
        &mut self,
        text: &[u8],
        mut iv: impl FnMut() -> [u8; BLOCK],
    ) -> Result<Vec<u8>, String> {
        let mut jobs: Vec<Job<'_, [u8; BLOCK]>> = Vec::new();
        for text in text.chunks(LONGEST) {
            let padded = (text.len() + TAG + 1).next_multiple_of(BLOCK);
            let padding = (padded - text.len() - TAG - 1) as u8;
            let mut record = covered(self.number, text.len());
            record.extend(text);
            record.extend([0; TAG]);
            record.resize(COVERED + padded, padding);
            self.number += 1;
            let (text_end, end) = (COVERED + text.len(), record.len());
            let iv = iv();
            let job = Job::new(&self.session, record).user(iv).nonce(&iv);
            jobs.push(job.mac_range(0..text_end).tag_at(text_end).cipher_range(COVERED..end));
        }
        self.processor.process_many(&mut jobs);
        let mut sent = Vec::new();
        for job in &jobs {
            let ciphertext =
                job.output().ok_or_else(|| format!("not protected: {:?}", job.status()))?;
            sent.push(APPLICATION_DATA);
            sent.extend(VERSION);
            sent.extend(((BLOCK + ciphertext.len()) as u16).to_be_bytes());
            sent.extend(job.user_value());
            sent.extend(ciphertext);
        }
        Ok(sent)
    }
}

/// Returns what the MAC of a record covers before its text (RFC 5246, 6.2.3.1).
fn covered(number: u64, len: usize) -> Vec<u8> {
    let mut covered = number.to_be_bytes().to_vec();
    covered.push(APPLICATION_DATA);
    covered.extend(VERSION);
    covered.extend((len as u16).to_be_bytes());
    covered
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = vec![b'x'; 8 * LONGEST];
    let mut server = Connection::new(Direction::Encrypt, &[1; 16], &[2; 20])?;
    // An application takes IVs from its random number generator.
    let mut next = 0;
    let sent = server.protect(&file, || {
        next += 1;
        [next; BLOCK]
    })?;
    println!(
        "{} bytes of text in {} records, {} bytes on the wire, protected by {}",
        file.len(),
        server.number,
        sent.len(),
        server.session.kernel()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use broadloom_conformance::reference;

    use super::*;

    /// The texts of records, which are taken apart and deciphered without the engine.
    fn read(mut sent: &[u8], key: &[u8], mac_key: &[u8]) -> Vec<Vec<u8>> {
        let mut texts = Vec::new();
        while let Some((header, rest)) = sent.split_first_chunk::<5>() {
            assert_eq!(header[..3], [APPLICATION_DATA, 3, 3]);
            let len = usize::from(u16::from_be_bytes([header[3], header[4]]));
            let (record, rest) = rest.split_at(len);
            let (iv, ciphertext) = record.split_at(BLOCK);
            let compute = |algorithm, key, nonce, data| {
                let (mac_key, associated, direction) = (&[][..], &[][..], Direction::Decrypt);
                let tag_len = if nonce == [0u8; 0] { TAG } else { 0 };
                reference::compute(&reference::Input {
                    algorithm,
                    direction,
                    key,
                    mac_key,
                    nonce,
                    associated,
                    tag_len,
                    bits: None,
                    data,
                })
            };
            let (plain, _) = compute(broadloom::Algorithm::Cipher(CIPHER), key, iv, ciphertext);
            let padding = plain[plain.len() - 1];
            let text_len = plain.len() - TAG - 1 - usize::from(padding);
            let (text, rest_of_it) = plain.split_at(text_len);
            let (tag, padded) = rest_of_it.split_at(TAG);
            assert!(padded.iter().all(|byte| *byte == padding));
            let covered = [covered(texts.len() as u64, text_len), text.to_vec()].concat();
            let (_, expected) = compute(broadloom::Algorithm::Mac(MAC), mac_key, &[], &covered);
            assert_eq!(tag, expected, "the tag of record {}", texts.len());
            texts.push(text.to_vec());
            sent = rest;
        }
        texts
    }

    #[test]
    fn a_write_becomes_records_that_the_other_side_reads() {
        let (key, mac_key) = ([7; 16], [9; 20]);
        let mut server = Connection::new(Direction::Encrypt, &key, &mac_key).expect("it opens");
        let mut sent = Vec::new();
        let writes: [usize; 4] = [8 * LONGEST, 1, LONGEST + 1, 0];
        let text: Vec<u8> = (0..writes.iter().sum::<usize>()).map(|i| (i % 251) as u8).collect();
        let (mut at, mut next) = (0, 0);
        for len in writes {
            let records = server.protect(&text[at..at + len], || {
                next += 1;
                [next; BLOCK]
            });
            sent.extend(records.expect("it is protected"));
            at += len;
        }
        assert_eq!(server.number, 8 + 1 + 2);
        let texts = read(&sent, &key, &mac_key);
        assert_eq!(texts.len(), 11);
        assert!(texts.concat() == text, "what was written is what is read");
    }
}
