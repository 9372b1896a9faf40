//! The tracer: runs code of this program block by block, and records every branch and every
//! address.
//!
//! A block of instructions, up to the next branch, is copied to a cache. Before every instruction
//! that uses memory the copy stores the registers which make the address. At its end is a
//! breakpoint, whose signal handler adds the block and the stored registers to the record, works
//! out where the branch leads, and goes on with the copy of the block there. Nothing of the
//! original code is changed.
//!
//! What is recorded: the address of every block, the registers that make the address of every
//! access, the stack pointer, and the operands of divisions, whose time depends on them. Runs are
//! forked from one process, so that buffers have the same addresses in all of them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::Relaxed};

use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, ConditionCode, Decoder, DecoderOptions, FlowControl,
    Instruction, InstructionBlock, MemoryOperand, Mnemonic, OpKind, Register,
};

use crate::secrets;

/// Runs of a check, each with other secrets.
const RUNS: usize = 3;

/// Entries that a record has room for.
const ENTRIES: usize = 1 << 22;

/// Instructions of the longest block.
const LONGEST: usize = 64;

/// Registers that a block may store.
const SLOTS: usize = 4 * LONGEST;

/// Bytes of a part of the cache.
const REGION: usize = 4 << 20;

/// Bytes at the start of a region where blocks store registers.
const SLOT_BYTES: usize = 8 * SLOTS;

/// One block as it was executed.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
struct Entry {
    block: u64,
    registers: u64,
}

/// What a run leaves to the parent process.
#[repr(C)]
struct Record {
    count: usize,
    made: u64,
    reached: bool,
    complete: bool,
    entries: [Entry; ENTRIES],
}

/// Where a block ends.
#[derive(Clone, Copy)]
enum End {
    Goto(u64),
    If { last: Instruction, taken: u64, next: u64 },
    Call { target: u64, next: u64 },
    Jump(Instruction),
    CallTo(Instruction, u64),
    Return { popped: u64 },
    Stop(u64),
}

#[derive(Clone, Copy)]
struct Block {
    /// Where the original is.
    original: u64,
    /// Where the copy is, and the breakpoint at its end.
    copy: u64,
    breakpoint: u64,
    /// Where registers are stored, and how many.
    slots: u64,
    stored: usize,
    end: End,
}

/// A part of the cache.
struct Region {
    base: u64,
    used: usize,
}

/// All that the signal handler works with.
pub struct Tracer {
    blocks: Vec<Block>,
    /// Numbers of blocks by a hash of their addresses, plus one; zero where there is none.
    places: Vec<u32>,
    regions: Vec<Region>,
    current: usize,
    active: bool,
    records: Vec<*mut Record>,
    recording: Option<*mut Record>,
}

static TRACER: AtomicPtr<Tracer> = AtomicPtr::new(ptr::null_mut());

/// Runs a closure under the tracer, if it is to be observed just now.
pub fn record<R>(run: impl FnOnce() -> R) -> R {
    if TRACER.load(Relaxed).is_null() {
        return run();
    }
    // SAFETY: a breakpoint, whose signal is handled; it changes nothing.
    unsafe { core::arch::asm!("int3") };
    let result = run();
    // SAFETY: the same.
    unsafe { core::arch::asm!("int3") };
    result
}

impl Tracer {
    /// Sets up the handler.
    ///
    /// # Errors
    /// The system refuses memory that can be executed, or another handler.
    pub fn new() -> Result<Self, String> {
        let mut records = Vec::new();
        for _ in 0..RUNS {
            let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: new memory, wherever there is room.
            let at =
                unsafe { libc::mmap(ptr::null_mut(), size_of::<Record>(), rights, flags, -1, 0) };
            if at == libc::MAP_FAILED {
                return Err("no memory for the records of runs".to_owned());
            }
            records.push(at.cast());
        }
        prepare_decoder();
        install_handler()?;
        Ok(Tracer {
            blocks: Vec::with_capacity(1 << 17),
            places: vec![0; 1 << 19],
            regions: Vec::with_capacity(64),
            current: 0,
            active: false,
            records,
            recording: None,
        })
    }

    /// Runs a check with several secrets, and returns where the records differ.
    pub fn observe(&mut self, run: impl Fn() -> bool) -> Vec<String> {
        // What is set up once is set up before, and most of the blocks are copied.
        secrets::begin(0);
        self.recording = None;
        TRACER.store(self, Relaxed);
        run();
        TRACER.store(ptr::null_mut(), Relaxed);
        for number in 0..RUNS {
            if let Err(error) = self.fork(number, &run) {
                return vec![error];
            }
        }
        self.compare()
    }

    /// One run, in a process of its own.
    fn fork(&mut self, number: usize, run: &impl Fn() -> bool) -> Result<(), String> {
        let record = self.records[number];
        // SAFETY: the program has a single thread, and the child ends without running anything of
        // the parent's.
        let child = unsafe { libc::fork() };
        match child {
            0 => {
                secrets::begin(number);
                // SAFETY: the record is mapped, and only this process uses it now.
                unsafe { ((*record).count, (*record).complete) = (0, false) };
                self.recording = Some(record);
                TRACER.store(self, Relaxed);
                let reached = run();
                TRACER.store(ptr::null_mut(), Relaxed);
                // SAFETY: the same.
                unsafe {
                    ((*record).made, (*record).reached) = (secrets::made(), reached);
                    (*record).complete = true;
                    libc::_exit(0)
                }
            }
            -1 => Err("a process could not be forked".to_owned()),
            child => {
                let mut status = 0;
                // SAFETY: the status is writable.
                let ended = unsafe { libc::waitpid(child, &mut status, 0) };
                // SAFETY: the child is gone.
                let complete = unsafe { (*record).complete };
                match ended == child && status == 0 && complete {
                    true => Ok(()),
                    false => Err(format!("run {number} ended with wait status {status:#x}")),
                }
            }
        }
    }

    fn compare(&self) -> Vec<String> {
        // SAFETY: the children that wrote to the records are gone; entries up to the count were
        // written.
        let runs: Vec<(&Record, &[Entry])> = unsafe {
            let records = self.records.iter().map(|record| &**record);
            records.map(|record| (record, &record.entries[..record.count])).collect()
        };
        let (first, entries) = runs[0];
        if entries.is_empty() {
            return vec!["nothing was recorded".to_owned()];
        }
        let mut found = Vec::new();
        for (number, (_, others)) in runs.iter().enumerate().skip(1) {
            if *others == entries {
                continue;
            }
            let pairs = entries.iter().zip(*others);
            let at = pairs.take_while(|(one, other)| one == other).count();
            let block = |entries: &[Entry], at: usize| entries.get(at).map(|entry| entry.block);
            let finding = match (block(entries, at), block(others, at)) {
                (one, other) if one != other => {
                    let place = at.checked_sub(1).and_then(|at| block(entries, at));
                    format!("a branch depends on secrets: at the end of {}", place_of(place))
                }
                (one, _) => format!("an address depends on secrets: in {}", place_of(one)),
            };
            found.push(format!("{finding} (run {number}, block {at})"));
        }
        if runs.iter().any(|(run, _)| !run.reached) {
            found.push("what it wrote does not depend on secrets".to_owned());
        }
        if runs.iter().skip(1).any(|(run, _)| run.made == first.made && first.made != 0) {
            found.push("what it wrote is the same for all secrets".to_owned());
        }
        found
    }

    /// The number of a block, which is copied if it is new.
    fn block_at(&mut self, original: u64) -> usize {
        let mut place = original.wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 20;
        loop {
            place %= self.places.len();
            match self.places[place] {
                0 => break,
                number if self.blocks[number as usize - 1].original == original => {
                    return number as usize - 1;
                }
                _ => place += 1,
            }
        }
        if self.blocks.len() == self.blocks.capacity() {
            fail("too many blocks");
        }
        let block = self.copy(original);
        self.blocks.push(block);
        self.places[place] = self.blocks.len() as u32;
        self.blocks.len() - 1
    }

    /// Copies a block into the cache.
    fn copy(&mut self, original: u64) -> Block {
        let (region, base) = self.region_near(original);
        let at = base + self.regions[region].used as u64;
        // SAFETY: the processor is about to execute these bytes. An instruction that ends a block
        // comes before the code does.
        let bytes = unsafe { std::slice::from_raw_parts(original as *const u8, 16 * LONGEST) };
        let mut decoder = Decoder::with_ip(64, bytes, original, DecoderOptions::NONE);
        let mut copy: Vec<Instruction> = Vec::with_capacity(8 * LONGEST);
        let mut stored = 0;
        let mut store = |copy: &mut Vec<Instruction>, register: Register| {
            let to = base + 8 * stored as u64;
            stored += 1;
            let to = MemoryOperand::with_base_displ(Register::RIP, to as i64);
            copy.push(Instruction::with2(Code::Mov_rm64_r64, to, register).expect("a store"));
        };
        let mut taken = 0;
        let end = loop {
            let instruction = decoder.decode();
            let next = instruction.next_ip();
            if instruction.is_invalid() {
                fail(&format!("an instruction at {:#x} is not known", instruction.ip()));
            }
            for register in address_registers(&instruction) {
                store(&mut copy, register);
            }
            let normal = instruction.flow_control() == FlowControl::Next
                || matches!(instruction.code(), Code::Syscall);
            if !normal {
                break end(&instruction, next);
            }
            copy.push(instruction);
            taken += 1;
            if taken == LONGEST {
                break End::Goto(next);
            }
        };
        copy.push(Instruction::with(Code::Int3));
        let block = InstructionBlock::new(&copy, at);
        let code = match BlockEncoder::encode(64, block, BlockEncoderOptions::NONE) {
            Ok(encoded) => encoded.code_buffer,
            Err(error) => fail(&format!("the block at {original:#x} cannot be copied: {error}")),
        };
        // SAFETY: `region_near` made sure that the region has room for the longest block.
        unsafe { ptr::copy_nonoverlapping(code.as_ptr(), at as *mut u8, code.len()) };
        self.regions[region].used += code.len().next_multiple_of(16);
        let breakpoint = at + code.len() as u64 - 1;
        Block { original, copy: at, breakpoint, slots: base, stored, end }
    }

    /// A region that code at an address can be copied to: what the code refers to is within 2 GiB
    /// of either.
    fn region_near(&mut self, address: u64) -> (usize, u64) {
        const NEAR: u64 = 1 << 30;
        const ROOM: usize = 64 * LONGEST;
        let fits =
            |region: &Region| region.base.abs_diff(address) < NEAR && region.used + ROOM <= REGION;
        if let Some(at) = self.regions.iter().position(fits) {
            return (at, self.regions[at].base);
        }
        let rights = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        for step in 1..64 {
            let Some(hint) = (address & !(REGION as u64 - 1)).checked_sub(step * (8 << 20)) else {
                break;
            };
            // SAFETY: nothing that is mapped is replaced.
            let at = unsafe { libc::mmap(hint as *mut _, REGION, rights, flags, -1, 0) };
            if at as u64 == hint {
                self.regions.push(Region { base: hint, used: SLOT_BYTES });
                return (self.regions.len() - 1, hint);
            }
        }
        fail(&format!("no memory for code near {address:#x}"))
    }

    /// Adds the block that was executed to the record.
    fn note(&self, registers: &Registers) {
        let block = &self.blocks[self.current];
        let Some(record) = self.recording else { return };
        let mut sum = mixed(0, registers.get(Register::RSP));
        for slot in 0..block.stored {
            // SAFETY: the copy has stored a register there.
            sum = mixed(sum, unsafe { (block.slots as *const u64).add(slot).read() });
        }
        // SAFETY: the record is this process's.
        unsafe {
            let count = (*record).count;
            if count == ENTRIES {
                fail("the record is full");
            }
            (*record).entries[count] = Entry { block: block.original, registers: sum };
            (*record).count = count + 1;
        }
    }

    /// After a breakpoint: where the program goes on.
    fn trapped(&mut self, registers: &mut Registers) {
        let at = registers.get(Register::RIP);
        let next = if self.active {
            let block = self.blocks[self.current];
            if block.breakpoint != at - 1 {
                fail(&format!("a breakpoint at {at:#x} is not the tracer's"));
            }
            self.note(registers);
            match leave(&block, registers) {
                Ok(next) => next,
                Err(end) => {
                    self.active = false;
                    registers.set(Register::RIP, end);
                    return;
                }
            }
        } else {
            at
        };
        self.active = true;
        self.current = self.block_at(next);
        registers.set(Register::RIP, self.blocks[self.current].copy);
    }
}

fn mixed(sum: u64, value: u64) -> u64 {
    (sum.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Follows the end of a block. Where tracing ends, where the program goes on by itself.
fn leave(block: &Block, registers: &mut Registers) -> Result<u64, u64> {
    let push = |registers: &mut Registers, value: u64| {
        let to = registers.get(Register::RSP) - 8;
        // SAFETY: the program is about to push a return address there.
        unsafe { (to as *mut u64).write(value) };
        registers.set(Register::RSP, to);
    };
    Ok(match block.end {
        End::Goto(next) => next,
        End::If { last, taken, next } => match registers.takes(&last) {
            true => taken,
            false => next,
        },
        End::Call { target, next } => {
            push(registers, next);
            target
        }
        End::Jump(last) => registers.target(&last),
        End::CallTo(last, next) => {
            let target = registers.target(&last);
            push(registers, next);
            target
        }
        End::Return { popped } => {
            let from = registers.get(Register::RSP);
            registers.set(Register::RSP, from + 8 + popped);
            // SAFETY: the program is about to pop its return address.
            unsafe { (from as *const u64).read() }
        }
        End::Stop(next) => return Err(next),
    })
}

/// Returns what the last instruction of a block does.
fn end(last: &Instruction, next: u64) -> End {
    match last.flow_control() {
        FlowControl::UnconditionalBranch => End::Goto(last.near_branch_target()),
        FlowControl::ConditionalBranch => {
            if last.condition_code() == ConditionCode::None && !last.is_jcx_short() {
                fail(&format!("a loop instruction at {:#x} is not followed", last.ip()));
            }
            End::If { last: *last, taken: last.near_branch_target(), next }
        }
        FlowControl::Call => End::Call { target: last.near_branch_target(), next },
        FlowControl::IndirectBranch => End::Jump(*last),
        FlowControl::IndirectCall => End::CallTo(*last, next),
        FlowControl::Return => {
            let popped = if last.op_count() == 1 { last.immediate(0) } else { 0 };
            End::Return { popped }
        }
        FlowControl::Interrupt if last.code() == Code::Int3 => End::Stop(next),
        other => fail(&format!("{other:?} at {:#x} is not followed", last.ip())),
    }
}

/// Registers that make the address of what an instruction reads or writes, and the operands of a
/// division.
fn address_registers(instruction: &Instruction) -> impl Iterator<Item = Register> + use<> {
    let mut registers = [Register::None; 6];
    let mut count = 0;
    let mut add = |register: Register| {
        if register.is_gpr() {
            registers[count] = register.full_register();
            count += 1;
        }
    };
    let computes = matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Nop);
    for operand in 0..instruction.op_count() {
        match instruction.op_kind(operand) {
            OpKind::Memory if !computes => {
                if instruction.is_vsib() {
                    fail(&format!("a gather at {:#x} is not followed", instruction.ip()));
                }
                add(instruction.memory_base());
                add(instruction.memory_index());
            }
            OpKind::MemorySegSI | OpKind::MemorySegESI | OpKind::MemorySegRSI => add(Register::RSI),
            OpKind::MemorySegDI
            | OpKind::MemorySegEDI
            | OpKind::MemorySegRDI
            | OpKind::MemoryESDI
            | OpKind::MemoryESEDI
            | OpKind::MemoryESRDI => add(Register::RDI),
            _ => {}
        }
    }
    if instruction.has_rep_prefix() || instruction.has_repne_prefix() {
        add(Register::RCX);
    }
    if matches!(instruction.mnemonic(), Mnemonic::Div | Mnemonic::Idiv) {
        add(Register::RAX);
        add(Register::RDX);
        if instruction.op0_kind() == OpKind::Register {
            add(instruction.op0_register());
        }
    }
    registers.into_iter().take(count)
}

/// The registers of the program at a breakpoint.
struct Registers<'c>(&'c mut libc::ucontext_t);

impl Registers<'_> {
    fn place(register: Register) -> usize {
        let place = match register {
            Register::RAX => libc::REG_RAX,
            Register::RBX => libc::REG_RBX,
            Register::RCX => libc::REG_RCX,
            Register::RDX => libc::REG_RDX,
            Register::RSI => libc::REG_RSI,
            Register::RDI => libc::REG_RDI,
            Register::RBP => libc::REG_RBP,
            Register::RSP => libc::REG_RSP,
            Register::R8 => libc::REG_R8,
            Register::R9 => libc::REG_R9,
            Register::R10 => libc::REG_R10,
            Register::R11 => libc::REG_R11,
            Register::R12 => libc::REG_R12,
            Register::R13 => libc::REG_R13,
            Register::R14 => libc::REG_R14,
            Register::R15 => libc::REG_R15,
            Register::RIP => libc::REG_RIP,
            other => fail(&format!("{other:?} is not a register that is followed")),
        };
        place as usize
    }

    fn get(&self, register: Register) -> u64 {
        self.0.uc_mcontext.gregs[Self::place(register)] as u64
    }

    fn set(&mut self, register: Register, value: u64) {
        self.0.uc_mcontext.gregs[Self::place(register)] = value as i64;
    }

    /// Returns `true` if a conditional branch is taken.
    fn takes(&self, branch: &Instruction) -> bool {
        let flags = self.0.uc_mcontext.gregs[libc::REG_EFL as usize];
        let [carry, parity, zero, sign, overflow] =
            [0, 2, 6, 7, 11].map(|bit| flags >> bit & 1 == 1);
        match branch.condition_code() {
            ConditionCode::None => match branch.code() {
                Code::Jrcxz_rel8_64 => self.get(Register::RCX) == 0,
                _ => self.get(Register::RCX) as u32 == 0,
            },
            ConditionCode::o => overflow,
            ConditionCode::no => !overflow,
            ConditionCode::b => carry,
            ConditionCode::ae => !carry,
            ConditionCode::e => zero,
            ConditionCode::ne => !zero,
            ConditionCode::be => carry || zero,
            ConditionCode::a => !carry && !zero,
            ConditionCode::s => sign,
            ConditionCode::ns => !sign,
            ConditionCode::p => parity,
            ConditionCode::np => !parity,
            ConditionCode::l => sign != overflow,
            ConditionCode::ge => sign == overflow,
            ConditionCode::le => zero || sign != overflow,
            ConditionCode::g => !zero && sign == overflow,
        }
    }

    /// Returns the address that an indirect branch leads to.
    fn target(&self, branch: &Instruction) -> u64 {
        match branch.op0_kind() {
            OpKind::Register => self.get(branch.op0_register()),
            _ => {
                let address = branch.virtual_address(0, 0, |register, _, _| match register {
                    Register::ES | Register::CS | Register::SS | Register::DS => Some(0),
                    register if register.is_gpr64() => Some(self.get(register)),
                    _ => None,
                });
                match address {
                    // SAFETY: the program is about to read where it goes.
                    Some(address) => unsafe { (address as *const u64).read_unaligned() },
                    None => fail(&format!("a branch at {:#x} is not followed", branch.ip())),
                }
            }
        }
    }
}

/// Has the tables of decoder and encoder made, which are kept: memory of the handler's is not.
fn prepare_decoder() {
    let vector_code = [0x62, 0xf1, 0x7d, 0x48, 0xef, 0xc0, 0xc5, 0xfd, 0xef, 0xc0, 0x90];
    let instructions: Vec<_> =
        Decoder::with_ip(64, &vector_code, 0x1000, DecoderOptions::NONE).iter().collect();
    let block = InstructionBlock::new(&instructions, 0x1000);
    BlockEncoder::encode(64, block, BlockEncoderOptions::NONE).expect("instructions as decoded");
}

/// Installs the handler, on a stack of its own.
fn install_handler() -> Result<(), String> {
    const STACK: usize = 1 << 20;
    let stack = Box::leak(vec![0u8; STACK].into_boxed_slice());
    let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK };
    // SAFETY: the stack is never freed, and the handler has the signature that the flags say.
    let failed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaltstack(&stack, ptr::null_mut()) != 0
            || libc::sigaction(libc::SIGTRAP, &action, ptr::null_mut()) != 0
    };
    if failed { Err("no handler for breakpoints".to_owned()) } else { Ok(()) }
}

extern "C" fn handle(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    IN_HANDLER.store(true, Relaxed);
    let tracer = TRACER.load(Relaxed);
    if tracer.is_null() {
        fail("a breakpoint while nothing is observed");
    }
    // SAFETY: the tracer and the context are valid, and the program does not go on meanwhile.
    unsafe { (*tracer).trapped(&mut Registers(&mut *context.cast())) };
    ARENA.used.store(0, Relaxed);
    IN_HANDLER.store(false, Relaxed);
}

/// Ends the program from within the handler.
fn fail(message: &str) -> ! {
    eprintln!("broadloom-constant-time: the tracer: {message}");
    // SAFETY: it ends the process.
    unsafe { libc::_exit(3) }
}

/// Names the function of a block, where `addr2line` is there to ask.
fn place_of(block: Option<u64>) -> String {
    let Some(block) = block else { return "the start".to_owned() };
    // SAFETY: all zeros are an answer; it is written to.
    let (found, info) = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        (libc::dladdr(block as *const _, &mut info) != 0, info)
    };
    if !found || info.dli_fname.is_null() {
        return format!("{block:#x}");
    }
    // SAFETY: the loader's name of the file, which ends with a zero.
    let file = unsafe { std::ffi::CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned();
    let offset = format!("{:#x}", block - info.dli_fbase as u64);
    let asked = Command::new("addr2line").args(["-Cfe", &file, &offset]).output();
    let function = asked.ok().filter(|answer| answer.status.success()).and_then(|answer| {
        Some(String::from_utf8_lossy(&answer.stdout).lines().next()?.to_owned())
    });
    format!("{} ({file}+{offset})", function.unwrap_or_else(|| "a function".to_owned()))
}

/// Memory for the handler, which may have interrupted the program's allocator.
struct Arena {
    bytes: UnsafeCell<[u8; ARENA_LEN]>,
    used: AtomicUsize,
}

const ARENA_LEN: usize = 8 << 20;

// SAFETY: only the handler uses it, of which there is one at a time.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena { bytes: UnsafeCell::new([0; ARENA_LEN]), used: AtomicUsize::new(0) };
static IN_HANDLER: AtomicBool = AtomicBool::new(false);

/// The program's allocator: the system's, and within the handler an arena that is empty again at
/// its end.
pub struct Allocator;

// SAFETY: memory of either kind is valid until it is freed; the handler keeps none of the arena's.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !IN_HANDLER.load(Relaxed) {
            // SAFETY: `layout` fulfils the contract of `GlobalAlloc::alloc`, which `System` has,
            // too.
            return unsafe { System.alloc(layout) };
        }
        let start = ARENA.bytes.get() as usize;
        let at = (start + ARENA.used.load(Relaxed)).next_multiple_of(layout.align());
        let end = at + layout.size() - start;
        if end > ARENA_LEN {
            return ptr::null_mut();
        }
        ARENA.used.store(end, Relaxed);
        at as *mut u8
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        let start = ARENA.bytes.get() as usize;
        if !(start..start + ARENA_LEN).contains(&(at as usize)) {
            // SAFETY: the memory lies outside the arena, so that `System` allocated it, with this
            // layout, by the contract of `GlobalAlloc::dealloc`.
            unsafe { System.dealloc(at, layout) };
        }
    }
}
