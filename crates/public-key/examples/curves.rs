//! Measures operations on P-256, P-384, P-521, Ed25519 and X25519 by the number of jobs
//! outstanding:
//!
//! ```text
//! cargo run --release -p broadloom-public-key --example curves
//! ```
//!
//! Figures are microseconds an operation by the clock on the wall, the least of many turns. Compare
//! only figures of one run.

use std::hint::black_box;
use std::time::Instant;

use broadloom_lanes::{Cpu, Planner};
use broadloom_public_key::{
    CurveJob, CurveLanes, Ed25519PrivateKey, Ed25519PublicKey, P256PrivateKey, P256PublicKey,
    P384PrivateKey, P384PublicKey, P521PrivateKey, P521PublicKey, X25519Key,
};

type Job<'a> = CurveJob<'a, Vec<u8>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut planner = Planner::new(&Cpu::detect());
    let (key, nonce) = (P256PrivateKey::new(&[5; 32])?, P256PrivateKey::new(&[7; 32])?);
    let base = bytes(BASE);
    let public = P256PublicKey::new(base[..].try_into()?)?;
    let mut prepared = public.clone();
    prepared.prepare();
    // With the base point as the key and its number, the signature of zero is right.
    let signature = {
        let one = P256PrivateKey::new(&std::array::from_fn(|at| u8::from(at == 31)))?;
        let mut jobs = [Job::p256_sign(&one, &nonce, vec![0; 64], ())?];
        planner.process_many(&mut jobs);
        [&[0; 32], jobs[0].output().expect("complete")?].concat()
    };
    let edwards = Ed25519PrivateKey::new(&[9; 64]);
    let edwards_public = Ed25519PublicKey::new(edwards.public())?;
    let x25519 = X25519Key::new(&[1; 32]);
    println!("microseconds an operation of P-256, Ed25519 and X25519");
    println!("verifications on P-256: with a prepared key, and with another one");
    println!("outstanding    sign  verify    anew   agree  commit  verify  x25519");
    for outstanding in [1, 2, 4, 8, 16, 64] {
        let figures = [
            best(&mut planner, outstanding, &|| {
                Job::p256_sign(&key, &nonce, vec![1; 64], ()).expect("64 bytes")
            }),
            best(&mut planner, outstanding, &|| {
                Job::p256_verify(&prepared, signature.clone(), ()).expect("96 bytes")
            }),
            best(&mut planner, outstanding, &|| {
                Job::p256_verify(&public, signature.clone(), ()).expect("96 bytes")
            }),
            best(&mut planner, outstanding, &|| {
                Job::p256_agree(&key, base.clone(), ()).expect("64 bytes")
            }),
            best(&mut planner, outstanding, &|| {
                Job::ed25519_commit(vec![3; 64], ()).expect("64 bytes")
            }),
            best(&mut planner, outstanding, &|| {
                Job::ed25519_verify(&edwards_public, vec![3; 128], ()).expect("128 bytes")
            }),
            best(&mut planner, outstanding, &|| {
                Job::x25519(&x25519, vec![9; 32], ()).expect("32 bytes")
            }),
        ];
        let figures: String = figures.iter().map(|figure| format!(" {figure:7.2}")).collect();
        println!("{outstanding:11}{figures}");
    }
    let key = || P256PublicKey::new(base[..].try_into().expect("64 bytes")).expect("a point");
    println!("a public key of P-256: {:.2} us", quickest(key));
    println!("to prepare that key: {:.1} us", quickest(|| key().prepare()));
    let edwards = || Ed25519PublicKey::new(edwards.public()).expect("a point");
    println!("a public key of Ed25519: {:.2} us", quickest(edwards));
    p384(&mut planner)?;
    p521(&mut planner)
}

/// Defines a function that prints the table of a curve, whose numbers have so many bytes.
macro_rules! table {
    (
        $table:ident, $name:literal, $len:literal, $base:ident, $private:ident, $public:ident,
        $sign:ident, $verify:ident, $agree:ident
    ) => {
        fn $table(planner: &mut Planner<CurveLanes>) -> Result<(), Box<dyn std::error::Error>> {
            // Below the order, as the first byte is zero.
            let number = |byte| std::array::from_fn(|at| if at == 0 { 0 } else { byte });
            let (key, nonce) = ($private::new(&number(5))?, $private::new(&number(7))?);
            let base = bytes($base);
            let public = $public::new(base[..].try_into()?)?;
            let mut prepared = public.clone();
            prepared.prepare();
            // With the base point as the key and its number, the signature of zero is right.
            let signature = {
                let one = $private::new(&std::array::from_fn(|at| u8::from(at == $len - 1)))?;
                let mut jobs = [Job::$sign(&one, &nonce, vec![0; 2 * $len], ())?];
                planner.process_many(&mut jobs);
                [&[0; $len], jobs[0].output().expect("complete")?].concat()
            };
            println!("microseconds an operation of {}", $name);
            println!("outstanding    sign  verify    anew   agree");
            for outstanding in [1, 2, 4, 8, 16, 64] {
                let figures = [
                    best(planner, outstanding, &|| {
                        Job::$sign(&key, &nonce, vec![1; 2 * $len], ()).expect("two numbers")
                    }),
                    best(planner, outstanding, &|| {
                        Job::$verify(&prepared, signature.clone(), ()).expect("three numbers")
                    }),
                    best(planner, outstanding, &|| {
                        Job::$verify(&public, signature.clone(), ()).expect("three numbers")
                    }),
                    best(planner, outstanding, &|| {
                        Job::$agree(&key, base.clone(), ()).expect("two numbers")
                    }),
                ];
                let figures: String =
                    figures.iter().map(|figure| format!(" {figure:7.2}")).collect();
                println!("{outstanding:11}{figures}");
            }
            Ok(())
        }
    };
}

table!(
    p384,
    "P-384",
    48,
    BASE384,
    P384PrivateKey,
    P384PublicKey,
    p384_sign,
    p384_verify,
    p384_agree
);
table!(
    p521,
    "P-521",
    66,
    BASE521,
    P521PrivateKey,
    P521PublicKey,
    p521_sign,
    p521_verify,
    p521_agree
);

/// Returns the bytes of hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// The base point of P-384.
const BASE384: &str = "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b98\
                       59f741e082542a385502f25dbf55296c3a545e3872760ab7\
                       3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147c\
                       e9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f";

/// The base point of P-521.
const BASE521: &str = "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3d\
                       baa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66\
                       011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e66\
                       2c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650";

/// The base point of P-256.
const BASE: &str = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\
                    4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";

/// Microseconds that something takes at best.
fn quickest<T>(something: impl Fn() -> T) -> f64 {
    let time = |_| {
        let begin = Instant::now();
        black_box(something());
        begin.elapsed().as_secs_f64()
    };
    1e6 * (0..300).map(time).fold(f64::MAX, f64::min)
}

/// Microseconds that an operation takes at best.
fn best<'a>(
    planner: &mut Planner<CurveLanes>,
    outstanding: usize,
    job: &dyn Fn() -> Job<'a>,
) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..400_usize.div_ceil(outstanding).max(30) {
        let mut jobs: Vec<Job<'a>> = (0..outstanding).map(|_| job()).collect();
        let begin = Instant::now();
        planner.process_many(&mut jobs);
        best = best.min(begin.elapsed().as_secs_f64());
        assert!(jobs.iter().all(|job| job.output().is_some()));
    }
    1e6 * best / outstanding as f64
}
