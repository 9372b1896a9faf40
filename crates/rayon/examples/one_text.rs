//! From which length on a text is worth several threads: the time that one thread and that all
//! threads of a pool take for it, the shortest of many runs each.
//!
//! ```sh
//! cargo run --release -p broadloom-rayon --example one_text -- 2
//! ```

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, CipherAlgorithm, HashAlgorithm, Job, Processor, Session,
    Transform, XtsSize,
};
use broadloom_lanes::Cpu;
use broadloom_native::Native;
use broadloom_rayon::{PoolProcessor, SplitBlake3, SplitGcm, SplitXts};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Runs of each side at a length.
const RUNS: usize = 60;

/// What a side does with a text.
type Side<'a> = dyn FnMut(&mut [u8]) -> Result<(), Box<dyn Error>> + 'a;

fn main() -> Result<(), Box<dyn Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(2), |threads| threads.parse())?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    println!("algorithm              bytes   one thread  {threads} threads  ratio");
    ciphers(&pool)?;
    xts(&pool)?;
    gcm(&pool)?;
    blake3(&pool)
}

/// Opens a session of the provider `native`.
fn open(transform: &Transform) -> Result<Session, Box<dyn Error>> {
    let native: Arc<dyn Provider> = Arc::new(Native::new(Cpu::detect()));
    Ok(Session::open(native, transform)?)
}

/// Processes one job.
fn process(processor: &mut Processor, job: Job<'_>) -> Result<(), Box<dyn Error>> {
    let mut jobs = [job];
    processor.process_many(&mut jobs);
    Ok(jobs[0].status().expect("a processor completes all jobs")?)
}

fn ciphers(pool: &ThreadPool) -> Result<(), Box<dyn Error>> {
    for name in ["aes-128-ctr", "aes-256-cbc", "chacha20"] {
        let algorithm: Algorithm = name.parse()?;
        let [_, back] = *algorithm.directions() else { unreachable!("a cipher has two") };
        let key = vec![7; if name == "aes-128-ctr" { 16 } else { 32 }];
        let session = open(&Transform::new(algorithm, back, &key, &[]).build()?)?;
        let nonce = [1; 16];
        let (mut one, mut several) = (Processor::new(), PoolProcessor::new());
        compare(
            name,
            26,
            &mut |text| process(&mut one, Job::new(&session, text).nonce(&nonce)),
            &mut |text| Ok(several.process_one(pool, &session, &nonce, text)?),
        )?;
    }
    Ok(())
}

fn xts(pool: &ThreadPool) -> Result<(), Box<dyn Error>> {
    let key: Vec<u8> = (0..64).collect();
    let transform = Transform::cipher(CipherAlgorithm::AesXts(XtsSize::Aes256), &key).encrypt()?;
    let xts = SplitXts::open(&transform, open)?;
    let (mut one, mut several) = (Processor::new(), PoolProcessor::new());
    let tweak = [1; 16];
    compare(
        "aes-256-xts",
        // A data unit has no more than 16 MiB.
        24,
        &mut |unit| process(&mut one, Job::new(xts.session(), unit).nonce(&tweak)),
        &mut |unit| Ok(several.process_xts(pool, &xts, &tweak, unit)?),
    )
}

fn gcm(pool: &ThreadPool) -> Result<(), Box<dyn Error>> {
    let aead = AeadAlgorithm::AesGcm(AesSize::Aes128);
    let gcm = SplitGcm::open(&Transform::aead(aead, &[7; 16]).seal()?, open)?;
    let (mut one, mut several) = (Processor::new(), PoolProcessor::new());
    let nonce = [1; 12];
    compare(
        "aes-128-gcm",
        26,
        &mut |text| process(&mut one, Job::new(gcm.session(), text).nonce(&nonce)),
        &mut |text| Ok(several.seal_one(pool, &gcm, &nonce, &[], text).map(drop)?),
    )
}

fn blake3(pool: &ThreadPool) -> Result<(), Box<dyn Error>> {
    let transform = Transform::hash(HashAlgorithm::Blake3);
    let (session, split) = (open(&transform)?, SplitBlake3::new(&transform, &Cpu::detect()));
    let mut one = Processor::new();
    compare(
        "blake3",
        26,
        &mut |message| process(&mut one, Job::new(&session, &*message)),
        &mut |message| {
            std::hint::black_box(split.hash(pool, message));
            Ok(())
        },
    )
}

/// Prints the times of both sides, for lengths up to a power of two.
fn compare<'a>(
    name: &str,
    longest: u32,
    one: &mut Side<'a>,
    several: &mut Side<'a>,
) -> Result<(), Box<dyn Error>> {
    for power in 16..=longest {
        let mut text = vec![7; 1 << power];
        let mut shortest = [Duration::MAX; 2];
        for _ in 0..RUNS {
            for (side, shortest) in [&mut *one, &mut *several].into_iter().zip(&mut shortest) {
                let start = Instant::now();
                side(&mut text)?;
                *shortest = (*shortest).min(start.elapsed());
            }
        }
        let [one, several] = shortest.map(|time| time.as_secs_f64() * 1e6);
        let (len, ratio) = (text.len(), one / several);
        println!("{name:15} {len:12} {one:9.1} µs {several:8.1} µs {ratio:6.2}");
    }
    Ok(())
}
