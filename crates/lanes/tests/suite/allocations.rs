//! Once a manager is built, no job makes it allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::packets::{Message, Mode, Text, View, every_mode};
use crate::common::{Reference, bytes, cipher_cpus, cpus, isas};
use crate::kasumi::Message as KasumiMessage;
use broadloom_lanes::{
    AesKey, CbcJob, HashJob, HmacKey, InOrder, Job, OutOfOrder, Planner, Sha1, Sha512,
};

thread_local! {
    /// Allocations of this thread: the test harness has others.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counted.
struct Counting;

impl Counting {
    fn count(&self) {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
    }
}

// SAFETY: everything is left to the system's allocator; the counter itself does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count();
        // SAFETY: the arguments fulfil the contract of `GlobalAlloc`, which `System` has, too.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.count();
        // SAFETY: the arguments fulfil the contract of `GlobalAlloc`, which `System` has, too.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.count();
        // SAFETY: the arguments fulfil the contract of `GlobalAlloc`, which `System` has, too.
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the arguments fulfil the contract of `GlobalAlloc`, which `System` has, too.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocations of this thread in a call.
pub fn allocations(call: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    call();
    ALLOCATIONS.get() - before
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| drop(vec![1])), 1);
}

/// Jobs that go through each manager again and again.
const JOBS: usize = if cfg!(miri) { 100 } else { 3000 };

/// Makes jobs of mixed lengths, none of which allocates, and sends them through each manager.
fn check<J: Job>(what: &str, mut job: impl FnMut(usize) -> J) {
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        let mut burst: [J; 64] = std::array::from_fn(&mut job);
        let count = allocations(|| {
            for start in (0..JOBS).step_by(burst.len()) {
                burst.iter_mut().enumerate().for_each(|(i, slot)| *slot = job(start + i));
                planner.process_many(&mut burst);
            }
        });
        assert_eq!(count, 0, "{what}: planner, {}", cpu.isa());

        let mut out_of_order = OutOfOrder::new(&cpu, 64);
        let count = allocations(|| {
            (0..JOBS).for_each(|i| drop(out_of_order.submit(job(i))));
            while out_of_order.flush().is_some() {}
        });
        assert_eq!(count, 0, "{what}: out of order, {}", cpu.isa());

        let mut in_order = InOrder::new(&cpu, 64);
        let count = allocations(|| {
            (0..JOBS).for_each(|i| drop(in_order.submit(job(i))));
            while in_order.flush().is_some() {}
        });
        assert_eq!(count, 0, "{what}: in order, {}", cpu.isa());
    }
}

#[test]
fn hashes_allocate_nothing() {
    fn hmac<A: Reference>(data: &[u8]) {
        let key = HmacKey::<A>::new(b"key");
        check(A::NAME, |i| HashJob::hmac(&key, &data[..i * 31 % data.len()], i));
    }
    let data = bytes(1, 1000);
    hmac::<Sha1>(&data);
    hmac::<Sha512>(&data);
}

#[test]
fn ciphers_allocate_nothing() {
    let keys = [16, 24, 32].map(|len| AesKey::new(&bytes(2, len)).expect("a good length"));
    // A vector needs no memory until it has bytes; those that are in flight are made beforehand.
    let mut buffers: Vec<Vec<u8>> =
        (0..4 * JOBS * cpus().len()).map(|i| bytes(i, i * 7 % 40 * 16)).collect();
    check("aes-cbc", |i| {
        let buffer = buffers.pop().expect("enough of them");
        let make = if i % 4 == 3 { CbcJob::decrypt } else { CbcJob::encrypt };
        make(&keys[i % 3], [i as u8; 16], buffer, ()).expect("whole blocks")
    });
}

/// A planner is made for each call, and a list of what to process: what is counted besides is none.
#[test]
fn packets_allocate_nothing() {
    fn all<M: Mode>() {
        for cpu in cipher_cpus() {
            let key = || M::key(&bytes(1, 16));
            let keys: Vec<_> = (0..100).map(|_| key()).collect();
            let of = |count: usize| {
                let messages: Vec<_> =
                    (0..count).map(|i| Message::new::<M>(i, 16, i * 29 % 900)).collect();
                let mut texts: Vec<_> =
                    messages.iter().map(|message| message.plain.clone()).collect();
                let mut tags = vec![[0; 16]; count];
                let all = messages.iter().zip(&mut texts).zip(&mut tags);
                let views = all.map(|((message, text), tag)| View {
                    nonce: &message.nonce,
                    associated: &message.associated,
                    text: Text::InPlace(text),
                    tag,
                });
                let views: Vec<_> = views.collect();
                allocations(|| M::process(&cpu, &keys, views))
            };
            // A key of GCM allocates when it first meets a long message.
            of(100);
            assert_eq!(of(100), of(1), "{} on {}", M::NAME, cpu.isa());
        }
    }
    every_mode!(all());
}

#[test]
fn kasumi_allocates_nothing() {
    let messages: Vec<_> = (0..300).map(|i| KasumiMessage::new(i, i * 29 % 900)).collect();
    for cpu in isas() {
        let mut planner = Planner::new(&cpu);
        let mut texts: Vec<_> = messages.iter().map(|message| message.text.clone()).collect();
        let mut tags = vec![[0; 4]; messages.len()];
        let count = allocations(|| {
            let all = messages.iter().zip(&mut texts).zip(&mut tags);
            planner.process_each(all.flat_map(|((message, text), tag)| {
                [message.f8(text), message.f9(&message.text, tag)]
            }));
        });
        assert_eq!(count, 0, "on {}", cpu.isa());
    }
}

#[test]
fn rc4_allocates_nothing() {
    let key = broadloom_lanes::Rc4Key::new(b"a key").expect("a good length");
    for cpu in isas() {
        let mut planner = Planner::new(&cpu);
        let mut texts: Vec<_> = (0..30).map(|i| bytes(i, i * 29 % 900)).collect();
        let count = allocations(|| {
            planner
                .process_each(texts.iter_mut().map(|text| broadloom_lanes::Loan::rc4(&key, text)));
        });
        assert_eq!(count, 0, "on {}", cpu.isa());
    }
}
