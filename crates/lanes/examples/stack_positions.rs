//! Whether the time of a kernel depends on where its stack frame lies.
//!
//!     cargo run --release -p broadloom-lanes --example stack_positions [ALGORITHM…]
//!
//! Every family of kernels runs at 256 positions of the stack, 16 bytes apart over a page, on the
//! main thread and on a spawned one. A line for each has the nanoseconds a buffer at the fastest
//! position, the median and the slowest, and as its last column the slowest over the fastest.
//! `BROADLOOM_ISA` chooses the instruction set.
//!
//! Buffers are aligned to cache lines. A store of a vector across two pages delays reads of the
//! stack whose addresses agree in their last 12 bits (on AMD Zen 5 by 50 cycles), which would be
//! seen as a bad position of the stack.

use std::hint::black_box;
use std::time::Instant;

use broadloom_lanes::{
    AesKey, CbcLanes, CcmLanes, CfbLanes, ChaChaKey, ChaChaLanes, ChaChaPolyLanes, CmacKey,
    CmacLanes, Cpu, CtrLanes, DesKey, DesLanes, EcbLanes, GcmKey, GcmLanes, Hash, HashLanes,
    HmacKey, KasumiKey, KasumiLanes, KmacKey, LinkDirection, Loan, Md5, Planner, Sha1, Sha3_256,
    Sha256, Sha512, Shake128, SpongeLanes, XtsKey, XtsLanes,
};

/// Buffers of a burst, and bytes of each.
const BUFFERS: usize = 64;
const LEN: usize = 512;

/// A buffer.
#[derive(Clone)]
#[repr(align(64))]
struct Text([u8; LEN]);

/// Bytes between two positions, and how many positions there are: a page of them.
const STEP: usize = 16;
const POSITIONS: usize = 256;

/// Times that each position is tried; the fastest counts.
const PASSES: usize = 100;

/// A burst of one algorithm, whose buffers and keys are its own.
type Burst = Box<dyn FnMut()>;

fn main() {
    let request = std::env::var("BROADLOOM_ISA").ok();
    let cpu = match Cpu::from_request(request.as_deref()) {
        Ok(cpu) => cpu,
        Err(error) => {
            eprintln!("BROADLOOM_ISA={}: {error}", request.unwrap_or_default());
            std::process::exit(1);
        }
    };
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<_> = families(&cpu).into_iter().map(|(name, _)| name).collect();
    if let Some(unknown) = wanted.iter().find(|wanted| !names.contains(&wanted.as_str())) {
        eprintln!("no algorithm {unknown:?}; valid: {}", names.join(", "));
        std::process::exit(2);
    }
    println!("{}: ns a buffer of {LEN} bytes, bursts of {BUFFERS}", cpu.isa());
    println!(
        "{:20} {:8} {:>9} {:>9} {:>9} {:>8}",
        "algorithm", "thread", "min", "median", "max", "max/min"
    );
    report("main", &cpu, &wanted);
    std::thread::scope(|scope| {
        scope.spawn(|| report("spawned", &cpu, &wanted));
    });
}

/// Prints a line for each algorithm that is wanted, or for all.
fn report(thread: &str, cpu: &Cpu, wanted: &[String]) {
    for (name, mut burst) in families(cpu) {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let mut times = [f64::INFINITY; POSITIONS];
        for _ in 0..PASSES {
            for (position, best) in times.iter_mut().enumerate() {
                let mut timed = || {
                    let begin = Instant::now();
                    burst();
                    *best = best.min(begin.elapsed().as_nanos() as f64 / BUFFERS as f64);
                };
                PAGES[position / 16](&mut || LINES[position % 16](&mut timed));
            }
        }
        times.sort_by(f64::total_cmp);
        let (min, median, max) = (times[0], times[POSITIONS / 2], times[POSITIONS - 1]);
        let ratio = max / min;
        println!("{name:20} {thread:8} {min:9.1} {median:9.1} {max:9.1} {ratio:8.3}");
    }
}

/// Calls a function that much further down the stack.
#[inline(never)]
fn below<const BYTES: usize>(call: &mut dyn FnMut()) {
    let room = [0_u8; BYTES];
    black_box(&room);
    call();
    black_box(&room);
}

/// [`below`] for sixteen distances.
macro_rules! distances {
    ($unit:expr, $($number:literal)*) => { [$(below::<{ $unit * $number }>),*] };
}

static LINES: [fn(&mut dyn FnMut()); 16] = distances!(STEP, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
static PAGES: [fn(&mut dyn FnMut()); 16] =
    distances!(16 * STEP, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);

/// The buffers of a burst.
fn texts() -> Vec<Text> {
    vec![Text([5; LEN]); BUFFERS]
}

/// A burst of each algorithm.
fn families(cpu: &Cpu) -> Vec<(&'static str, Burst)> {
    let aes = || AesKey::new(&[7; 16]).expect("16 bytes");
    let gcm = || GcmKey::new(&[7; 16]).expect("16 bytes");
    /// A burst of loans: `$texts` are the buffers, `$tags` as many of the tags.
    macro_rules! burst {
        ($lanes:ty, $key:expr, [$tag:expr], |$k:ident, $text:ident, $t:ident| $loan:expr) => {{
            let (mut planner, $k) = (Planner::<$lanes>::new(cpu), $key);
            let (mut texts, mut tags) = (texts(), vec![$tag; BUFFERS]);
            Box::new(move || {
                let loans = texts.iter_mut().zip(&mut tags).map(|(Text($text), $t)| $loan);
                planner.process_each(loans);
            }) as Burst
        }};
    }
    fn hash<A: Hash + 'static>(cpu: &Cpu) -> Burst {
        let (mut planner, texts) = (Planner::<HashLanes<A>>::new(cpu), texts());
        let mut digests = vec![[0_u8; 64]; BUFFERS];
        Box::new(move || {
            let loans =
                texts.iter().zip(&mut digests).map(|(Text(text), to)| Loan::digest(text, to));
            planner.process_each(loans);
        })
    }
    vec![
        ("md5", hash::<Md5>(cpu)),
        ("sha1", hash::<Sha1>(cpu)),
        ("sha256", hash::<Sha256>(cpu)),
        ("sha512", hash::<Sha512>(cpu)),
        (
            "hmac-sha1",
            burst!(HashLanes<Sha1>, HmacKey::<Sha1>::new(b"key"), [[0; 20]], |key, text, tag| {
                Loan::hmac(&key, text, tag)
            }),
        ),
        (
            "sha3-256",
            burst!(SpongeLanes, (), [[0; 32]], |_key, text, tag| Loan::<SpongeLanes>::sha3::<
                Sha3_256,
            >(text, tag)),
        ),
        (
            "kmac128",
            burst!(
                SpongeLanes,
                KmacKey::<Shake128>::new(b"key", b""),
                [[0; 32]],
                |key, text, tag| { Loan::<SpongeLanes>::kmac(&key, text, tag) }
            ),
        ),
        (
            "aes-128-cbc",
            burst!(CbcLanes, aes(), [()], |key, text, _tag| Loan::<CbcLanes>::encrypt(
                &key, &[1; 16], text
            )),
        ),
        (
            "aes-128-cbc-decrypt",
            burst!(CbcLanes, aes(), [()], |key, text, _tag| Loan::<CbcLanes>::decrypt(
                &key, &[1; 16], text
            )),
        ),
        (
            "aes-128-cfb",
            burst!(CfbLanes, aes(), [()], |key, text, _tag| Loan::cfb_encrypt(
                &key, &[1; 16], text
            )),
        ),
        (
            "aes-128-ctr",
            burst!(CtrLanes, aes(), [()], |key, text, _tag| Loan::ctr(&key, &[1; 16], text)),
        ),
        (
            "aes-128-ecb",
            burst!(EcbLanes, aes(), [()], |key, text, _tag| Loan::ecb_encrypt(&key, text)
                .expect("whole blocks")),
        ),
        (
            "aes-128-xts",
            burst!(
                XtsLanes,
                XtsKey::new(&core::array::from_fn::<u8, 32, _>(|i| i as u8)).expect("a good key"),
                [()],
                |key, text, _tag| Loan::xts_encrypt(&key, &[1; 16], text).expect("a good length")
            ),
        ),
        (
            "aes-128-gcm",
            burst!(GcmLanes, gcm(), [[0; 16]], |key, text, tag| Loan::<GcmLanes>::seal(
                &key, &[1; 12], &[2; 13], text, tag
            )),
        ),
        (
            "aes-128-ccm",
            burst!(CcmLanes, aes(), [[0; 16]], |key, text, tag| Loan::<CcmLanes>::seal(
                &key, &[1; 12], &[2; 13], text, tag
            )
            .expect("good lengths")),
        ),
        (
            "aes-128-cmac",
            burst!(
                CmacLanes,
                CmacKey::new(&[7; 16]).expect("16 bytes"),
                [[0; 16]],
                |key, text, tag| Loan::cmac(&key, text, tag)
            ),
        ),
        (
            "chacha20",
            burst!(ChaChaLanes, ChaChaKey::new(&[7; 32]), [()], |key, text, _tag| Loan::chacha20(
                &key, 1, &[1; 12], text
            )
            .expect("counters enough")),
        ),
        (
            "chacha20-poly1305",
            burst!(ChaChaPolyLanes, ChaChaKey::new(&[7; 32]), [[0; 16]], |key, text, tag| Loan::<
                ChaChaPolyLanes,
            >::seal(
                &key, &[1; 12], &[2; 13], text, tag
            )),
        ),
        (
            "3des-cbc",
            burst!(
                DesLanes,
                DesKey::new(&core::array::from_fn::<u8, 24, _>(|i| (7 * i) as u8))
                    .expect("24 bytes"),
                [()],
                |key, text, _tag| Loan::des_cbc_encrypt(&key, &[1; 8], text).expect("whole blocks")
            ),
        ),
        (
            "kasumi-f8",
            burst!(KasumiLanes, KasumiKey::new(&[7; 16]), [()], |key, text, _tag| Loan::f8(
                &key,
                1,
                2,
                LinkDirection::Uplink,
                text,
                8 * LEN
            )
            .expect("good bits")),
        ),
        (
            "kasumi-f9",
            burst!(KasumiLanes, KasumiKey::new(&[7; 16]), [[0; 4]], |key, text, tag| Loan::f9(
                &key,
                1,
                2,
                LinkDirection::Uplink,
                text,
                8 * LEN,
                tag
            )
            .expect("good bits")),
        ),
        (
            "rc4",
            burst!(
                broadloom_lanes::Rc4Lanes,
                broadloom_lanes::Rc4Key::new(&[7; 16]).expect("16 bytes"),
                [()],
                |key, text, _tag| Loan::rc4(&key, text)
            ),
        ),
    ]
}
