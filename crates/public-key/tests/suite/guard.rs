//! Nothing outside the buffers is touched: buffers lie against pages that nobody may read or write.

#![cfg(all(unix, not(miri)))]

use broadloom_lanes::{Buffers, Cpu, Planner};
use broadloom_public_key::{
    MlDsaKeyJob, MlDsaLanes, MlDsaMessage, MlDsaOutcome, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet,
    MlKemJob, MlKemLanes, MlKemPrivateKey, MlKemPublicKey, MlKemSet,
};

use crate::common::guarded::{Guarded, Side};
use crate::common::{bytes, isas};

/// More buffers than any kernel has lanes.
const MANY: usize = 36;

fn regions() -> Vec<Guarded> {
    (0..MANY).map(|_| Guarded::new()).collect()
}

/// The jobs of a call: one alone, two for kernels that take pairs, and enough for all lanes.
const COUNTS: [usize; 3] = [1, 2, MANY];

#[test]
fn ml_kem_touches_its_buffers_and_nothing_else() {
    let (mut from, mut to) = (regions(), regions());
    for set in MlKemSet::ALL {
        let mut made = Vec::new();
        for number in 0..MANY {
            let seed = bytes(number, set.private_key_len());
            made.push(MlKemJob::generate(set, seed, ()).expect("as long as a key"));
        }
        Planner::new(&Cpu::detect()).process_many(&mut made);
        let keys: Vec<_> = made.into_iter().map(|job| job.into_parts().0).collect();
        let private = |key: &Vec<u8>| MlKemPrivateKey::new(set, key).expect("a key");
        let private: Vec<_> = keys.iter().map(private).collect();
        let public = |key: &MlKemPrivateKey| MlKemPublicKey::new(set, key.public());
        let public: Vec<_> = private.iter().map(|key| public(key).expect("a key")).collect();
        let sides = [Side::Start, Side::End].into_iter();
        for (side, cpu) in sides.flat_map(|side| isas().map(move |cpu| (side, cpu))) {
            let mut planner = Planner::<MlKemLanes>::new(&cpu);
            for count in COUNTS {
                let mut run = |inputs: &[Vec<u8>], kind: usize| -> Vec<Vec<u8>> {
                    let inputs = from.iter_mut().zip(inputs).map(|(r, input)| r.place(side, input));
                    let inputs: Vec<&[u8]> = inputs.map(|input| &*input).collect();
                    let outputs = to.iter_mut().zip(&inputs);
                    let outputs = outputs.map(|(r, input)| r.place(side, &vec![0xaa; input.len()]));
                    let mut outputs: Vec<&mut [u8]> = outputs.collect();
                    let pairs = inputs.iter().zip(&mut outputs).enumerate();
                    planner.process_each(pairs.map(|(i, (input, output))| {
                        let buffers = Buffers::Apart(input, output);
                        let loan = match kind {
                            0 => MlKemLanes::generate(set, buffers),
                            1 => MlKemLanes::encapsulate(&public[i], buffers),
                            _ => MlKemLanes::decapsulate(&private[i], buffers),
                        };
                        loan.expect("good lengths")
                    }));
                    outputs.iter().map(|output| output.to_vec()).collect()
                };
                let what = format!("{count} of {set} on {} {side:?}", cpu.isa());
                let inputs = |len: usize| (0..count).map(|i| bytes(i, len)).collect::<Vec<_>>();
                assert!(run(&inputs(set.private_key_len()), 0) == keys[..count], "{what}");
                let sent = run(&inputs(set.ciphertext_len() + MlKemSet::SECRET_LEN), 1);
                let ciphertext = |sent: &Vec<u8>| sent[..set.ciphertext_len()].to_vec();
                let ciphertexts: Vec<_> = sent.iter().map(ciphertext).collect();
                for (received, sent) in run(&ciphertexts, 2).iter().zip(&sent) {
                    let secret = &sent[set.ciphertext_len()..];
                    assert!(received[..MlKemSet::SECRET_LEN] == *secret, "{what}");
                }
            }
        }
    }
}

#[test]
fn ml_dsa_touches_its_buffers_and_nothing_else() {
    const SIGNERS: usize = 19;
    let (mut from, mut to) = (regions(), regions());
    for set in MlDsaSet::ALL {
        let private_len = set.private_key_len();
        let len = private_len + set.public_key_len();
        let mut made = Vec::new();
        for number in 0..SIGNERS {
            made.push(MlDsaKeyJob::generate(set, bytes(number, len), ()).expect("both keys"));
        }
        Planner::new(&Cpu::detect()).process_many(&mut made);
        let keys: Vec<_> = made.into_iter().map(|job| job.into_parts().0).collect();
        let private: Vec<_> = keys
            .iter()
            .map(|keys| MlDsaPrivateKey::new(set, &keys[..private_len]).expect("a key"))
            .collect();
        let public: Vec<_> = keys
            .iter()
            .map(|keys| MlDsaPublicKey::new(set, &keys[private_len..]).expect("a key"))
            .collect();
        let sides = [Side::Start, Side::End].into_iter();
        for (side, cpu) in sides.flat_map(|side| isas().map(move |cpu| (side, cpu))) {
            let mut planner = Planner::<MlDsaLanes>::new(&cpu);
            for count in [1, SIGNERS] {
                let what = format!("{count} of {set} on {} {side:?}", cpu.isa());
                let seeds = from.iter_mut().enumerate().take(count);
                let seeds: Vec<&[u8]> =
                    seeds.map(|(i, r)| &*r.place(side, &bytes(i, len))).collect();
                let outputs = to.iter_mut().take(count).map(|r| r.place(side, &vec![0xaa; len]));
                let mut outputs: Vec<&mut [u8]> = outputs.collect();
                planner.process_each(seeds.iter().zip(&mut outputs).map(|(seed, output)| {
                    let buffers = Buffers::Apart(seed, output);
                    MlDsaLanes::generate(set, buffers).expect("both keys' length")
                }));
                assert!(outputs.iter().zip(&keys).all(|(made, keys)| *made == keys), "{what}");

                let texts = from.iter_mut().enumerate().take(count);
                let texts: Vec<&[u8]> =
                    texts.map(|(i, r)| &*r.place(side, &bytes(i, 40 * i))).collect();
                let room = vec![0xaa; set.signature_len()];
                let rooms = to.iter_mut().take(count).map(|r| r.place(side, &room));
                let mut rooms: Vec<&mut [u8]> = rooms.collect();
                planner.process_each(rooms.iter_mut().enumerate().map(|(i, room)| {
                    let message = MlDsaMessage::new(texts[i]);
                    MlDsaLanes::sign(&private[i], message, None, room).expect("its length")
                }));
                let mut outcomes = vec![MlDsaOutcome::default(); count];
                let claims = rooms.iter().zip(&mut outcomes).enumerate();
                planner.process_each(claims.map(|(i, (signature, outcome))| {
                    let message = MlDsaMessage::new(texts[i]);
                    let loan = MlDsaLanes::verify(&public[i], message, signature, outcome);
                    loan.expect("its length")
                }));
                assert!(outcomes.iter().all(|outcome| outcome.is_right()), "{what}");
            }
        }
    }
}
