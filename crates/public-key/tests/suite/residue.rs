//! What a call leaves on the stack is searched for secrets, and what it leaves in a living planner.
//! On other processors the compiler spills other words from registers.

#![cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]

use broadloom_lanes::Planner;
use broadloom_public_key::{
    CurveJob, MlDsaKeyJob, MlDsaMessage, MlDsaPrivateKey, MlDsaSet, MlDsaSignJob, MlKemJob,
    MlKemPrivateKey, MlKemPublicKey, MlKemSet, P256PrivateKey, P384PrivateKey, P521PrivateKey,
    Secp256k1PrivateKey, X25519Key,
};
use broadloom_residue::Secret;
use zeroize::Zeroizing;

use crate::common::{bytes, cpus, hex, isas};
use crate::stack::{check, count, stack_after, work_elsewhere};

#[test]
fn private_numbers_of_curves_do_not_stay_on_the_stack() {
    let mut found = Vec::new();
    for cpu in cpus() {
        for jobs in [1, 2, 20] {
            // What the test frees is wiped, so that it is no part of memory that jobs get.
            let number = |number: usize| {
                let bytes = Zeroizing::new(bytes(100 + number, 32));
                *bytes.first_chunk::<32>().expect("32 bytes")
            };
            let numbers: Zeroizing<Vec<[u8; 32]>> = Zeroizing::new((0..jobs).map(number).collect());
            let what = format!("{jobs} jobs, {}", cpu.isa());
            let mut planner = Planner::new(&cpu);

            let keys: Vec<_> = numbers.iter().map(X25519Key::new).collect();
            let job = |key| CurveJob::x25519(key, [9; 32].to_vec(), ()).expect("32 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            // The bits that the standard sets are in the first and the last byte.
            let mut words = Zeroizing::new(Vec::with_capacity(2 * numbers.len()));
            words.extend(numbers.iter().flat_map(|number| &number.as_chunks::<8>().0[1..3]));
            found.push((format!("X25519, {what}"), count(&left, &words)));
            let job = |key| CurveJob::x25519_public(key, [0; 32].to_vec(), ()).expect("32 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("public keys of X25519, {what}"), count(&left, &words)));

            let point = base_point();
            let key = |number| P256PrivateKey::new(number).expect("a scalar");
            let keys: Vec<_> = numbers.iter().map(key).collect();
            let job = |key| CurveJob::p256_agree(key, point.clone(), ()).expect("64 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            let mut words = Zeroizing::new(Vec::with_capacity(4 * numbers.len()));
            let all = numbers.iter().flat_map(|number| number.as_chunks::<8>().0);
            words.extend(all.map(|word| reversed(*word)));
            found.push((format!("P-256, {what}"), count(&left, &words)));
            let job = |key| CurveJob::p256_public(key, [0; 64].to_vec(), ()).expect("64 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("public keys of P-256, {what}"), count(&left, &words)));

            let point = base_point_k1();
            let key = |number| Secp256k1PrivateKey::new(number).expect("a scalar");
            let keys: Vec<_> = numbers.iter().map(key).collect();
            let job = |key| CurveJob::secp256k1_agree(key, point.clone(), ()).expect("64 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("secp256k1, {what}"), count(&left, &words)));

            // The highest bytes are zeros, and then the number follows.
            let point = base_point_384();
            let long = |number: &[u8; 32]| {
                let mut bytes = [0; 48];
                bytes[16..].copy_from_slice(number);
                P384PrivateKey::new(&bytes).expect("a scalar")
            };
            let keys: Vec<_> = numbers.iter().map(long).collect();
            let job = |key| CurveJob::p384_agree(key, point.clone(), ()).expect("96 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("P-384, {what}"), count(&left, &words)));

            let point = base_point_521();
            let long = |number: &[u8; 32]| {
                let mut bytes = [0; 66];
                bytes[34..].copy_from_slice(number);
                P521PrivateKey::new(&bytes).expect("a scalar")
            };
            let keys: Vec<_> = numbers.iter().map(long).collect();
            let job = |key| CurveJob::p521_agree(key, point.clone(), ()).expect("132 bytes");
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            found.push((format!("P-521, {what}"), count(&left, &words)));
        }
    }
    found.retain(|(_, words)| *words > 0);
    assert!(found.is_empty(), "words of private numbers are left: {found:?}");
}

/// The base point of P-256: its coordinates, the highest bytes first.
fn base_point() -> Vec<u8> {
    hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\
         4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
}

/// The base point of secp256k1: its coordinates, the highest bytes first.
fn base_point_k1() -> Vec<u8> {
    hex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798\
         483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")
}

/// The base point of P-384: its coordinates, the highest bytes first.
fn base_point_384() -> Vec<u8> {
    hex("aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e38\
         72760ab73617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d\
         7a431d7c90ea0e5f")
}

/// The base point of P-521: its coordinates, the highest bytes first.
fn base_point_521() -> Vec<u8> {
    hex("00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1d\
         c127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66011839296a789a3bc0045c8a5fb42c7d1bd998f54449\
         579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650")
}

fn reversed(mut word: [u8; 8]) -> [u8; 8] {
    word.reverse();
    word
}

/// A buffer of a length that begins with some bytes.
fn buffer(begin: &[u8], len: usize) -> Vec<u8> {
    let mut buffer = vec![0; len];
    buffer[..begin.len()].copy_from_slice(begin);
    buffer
}

#[test]
fn secrets_of_ml_kem_do_not_stay_on_the_stack() {
    // Of the first and the last operation: the others go through the same registers.
    let words = |all: &[&[u8]]| -> Vec<[u8; 8]> {
        let ends = [all[0], all[all.len() - 1]];
        ends.iter().flat_map(|bytes| bytes.as_chunks::<8>().0).copied().collect()
    };
    for cpu in isas() {
        for (set, number) in MlKemSet::ALL.into_iter().flat_map(|set| [(set, 1), (set, 37)]) {
            let what = format!("{number} jobs of {set}, {}", cpu.isa());
            let mut planner = Planner::new(&cpu);
            let seeds: Vec<_> = (0..number).map(|at| bytes(300 + at, 64)).collect();
            let job = |seed: &Vec<u8>| {
                MlKemJob::generate(set, buffer(seed, set.private_key_len()), ())
                    .expect("a key's length")
            };
            let mut jobs: Vec<_> = seeds.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            let made: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
            let vectors: Vec<_> = made.iter().map(|key| &key[..64]).collect();
            let seeds: Vec<_> = seeds.iter().map(Vec::as_slice).collect();
            let secrets = [words(&seeds), words(&vectors)].concat();
            assert_eq!(count(&left, &secrets), 0, "generating, {what}");

            let private = |key: &Vec<u8>| MlKemPrivateKey::generated(set, key).expect("its length");
            let privates: Vec<_> = made.iter().map(private).collect();
            let public = |key: &MlKemPrivateKey| {
                MlKemPublicKey::new(set, key.public()).expect("a key that was generated")
            };
            let publics: Vec<_> = privates.iter().map(public).collect();
            let messages: Vec<_> = (0..number).map(|at| bytes(400 + at, 32)).collect();
            let job = |(key, message): (_, &Vec<u8>)| {
                let room = buffer(message, set.ciphertext_len() + MlKemSet::SECRET_LEN);
                MlKemJob::encapsulate(key, room, ()).expect("a ciphertext's and a secret's length")
            };
            let mut jobs: Vec<_> = publics.iter().zip(&messages).map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            let sent: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
            let shared: Vec<_> = sent.iter().map(|sent| &sent[set.ciphertext_len()..]).collect();
            let messages: Vec<_> = messages.iter().map(Vec::as_slice).collect();
            let secrets = [words(&messages), words(&shared)].concat();
            assert_eq!(count(&left, &secrets), 0, "encapsulating, {what}");

            let job = |(key, sent): (_, &Vec<u8>)| {
                MlKemJob::decapsulate(key, sent[..set.ciphertext_len()].to_vec(), ())
                    .expect("a ciphertext's length")
            };
            let mut jobs: Vec<_> = privates.iter().zip(&sent).map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            assert_eq!(jobs[0].output().map(|output| &output[..32]), Some(shared[0]));
            let rejections: Vec<_> = seeds.iter().map(|seed| &seed[32..]).collect();
            let secrets = [secrets, words(&vectors), words(&rejections)].concat();
            assert_eq!(count(&left, &secrets), 0, "decapsulating, {what}");
        }
    }
}

#[test]
fn secrets_of_ml_kem_do_not_stay_in_living_lanes() {
    let d = b"\x4e\xb1\x27\x90\xda\x63\xfc\x18\x85\x3f\xc6\x0a\x71\xed\x54\x9b\
        \x02\xd7\x6c\xa9\x3e\xf5\x18\x8b\x40\xc3\x7d\xe6\x59\xb4\x2a\x97";
    let z = b"\x91\x0d\xe4\x7a\x36\xcb\x58\xf2\xa7\x1c\x83\x6e\xd0\x45\xbf\x29\
        \xfa\x64\x13\x9e\x82\x57\xcd\x30\xeb\x76\x08\xa1\x4f\xd8\x95\x62";
    let message = b"\x6f\xc8\x15\x9a\xe3\x40\x7e\xd1\x2b\xb6\x04\xf9\x5d\xa2\x38\xc7\
        \x81\x1e\xfb\x4a\x93\x65\xd0\x2c\xbe\x57\x09\xe8\x74\xa3\x1f\xdc";
    let secrets = [Secret::new("d", d), Secret::new("z", z), Secret::new("the message", message)];
    let mut planners = Vec::new();
    for cpu in isas() {
        for (set, count) in MlKemSet::ALL.into_iter().flat_map(|set| [(set, 1), (set, 37)]) {
            let mut planner = Planner::new(&cpu);
            work_elsewhere(|| {
                let generate = |_| {
                    let mut room = buffer(d, set.private_key_len());
                    room[32..64].copy_from_slice(z);
                    MlKemJob::generate(set, room, ()).expect("a key's length")
                };
                let mut jobs: Vec<_> = (0..count).map(generate).collect();
                planner.process_many(&mut jobs);
                let mut made: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
                let key = MlKemPrivateKey::generated(set, &made[0]).expect("a key's length");
                made.iter_mut().for_each(|key| key.fill(0));
                std::hint::black_box(&made);
                let public = MlKemPublicKey::new(set, key.public()).expect("it was generated");
                let encapsulate = |_| {
                    let room = buffer(message, set.ciphertext_len() + MlKemSet::SECRET_LEN);
                    MlKemJob::encapsulate(&public, room, ()).expect("the length of both")
                };
                let mut jobs: Vec<_> = (0..count).map(encapsulate).collect();
                planner.process_many(&mut jobs);
                let decapsulate = |job: &MlKemJob<'_, Vec<u8>>| {
                    let sent = job.output().expect("it is complete");
                    let ciphertext = sent[..set.ciphertext_len()].to_vec();
                    MlKemJob::decapsulate(&key, ciphertext, ()).expect("a ciphertext's length")
                };
                let mut received: Vec<_> = jobs.iter().map(decapsulate).collect();
                planner.process_many(&mut received);
                assert!(received.iter().all(|job| job.output().is_some()));
            });
            planners.push(planner);
        }
    }
    check(&secrets, planners);
}

/// The words of secrets: a key's seed, the seed of its signatures, and the beginnings of its secret
/// vectors and of the lower part of the public vector.
fn secrets_of_ml_dsa(set: MlDsaSet, seed: &[u8], keys: &[u8]) -> Vec<[u8; 8]> {
    let private = &keys[..set.private_key_len()];
    let all = [seed, &private[32..64], &private[128..192], &private[private.len() - 64..]];
    all.iter().flat_map(|bytes| bytes.as_chunks::<8>().0).copied().collect()
}

#[test]
fn secrets_of_ml_dsa_do_not_stay_on_the_stack() {
    for cpu in isas() {
        for (set, number) in MlDsaSet::ALL.into_iter().flat_map(|set| [(set, 1), (set, 19)]) {
            let what = format!("{number} jobs of {set}, {}", cpu.isa());
            let mut planner = Planner::new(&cpu);
            let len = set.private_key_len() + set.public_key_len();
            let seeds: Vec<_> = (0..number).map(|at| bytes(500 + at, 32)).collect();
            let job = |seed: &Vec<u8>| {
                MlDsaKeyJob::generate(set, buffer(seed, len), ()).expect("both keys' length")
            };
            let mut jobs: Vec<_> = seeds.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            let made: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
            let last = number - 1;
            let mut secrets = secrets_of_ml_dsa(set, &seeds[0], &made[0]);
            secrets.extend(secrets_of_ml_dsa(set, &seeds[last], &made[last]));
            assert_eq!(count(&left, &secrets), 0, "generating, {what}");

            let private = |keys: &Vec<u8>| {
                MlDsaPrivateKey::generated(set, &keys[..set.private_key_len()]).expect("its length")
            };
            let keys: Vec<_> = made.iter().map(private).collect();
            let message = MlDsaMessage::new(b"a message");
            let job = |key| {
                let room = vec![0; set.signature_len()];
                MlDsaSignJob::sign(key, message, None, room, ()).expect("a signature's length")
            };
            let mut jobs: Vec<_> = keys.iter().map(job).collect();
            let left = stack_after(&mut || planner.process_many(&mut jobs));
            assert_eq!(count(&left, &secrets), 0, "signing, {what}");
        }
    }
}

#[test]
fn secrets_of_ml_dsa_do_not_stay_in_living_lanes() {
    let seed = b"\x5c\xa9\x14\xe7\x3b\x80\xd2\x6f\x97\x41\xbe\x08\xf3\x2a\xc5\x79\
        \x1d\xe6\x84\x3f\xb0\x5b\xca\x72\x0e\x93\xdf\x46\xa8\x11\x7c\xf5";
    let mut planners = Vec::new();
    for cpu in isas() {
        for (set, count) in MlDsaSet::ALL.into_iter().flat_map(|set| [(set, 1), (set, 19)]) {
            let mut planner = Planner::new(&cpu);
            work_elsewhere(|| {
                let len = set.private_key_len() + set.public_key_len();
                let generate = |_| {
                    MlDsaKeyJob::generate(set, buffer(seed, len), ()).expect("both keys' length")
                };
                let mut jobs: Vec<_> = (0..count).map(generate).collect();
                planner.process_many(&mut jobs);
                let mut made: Vec<_> = jobs.into_iter().map(|job| job.into_parts().0).collect();
                let key = MlDsaPrivateKey::generated(set, &made[0][..set.private_key_len()]);
                let key = key.expect("a key's length");
                made.iter_mut().for_each(|keys| keys.fill(0));
                std::hint::black_box(&made);
                let message = MlDsaMessage::new(b"a message");
                let sign = |_| {
                    let room = vec![0; set.signature_len()];
                    MlDsaSignJob::sign(&key, message, None, room, ()).expect("its length")
                };
                let mut jobs: Vec<_> = (0..count).map(sign).collect();
                planner.process_many(&mut jobs);
                assert!(jobs.iter().all(|job| job.output().is_some()));
            });
            planners.push(planner);
        }
    }
    check(&[Secret::new("the seed", seed)], planners);
}
