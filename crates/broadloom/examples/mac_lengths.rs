//! HMAC-SHA256 over messages of mixed lengths and under two keys, generated and verified in one
//! call each.
//!
//! The caller neither sorts nor pads: lanes that run empty are refilled with the next message, so
//! that a mix of lengths and keys keeps all lanes busy.
//!
//! ```sh
//! cargo run --release -p broadloom --example mac_lengths
//! ```

use std::error::Error;

use broadloom::{HashAlgorithm, Job, JobError, MacAlgorithm, Processor, Session, Transform};

const MAC: MacAlgorithm = MacAlgorithm::Hmac(HashAlgorithm::Sha256);

/// The tag of each message, in the order of the messages. Each message names its session.
fn generate(messages: &[(&Session, &[u8])]) -> Result<Vec<[u8; 32]>, JobError> {
    // Jobs borrow sessions and messages: nothing is copied.
    let mut jobs: Vec<_> =
        messages.iter().map(|(session, message)| Job::new(*session, *message)).collect();
    Processor::new().process_many(&mut jobs);
    let tag = |job: &Job| {
        job.status().expect("a processed job is complete")?;
        Ok(job.tag().expect("a MAC has a tag").try_into().expect("of 32 bytes"))
    };
    jobs.iter().map(tag).collect()
}

/// Whether each message has the tag that came with it. The engine compares in constant time; `==`
/// on tags would tell an attacker how much of a forged tag is right.
fn verify(messages: &[(&Session, &[u8])], tags: &[[u8; 32]]) -> Vec<bool> {
    let jobs = messages.iter().zip(tags);
    let mut jobs: Vec<_> =
        jobs.map(|((session, data), tag)| Job::new(*session, *data).expect_tag(tag)).collect();
    Processor::new().process_many(&mut jobs);
    jobs.iter().map(|job| job.succeeded()).collect()
}

/// Two keys, each opened for both ways.
fn sessions() -> Result<[[Session; 2]; 2], Box<dyn Error>> {
    let registry = broadloom::registry();
    let open = |key: &[u8]| -> Result<[Session; 2], Box<dyn Error>> {
        Ok([
            registry.open(&Transform::mac(MAC, key).generate()?)?,
            registry.open(&Transform::mac(MAC, key).verify()?)?,
        ])
    };
    Ok([open(b"the key of one client")?, open(b"the key of another one")?])
}

fn main() -> Result<(), Box<dyn Error>> {
    let keys = sessions()?;
    let text = vec![b'm'; 9000];
    let lens = [0, 1, 64, 100, 9000, 576, 64, 1500, 40, 40, 2048, 7];
    let messages = |way: usize| -> Vec<(&Session, &[u8])> {
        lens.iter().enumerate().map(|(i, len)| (&keys[i % 2][way], &text[..*len])).collect()
    };
    let mut tags = generate(&messages(0))?;
    tags[3][0] ^= 1;
    let genuine = verify(&messages(1), &tags);
    println!("by {}:", keys[0][0].kernel());
    for ((len, tag), genuine) in lens.iter().zip(&tags).zip(genuine) {
        let start: String = tag[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{len:>5} bytes  {start}…  {}", if genuine { "genuine" } else { "forged" });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    /// HMAC by its definition (RFC 2104).
    fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
        let pad = |with: u8| -> Vec<u8> {
            (0..64).map(|i| key.get(i).copied().unwrap_or(0) ^ with).collect()
        };
        let inner = Sha256::digest([pad(0x36), message.to_vec()].concat());
        Sha256::digest([pad(0x5c), inner.to_vec()].concat()).to_vec()
    }

    #[test]
    fn tags_are_those_of_the_definition_and_forged_ones_are_found() {
        let [[one, one_verify], [other, other_verify]] =
            sessions().expect("every machine has HMAC");
        let text: Vec<u8> = (0..700).map(|i| i as u8).collect();
        let lens = || (0..700).step_by(7);
        let mixed = |even, odd| -> Vec<_> {
            lens().map(|len| (if len % 2 == 0 { even } else { odd }, &text[..len])).collect()
        };
        let mut tags = generate(&mixed(&one, &other)).expect("they are complete");
        for (len, tag) in lens().zip(&tags) {
            let key: &[u8] =
                if len % 2 == 0 { b"the key of one client" } else { b"the key of another one" };
            assert_eq!(tag[..], hmac(key, &text[..len]), "{len} bytes");
        }
        tags[31][17] ^= 4;
        let genuine = verify(&mixed(&one_verify, &other_verify), &tags);
        for (index, genuine) in genuine.into_iter().enumerate() {
            assert_eq!(genuine, index != 31, "message {index}");
        }
    }
}
