//! Jobs that open a message or a packet, and so compare tags; and what `broadloom hash --check`
//! compares with.

use broadloom_lanes::{
    CbcLanes, CcmJob, CcmLanes, ChaChaPolyJob, ChaChaPolyLanes, Chain, ChainCipher, ChainJob, Cpu,
    CtrLanes, GcmJob, GcmLanes, Hash, HashLanes, Lanes, Loan, Planner, Ranges, Sha1, Sha256, Steps,
    TagError,
};

use crate::check::{Checks, Message, Shape};
use crate::keys::{aes_key, chacha_key, gcm_key, hmac_key};
use crate::observer::watch;
use crate::secrets::{disclose, forge, made_from_secrets, secret};

/// Digests, as `broadloom hash` has them.
#[path = "../../../crates/hashing/src/digest.rs"]
#[allow(dead_code)]
mod digest;

use digest::Digest;

pub fn check(checks: &mut Checks) {
    check_aeads(checks);
    check_chain::<CbcLanes, Sha1>(checks, "aes-cbc, chain with hmac-sha1");
    check_chain::<CbcLanes, Sha256>(checks, "aes-cbc, chain with hmac-sha256");
    check_chain::<CtrLanes, Sha1>(checks, "aes-ctr, chain with hmac-sha1");
    check_chain::<CtrLanes, Sha256>(checks, "aes-ctr, chain with hmac-sha256");
    checks.check("hash --check, comparison", compare_digests);
}

/// Messages of one check, and how many of them come with a wrong tag: every other one.
const COUNT: usize = 12;

fn is_forged(number: usize) -> bool {
    number % 2 == 1
}

fn check_aeads(checks: &mut Checks) {
    checks.kernel("aes-gcm, opening jobs", |cpu| {
        let keys: Vec<_> = (0..COUNT).map(|i| gcm_key(cpu, i)).collect();
        let sealed = sealed::<_, GcmLanes>(cpu, &keys, |key, message| {
            let tag = message.tag.first_chunk_mut().expect("64 bytes");
            Loan::<GcmLanes>::seal(
                key,
                &message.nonce[..12],
                &message.associated,
                &mut message.text,
                tag,
            )
        });
        let jobs = keys.iter().zip(&sealed).map(|(key, message)| {
            let (nonce, tag): ([u8; 12], _) = (message.nonce(), &message.tag[..16]);
            GcmJob::open(key, nonce, message.associated.as_slice(), message.text.clone(), tag, ())
        });
        let mut jobs: Vec<_> = jobs.map(|job| job.expect("good lengths")).collect();
        let mut planner = Planner::new(cpu);
        watch(|| planner.process_many(&mut jobs));
        opened(jobs.iter().map(|job| job.output()))
    });
    checks.kernel("aes-ccm, opening jobs", |cpu| {
        let keys: Vec<_> = (0..COUNT).map(|i| aes_key(cpu, i)).collect();
        let sealed = sealed::<_, CcmLanes>(cpu, &keys, |key, message| {
            let (nonce, tag) = (&message.nonce[..12], &mut message.tag[..16]);
            Loan::<CcmLanes>::seal(key, nonce, &message.associated, &mut message.text, tag)
                .expect("good lengths")
        });
        let jobs = keys.iter().zip(&sealed).map(|(key, message)| {
            let (nonce, tag) = (&message.nonce[..12], &message.tag[..16]);
            let (associated, text) = (message.associated.as_slice(), message.text.clone());
            CcmJob::open(key, nonce, associated, text, tag, 16, ())
        });
        let mut jobs: Vec<_> = jobs.map(|job| job.expect("good lengths")).collect();
        let mut planner = Planner::new(cpu);
        watch(|| planner.process_many(&mut jobs));
        opened(jobs.iter().map(|job| job.output()))
    });
    checks.kernel("chacha20-poly1305, opening jobs", |cpu| {
        let keys: Vec<_> = (0..COUNT).map(|i| chacha_key(cpu, i)).collect();
        let sealed = sealed::<_, ChaChaPolyLanes>(cpu, &keys, |key, message| {
            let tag = message.tag.first_chunk_mut().expect("64 bytes");
            let nonce = message.nonce.first_chunk().expect("60 bytes");
            Loan::<ChaChaPolyLanes>::seal(key, nonce, &message.associated, &mut message.text, tag)
        });
        let jobs = keys.iter().zip(&sealed).map(|(key, message)| {
            let tag = message.tag.first_chunk().expect("64 bytes");
            let (associated, text) = (message.associated.as_slice(), message.text.clone());
            ChaChaPolyJob::open(key, &message.nonce(), associated, text, tag, ())
        });
        let mut jobs: Vec<_> = jobs.map(|job| job.expect("far from the last counter")).collect();
        let mut planner = Planner::new(cpu);
        watch(|| planner.process_many(&mut jobs));
        opened(jobs.iter().map(|job| job.output()))
    });
}

/// Messages as they arrive: sealed, their texts and tags public, every other tag wrong.
fn sealed<K, L: Lanes>(
    cpu: &Cpu,
    keys: &[K],
    loan: impl for<'a> Fn(&'a K, &'a mut Message) -> Loan<'a, L>,
) -> Vec<Message> {
    let shape = Shape::sealed("sealed");
    let mut messages: Vec<_> = (0..keys.len()).map(|i| Message::new(shape, i, true)).collect();
    let both = keys.iter().zip(&mut messages);
    Planner::<L>::new(cpu).process_each(both.map(|(key, message)| loan(key, message)));
    for (number, message) in messages.iter_mut().enumerate() {
        disclose(&mut message.text);
        disclose(&mut message.tag);
        if is_forged(number) {
            forge(&mut message.tag[..16]);
        }
    }
    messages
}

/// Returns `true` if messages were opened or refused as they should be, and texts depend on
/// secrets.
fn opened<'a>(outputs: impl Iterator<Item = Option<Result<&'a [u8], TagError>>>) -> bool {
    outputs.enumerate().all(|(number, output)| {
        match (output.expect("complete"), is_forged(number)) {
            (Ok(text), false) => made_from_secrets(&mut text.to_vec()),
            (Err(TagError), true) => true,
            _ => panic!("message {number} was not told apart from a forged one"),
        }
    })
}

/// Packets on the way back, for both orders of cipher and MAC.
fn check_chain<C: ChainCipher, A: Hash>(checks: &mut Checks, name: &str) {
    let orders = [
        (Steps::EncryptThenMac, Steps::MacThenDecrypt),
        (Steps::MacThenEncrypt, Steps::DecryptThenMac),
    ];
    for (there, back) in orders {
        checks.check(&format!("{name}, {back:?}"), |cpu| open_chain::<C, A>(cpu, there, back));
    }
}

fn open_chain<C: ChainCipher, A: Hash>(cpu: &Cpu, there: Steps, back: Steps) -> bool {
    /// Bytes of a tag that is no whole number of words.
    const TAG: usize = 13;
    let text_len = |i: usize| [64, 0, 16, 304][i % 4];
    let keys: Vec<_> = (0..COUNT).map(|i| (aes_key(cpu, i), hmac_key::<A>(cpu, i))).collect();
    let mut packets: Vec<_> = (0..COUNT).map(|i| secret(i, text_len(i) + TAG)).collect();
    let chain = |steps, i: usize| {
        let (len, (key, mac_key)) = (text_len(i), &keys[i]);
        let ranges = Ranges { cipher: 0..len, mac: 0..len, tag: len..len + TAG };
        Chain { steps, key, mac_key, iv: [i as u8; 16], ranges }
    };
    let mut tags = vec![[0; 64]; COUNT];
    Planner::<broadloom_lanes::ChainLanes<C, HashLanes<A>>>::new(cpu).process_each(
        packets
            .iter_mut()
            .zip(&mut tags)
            .enumerate()
            .map(|(i, (packet, tag))| Loan::chain(&chain(there, i), packet, tag)),
    );
    for (number, packet) in packets.iter_mut().enumerate() {
        disclose(packet);
        if is_forged(number) {
            let len = packet.len();
            forge(&mut packet[len - TAG..]);
        }
    }
    let jobs = packets.into_iter().enumerate();
    let jobs = jobs.map(|(i, packet)| ChainJob::<C, A, _>::over(chain(back, i), packet, ()));
    let mut jobs: Vec<_> = jobs.map(|job| job.expect("good ranges")).collect();
    let mut planner = Planner::new(cpu);
    watch(|| planner.process_many(&mut jobs));
    let texts = jobs.iter().enumerate();
    opened(texts.map(|(i, job)| job.output().map(|output| output.map(|all| &all[..text_len(i)]))))
}

/// HMACs of secret texts, compared with what a list says they are.
fn compare_digests(cpu: &Cpu) -> bool {
    let key = hmac_key::<Sha256>(cpu, 1);
    let texts: Vec<_> = (0..COUNT).map(|i| secret(i, 100)).collect();
    let mut tags = vec![[0; 32]; COUNT];
    let all = texts.iter().zip(&mut tags);
    Planner::<HashLanes<Sha256>>::new(cpu)
        .process_each(all.map(|(text, tag)| Loan::hmac(&key, text, tag)));
    tags.iter_mut().enumerate().all(|(number, tag)| {
        let computed = Digest::new(tag);
        let reached = made_from_secrets(tag);
        if is_forged(number) {
            forge(tag);
        }
        let mut hex = Vec::new();
        Digest::new(tag).write_hex(&mut hex);
        let listed = Digest::from_hex(&hex).expect("hexadecimal digits");
        assert_eq!(watch(|| computed.matches(&listed)), !is_forged(number), "{number}");
        reached
    })
}
