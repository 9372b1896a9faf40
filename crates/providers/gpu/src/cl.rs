//! OpenCL 1.2, found at run time: its functions, and types over them that are safe to use.
//!
//! This file alone calls foreign functions. What makes its types safe: a [`Stream`] owns all memory
//! that its commands read and write, and is moved into a [`Flight`] for as long as they run.

use std::ffi::{CString, c_char, c_void};
use std::fmt;
use std::mem;
use std::ptr;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::*};
use std::time::Duration;

use broadloom_loader::{self as loader, Library, find};

use crate::signal::Signal;

/// Names of the library's file: the loader of installable drivers, or a driver alone.
const NAMES: &[&str] = match () {
    () if cfg!(target_os = "macos") => &["/System/Library/Frameworks/OpenCL.framework/OpenCL"],
    () if cfg!(windows) => &["OpenCL.dll"],
    () => &["libOpenCL.so.1"],
};

/// Work items of a work group.
pub(crate) const GROUP: usize = 32;

type Handle = *mut c_void;
type Notify = unsafe extern "system" fn(Handle, i32, *mut c_void);
type Unused = *const c_void;

macro_rules! functions {
    ($($field:ident = $name:literal ($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions, and what keeps their code mapped.
        struct Functions {
            $($field: unsafe extern "system" fn($($argument),*) -> $result,)*
            _library: Library,
        }

        impl Functions {
            /// Finds the functions, or names the first that the library lacks.
            fn with(library: Library) -> Result<Functions, &'static str> {
                // SAFETY: these are the functions' types in the headers of OpenCL 1.2, which later
                // versions did not change.
                unsafe {
                    Ok(Functions { $($field: find(&library, $name)?,)* _library: library })
                }
            }
        }
    };
}

functions! {
    platforms = "clGetPlatformIDs"(u32, *mut Handle, *mut u32) -> i32;
    platform_info = "clGetPlatformInfo"(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    devices = "clGetDeviceIDs"(Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    device_info = "clGetDeviceInfo"(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    context = "clCreateContext"(*const isize, u32, *const Handle, Unused, Unused, *mut i32)
        -> Handle;
    release_context = "clReleaseContext"(Handle) -> i32;
    queue = "clCreateCommandQueue"(Handle, Handle, u64, *mut i32) -> Handle;
    release_queue = "clReleaseCommandQueue"(Handle) -> i32;
    buffer = "clCreateBuffer"(Handle, u64, usize, *mut c_void, *mut i32) -> Handle;
    release_memory = "clReleaseMemObject"(Handle) -> i32;
    map = "clEnqueueMapBuffer"(
        Handle, Handle, u32, u64, usize, usize, u32, *const Handle, *mut Handle, *mut i32
    ) -> *mut c_void;
    unmap = "clEnqueueUnmapMemObject"(
        Handle, Handle, *mut c_void, u32, *const Handle, *mut Handle
    ) -> i32;
    write = "clEnqueueWriteBuffer"(
        Handle, Handle, u32, usize, usize, *const c_void, u32, *const Handle, *mut Handle
    ) -> i32;
    read = "clEnqueueReadBuffer"(
        Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle
    ) -> i32;
    fill = "clEnqueueFillBuffer"(
        Handle, Handle, *const c_void, usize, usize, usize, u32, *const Handle, *mut Handle
    ) -> i32;
    program = "clCreateProgramWithSource"(
        Handle, u32, *const *const c_char, *const usize, *mut i32
    ) -> Handle;
    build = "clBuildProgram"(Handle, u32, *const Handle, *const c_char, Unused, Unused) -> i32;
    build_info = "clGetProgramBuildInfo"(
        Handle, Handle, u32, usize, *mut c_void, *mut usize
    ) -> i32;
    release_program = "clReleaseProgram"(Handle) -> i32;
    kernel = "clCreateKernel"(Handle, *const c_char, *mut i32) -> Handle;
    release_kernel = "clReleaseKernel"(Handle) -> i32;
    argument = "clSetKernelArg"(Handle, u32, usize, *const c_void) -> i32;
    run = "clEnqueueNDRangeKernel"(
        Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle,
        *mut Handle
    ) -> i32;
    flush = "clFlush"(Handle) -> i32;
    finish = "clFinish"(Handle) -> i32;
    callback = "clSetEventCallback"(Handle, i32, Notify, *mut c_void) -> i32;
    profile = "clGetEventProfilingInfo"(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    release_event = "clReleaseEvent"(Handle) -> i32;
    user_event = "clCreateUserEvent"(Handle, *mut i32) -> Handle;
    set_user_event = "clSetUserEventStatus"(Handle, i32) -> i32;
}

/// A function of OpenCL failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClError {
    /// The function.
    pub call: &'static str,
    /// Its number for it.
    pub code: i32,
    /// More about it, such as what a compiler said.
    pub detail: String,
}

impl fmt::Display for ClError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.code {
            -1 => "device not found",
            -2 => "device not available",
            -4 => "memory object allocation failure",
            -5 => "out of resources",
            -6 => "out of host memory",
            -11 => "build program failure",
            _ => "an error",
        };
        write!(f, "{} failed: {name} ({}){}", self.call, self.code, self.detail)
    }
}

fn check(call: &'static str, code: i32) -> Result<(), ClError> {
    match code {
        0 => Ok(()),
        code => Err(ClError { call, code, detail: String::new() }),
    }
}

/// Calls a function that makes something and says how that went at its last argument.
fn make(call: &'static str, with: impl FnOnce(*mut i32) -> Handle) -> Result<Handle, ClError> {
    let mut code = 0;
    let made = with(&mut code);
    check(call, code)?;
    match made.is_null() {
        true => Err(ClError { call, code: -5, detail: String::new() }),
        false => Ok(made),
    }
}

/// The library, opened. A clone is the same library.
#[derive(Clone)]
pub(crate) struct Api(Arc<Functions>);

/// A device of any platform.
#[derive(Clone)]
pub(crate) struct Found {
    /// Of GPUs, CPUs or others.
    pub kind: DeviceKind,
    pub name: String,
    pub platform: String,
    pub version: String,
    /// Compute units: processors that run work groups side by side.
    pub units: u32,
    /// Bytes of the largest buffer.
    pub largest: u64,
    handle: Handle,
    home: Handle,
}

/// What a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DeviceKind {
    Gpu,
    Other,
    Cpu,
}

// SAFETY: handles of OpenCL may be used on any thread (OpenCL 1.2, A.2); a kernel's arguments are
// set by its owner alone.
unsafe impl Send for Found {}
// SAFETY: as above.
unsafe impl Sync for Found {}

impl Api {
    /// Opens the library.
    ///
    /// # Errors
    /// It is not installed, or lacks a function.
    pub fn load() -> Result<Api, String> {
        // SAFETY: the names are those of a well-known library whose initialisers prepare only
        // itself and may run on any thread.
        let (library, name) = unsafe { loader::open(NAMES) }?;
        let functions = Functions::with(library)
            .map_err(|function| format!("{name} lacks the function {function}"))?;
        Ok(Api(Arc::new(functions)))
    }

    /// All devices: GPUs first, CPUs last.
    pub fn devices(&self) -> Vec<Found> {
        let all = 0xffff_ffff;
        // SAFETY: the function writes at most as many handles as it is told.
        let list = |count, at, found| unsafe { (self.0.platforms)(count, at, found) };
        let mut devices = Vec::new();
        for home in handles(list) {
            // SAFETY: as above; the platform is one of those just listed.
            let list = |count, at, found| unsafe { (self.0.devices)(home, all, count, at, found) };
            devices.extend(handles(list).into_iter().map(|handle| self.found(home, handle)));
        }
        devices.sort_by_key(|device| device.kind);
        devices
    }

    fn found(&self, home: Handle, handle: Handle) -> Found {
        // SAFETY: the function writes at most as many bytes as it is told.
        let device =
            |what, len, at, used| unsafe { (self.0.device_info)(handle, what, len, at, used) };
        // SAFETY: as above.
        let platform =
            |what, len, at, used| unsafe { (self.0.platform_info)(home, what, len, at, used) };
        let number = |what| {
            let mut bytes = info(device, what);
            bytes.resize(8, 0);
            u64::from_ne_bytes(bytes[..8].try_into().expect("eight bytes"))
        };
        let kind = number(0x1000);
        Found {
            kind: match (kind & 4 != 0, kind & 2 != 0) {
                (true, _) => DeviceKind::Gpu,
                (_, true) => DeviceKind::Cpu,
                _ => DeviceKind::Other,
            },
            name: text(info(device, 0x102b)),
            platform: text(info(platform, 0x0902)),
            version: text(info(device, 0x102f)),
            units: number(0x1002) as u32,
            largest: number(0x1010),
            handle,
            home,
        }
    }
}

/// Asks for a list twice: for its length, and for the handles.
fn handles(list: impl Fn(u32, *mut Handle, *mut u32) -> i32) -> Vec<Handle> {
    let mut count = 0;
    // A platform without devices says so by an error.
    if list(0, ptr::null_mut(), &mut count) != 0 {
        return Vec::new();
    }
    let mut handles = vec![ptr::null_mut(); count as usize];
    if list(count, handles.as_mut_ptr(), ptr::null_mut()) != 0 {
        return Vec::new();
    }
    handles
}

/// Asks for a property twice: for its length, and for its bytes. None where it is not known.
fn info(ask: impl Fn(u32, usize, *mut c_void, *mut usize) -> i32, what: u32) -> Vec<u8> {
    let mut len = 0;
    if ask(what, 0, ptr::null_mut(), &mut len) != 0 {
        return Vec::new();
    }
    let mut bytes = vec![0; len];
    match ask(what, len, bytes.as_mut_ptr().cast(), ptr::null_mut()) {
        0 => bytes,
        _ => Vec::new(),
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim().to_owned()
}

/// A handle with what it needs to be released.
struct Owned {
    handle: Handle,
    api: Api,
    release: fn(&Functions) -> unsafe extern "system" fn(Handle) -> i32,
}

// SAFETY: handles of OpenCL may be used on any thread (OpenCL 1.2, A.2); a kernel's arguments are
// set by its owner alone.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the handle is this value's own, and is used no more. What commands still use
        // lives on until they end.
        let _ = unsafe { ((self.release)(&self.api.0))(self.handle) };
    }
}

/// A device that is in use.
pub(crate) struct Context {
    raw: Owned,
    device: Found,
    api: Api,
}

impl Context {
    /// # Errors
    /// The driver cannot.
    pub fn new(api: &Api, device: &Found) -> Result<Context, ClError> {
        let properties = [0x1084, device.home as isize, 0];
        let handle = make("clCreateContext", |code| {
            // SAFETY: the list of properties ends with 0, and there is one device.
            unsafe {
                let (properties, device) = (properties.as_ptr(), &raw const device.handle);
                (api.0.context)(properties, 1, device, ptr::null(), ptr::null(), code)
            }
        })?;
        let raw = Owned { handle, api: api.clone(), release: |api| api.release_context };
        Ok(Context { raw, device: device.clone(), api: api.clone() })
    }

    fn own(
        &self,
        handle: Handle,
        release: fn(&Functions) -> unsafe extern "system" fn(Handle) -> i32,
    ) -> Owned {
        Owned { handle, api: self.api.clone(), release }
    }

    /// Compiles a program.
    ///
    /// # Errors
    /// The compiler's, with what it said.
    pub fn program(&self, source: &str) -> Result<Program, ClError> {
        let (at, len) = (source.as_ptr().cast::<c_char>(), source.len());
        let handle = make("clCreateProgramWithSource", |code| {
            // SAFETY: there is one piece of source, of this length.
            unsafe { (self.api.0.program)(self.raw.handle, 1, &at, &len, code) }
        })?;
        let program = Program(self.own(handle, |api| api.release_program));
        let options = CString::new(format!("-cl-std=CL1.2 -DGROUP={GROUP}u")).expect("no zeros");
        let device = self.device.handle;
        // SAFETY: there is one device, and the options end with a zero.
        let code = unsafe {
            (self.api.0.build)(handle, 1, &device, options.as_ptr(), ptr::null(), ptr::null())
        };
        check("clBuildProgram", code).map_err(|error| {
            // SAFETY: the function writes at most as many bytes as it is told.
            let ask = |what, len, at, used| unsafe {
                (self.api.0.build_info)(handle, device, what, len, at, used)
            };
            let detail = format!(": {}", text(info(ask, 0x1183)));
            ClError { detail, ..error }
        })?;
        Ok(program)
    }

    /// An event that happens when it is told to.
    ///
    /// # Errors
    /// The driver cannot.
    pub fn gate(&self) -> Result<Gate, ClError> {
        let handle = make("clCreateUserEvent", |code| {
            // SAFETY: the context is good.
            unsafe { (self.api.0.user_event)(self.raw.handle, code) }
        })?;
        Ok(Gate(self.own(handle, |api| api.release_event)))
    }

    fn memory(&self, flags: u64, len: usize) -> Result<Owned, ClError> {
        let handle = make("clCreateBuffer", |code| {
            // SAFETY: no memory of the host is given.
            unsafe { (self.api.0.buffer)(self.raw.handle, flags, len, ptr::null_mut(), code) }
        })?;
        Ok(self.own(handle, |api| api.release_memory))
    }
}

/// A compiled program.
pub(crate) struct Program(Owned);

impl Program {
    /// One of its kernels.
    ///
    /// # Errors
    /// There is none of that name, or no memory for it.
    pub fn kernel(&self, name: &str) -> Result<Kernel, ClError> {
        let name = CString::new(name).expect("names have no zeros");
        let api = &self.0.api;
        let handle = make("clCreateKernel", |code| {
            // SAFETY: the program is built, and the name ends with a zero.
            unsafe { (api.0.kernel)(self.0.handle, name.as_ptr(), code) }
        })?;
        Ok(Kernel(Owned { handle, api: api.clone(), release: |api| api.release_kernel }))
    }
}

/// A kernel with the arguments of all kernels here: input, output, where its tasks are, how many.
pub(crate) struct Kernel(Owned);

/// An event that commands can be made to wait for.
pub(crate) struct Gate(Owned);

impl Drop for Gate {
    /// Lets them go on.
    fn drop(&mut self) {
        // SAFETY: it is a user event, and its status is set once.
        let _ = unsafe { (self.0.api.0.set_user_event)(self.0.handle, 0) };
    }
}

/// Memory of the device, and pinned memory of the host from or to which it is copied.
struct Room {
    device: Owned,
    pinned: Owned,
    at: *mut u8,
    len: usize,
}

/// A command queue with its memory: of input, which is copied to the device, and of output, which
/// is copied back.
pub(crate) struct Stream {
    // The memory is unmapped through the queue, and so is dropped before it.
    input: Room,
    output: Room,
    queue: Owned,
    context: Arc<Context>,
}

// SAFETY: the pinned memory belongs to the stream, and may be used on any thread.
unsafe impl Send for Stream {}

/// A kernel to run: the word of the input where its tasks begin, and how many there are.
pub(crate) struct Launch<'k> {
    pub kernel: &'k Kernel,
    pub tasks: u32,
    pub count: u32,
}

impl Stream {
    /// A stream with so many bytes of input and of output, all of them zero in the host's memory.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn new(context: &Arc<Context>, input: usize, output: usize) -> Result<Stream, ClError> {
        let (api, device) = (&context.api, context.device.handle);
        let profiling = 2;
        let handle = make("clCreateCommandQueue", |code| {
            // SAFETY: the device is the context's.
            unsafe { (api.0.queue)(context.raw.handle, device, profiling, code) }
        })?;
        let queue = context.own(handle, |api| api.release_queue);
        let (read_write, read_only, host) = (1, 4, 16);
        let room = |flags, len| -> Result<Room, ClError> {
            let device = context.memory(flags, len)?;
            let pinned = context.memory(read_write | host, len)?;
            let mut code = 0;
            // SAFETY: the buffer has so many bytes, and the call returns when they are mapped.
            let at = unsafe {
                let (none, event) = (ptr::null(), ptr::null_mut());
                (api.0.map)(handle, pinned.handle, 1, 3, 0, len, 0, none, event, &mut code)
            };
            check("clEnqueueMapBuffer", code)?;
            // SAFETY: so many bytes were mapped to be written.
            unsafe { ptr::write_bytes(at.cast::<u8>(), 0, len) };
            Ok(Room { device, pinned, at: at.cast(), len })
        };
        let (input, output) = (room(read_only, input)?, room(read_write, output)?);
        Ok(Stream { input, output, queue, context: Arc::clone(context) })
    }

    /// The host's memory of the input.
    pub fn input(&mut self) -> &mut [u8] {
        // SAFETY: so many bytes are mapped as long as the stream lives, and no command uses them:
        // then the stream would be in a flight.
        unsafe { slice::from_raw_parts_mut(self.input.at, self.input.len) }
    }

    /// The host's memory of the output.
    pub fn output(&mut self) -> &mut [u8] {
        // SAFETY: as for the input.
        unsafe { slice::from_raw_parts_mut(self.output.at, self.output.len) }
    }

    /// Bytes of input and of output.
    pub fn capacity(&self) -> (usize, usize) {
        (self.input.len, self.output.len)
    }

    /// Copies the first bytes of the input to the device, runs kernels in this order, copies the
    /// first bytes of the output back, raises the signal, and wipes both in the device's memory.
    /// With a gate all that waits for the gate.
    ///
    /// # Errors
    /// A command was refused. The stream is as it was, and nothing uses it any more.
    pub fn launch(
        self: Box<Stream>,
        upload: usize,
        launches: &[Launch<'_>],
        download: usize,
        gate: Option<Gate>,
        signal: &Arc<Signal>,
    ) -> Result<Flight, (Box<Stream>, ClError)> {
        assert!(upload <= self.input.len && download <= self.output.len, "within the memory");
        let mut events = Vec::with_capacity(launches.len() + 2);
        match self.enqueue(upload, launches, download, gate.as_ref(), &mut events) {
            Ok(()) => {}
            Err(error) => {
                drop(gate);
                // What was copied there already is wiped, if the device still can.
                let _ = self.wipe(upload, download);
                // SAFETY: the queue is good. What was enqueued ends or fails before this returns.
                let _ = unsafe { (self.context.api.0.finish)(self.queue.handle) };
                return Err((self, error));
            }
        }
        let notice = Arc::new(Notice { status: AtomicI32::new(RUNNING), signal: signal.clone() });
        let last = events.last().map_or(ptr::null_mut(), |event: &Owned| event.handle);
        let data = Arc::into_raw(Arc::clone(&notice)).cast_mut().cast();
        // SAFETY: the event is good, and the callback takes the reference that it is given.
        let code = unsafe { (self.context.api.0.callback)(last, 0, notify, data) };
        if let Err(error) = check("clSetEventCallback", code) {
            // SAFETY: the callback is not called, and so its reference is nobody's.
            drop(unsafe { Arc::from_raw(data.cast::<Notice>()) });
            drop(gate);
            // SAFETY: as above.
            let _ = unsafe { (self.context.api.0.finish)(self.queue.handle) };
            return Err((self, error));
        }
        let kernels = launches.len();
        Ok(Flight { stream: Some(self), events, kernels, notice, gate })
    }

    fn enqueue(
        &self,
        upload: usize,
        launches: &[Launch<'_>],
        download: usize,
        gate: Option<&Gate>,
        events: &mut Vec<Owned>,
    ) -> Result<(), ClError> {
        let (api, queue) = (&*self.context.api.0, self.queue.handle);
        let (input, output) = (self.input.device.handle, self.output.device.handle);
        let gates = gate.map(|gate| gate.0.handle);
        let (count, gates) =
            (gates.iter().len() as u32, gates.as_ref().map_or(ptr::null(), |at| at));
        let own = |event| self.context.own(event, |api| api.release_event);
        let mut event = ptr::null_mut();
        let at = self.input.at.cast();
        // SAFETY: so many bytes are in both memories, which outlive the command (see Flight).
        let code = unsafe { (api.write)(queue, input, 0, 0, upload, at, count, gates, &mut event) };
        check("clEnqueueWriteBuffer", code)?;
        events.push(own(event));
        for launch in launches {
            let kernel = launch.kernel.0.handle;
            let set = |index, len, at| {
                // SAFETY: the kernel's argument of this number has this size.
                check("clSetKernelArg", unsafe { (api.argument)(kernel, index, len, at) })
            };
            let handle = mem::size_of::<Handle>();
            set(0, handle, (&raw const input).cast())?;
            set(1, handle, (&raw const output).cast())?;
            set(2, 4, (&raw const launch.tasks).cast())?;
            set(3, 4, (&raw const launch.count).cast())?;
            let global = (launch.count as usize).next_multiple_of(GROUP);
            // SAFETY: all arguments are set. Where tasks point to, their author vouches for.
            let code = unsafe {
                let none = ptr::null();
                (api.run)(queue, kernel, 1, none, &global, &GROUP, 0, ptr::null(), &mut event)
            };
            check("clEnqueueNDRangeKernel", code)?;
            events.push(own(event));
        }
        let at = self.output.at.cast();
        // SAFETY: as for the input.
        let code =
            unsafe { (api.read)(queue, output, 0, 0, download, at, 0, ptr::null(), &mut event) };
        check("clEnqueueReadBuffer", code)?;
        events.push(own(event));
        self.wipe(upload, download)?;
        // SAFETY: the queue is good.
        check("clFlush", unsafe { (api.flush)(queue) })
    }

    /// Has the first bytes of both memories of the device filled with zeros.
    fn wipe(&self, input: usize, output: usize) -> Result<(), ClError> {
        let zero = 0u32;
        for (room, len) in [(&self.input, input), (&self.output, output)] {
            // SAFETY: the pattern is copied within the call, and so many bytes are there.
            let code = unsafe {
                let (memory, zero) = (room.device.handle, (&raw const zero).cast());
                let (none, event) = (ptr::null(), ptr::null_mut());
                (self.context.api.0.fill)(
                    self.queue.handle,
                    memory,
                    zero,
                    4,
                    0,
                    len,
                    0,
                    none,
                    event,
                )
            };
            check("clEnqueueFillBuffer", code)?;
        }
        Ok(())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        for room in [&self.input, &self.output] {
            let at = room.at.cast();
            // SAFETY: it was mapped there, and is used no more.
            let _ = unsafe {
                let (none, event) = (ptr::null(), ptr::null_mut());
                (self.context.api.0.unmap)(
                    self.queue.handle,
                    room.pinned.handle,
                    at,
                    0,
                    none,
                    event,
                )
            };
        }
    }
}

/// The status of commands that have not ended.
const RUNNING: i32 = i32::MAX;

/// What a callback says.
struct Notice {
    status: AtomicI32,
    signal: Arc<Signal>,
}

/// The callback of the last command, on a thread of the driver.
unsafe extern "system" fn notify(_event: Handle, status: i32, data: *mut c_void) {
    // SAFETY: it is called once, with the reference that `launch` made for it.
    let notice = unsafe { Arc::from_raw(data.cast::<Notice>().cast_const()) };
    notice.status.store(status.min(0), Release);
    notice.signal.raise();
}

/// Commands that run, and the stream that they use.
pub(crate) struct Flight {
    stream: Option<Box<Stream>>,
    events: Vec<Owned>,
    kernels: usize,
    notice: Arc<Notice>,
    gate: Option<Gate>,
}

/// How long parts of a flight took, by the device's own clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Times {
    pub upload: Duration,
    pub kernels: Duration,
    pub download: Duration,
}

impl Flight {
    /// Whether its commands have ended.
    pub fn has_landed(&self) -> bool {
        self.notice.status.load(Acquire) != RUNNING
    }

    /// Opens the gate that its commands wait for, if there is one.
    pub fn open_gate(&mut self) {
        self.gate = None;
    }

    /// The stream, and how it went; or the flight where it has not landed.
    pub fn land(mut self) -> Result<(Box<Stream>, Result<Times, ClError>), Flight> {
        let status = self.notice.status.load(Acquire);
        if status == RUNNING {
            return Err(self);
        }
        let Some(stream) = self.stream.take() else { unreachable!("it lands once") };
        let outcome = check("a command", status).map(|()| self.times());
        Ok((stream, outcome))
    }

    fn times(&self) -> Times {
        let time = |events: &[Owned]| events.iter().map(length).sum();
        let (first, rest) = self.events.split_at(1);
        let (kernels, last) = rest.split_at(self.kernels);
        Times { upload: time(first), kernels: time(kernels), download: time(last) }
    }
}

/// How long a command that has ended took.
fn length(event: &Owned) -> Duration {
    let at = |what| {
        let mut time = 0u64;
        // SAFETY: the property has eight bytes.
        let code = unsafe {
            let at = (&raw mut time).cast();
            (event.api.0.profile)(event.handle, what, 8, at, ptr::null_mut())
        };
        (code == 0).then_some(time)
    };
    let length = at(0x1283).zip(at(0x1282)).map_or(0, |(end, start)| end.saturating_sub(start));
    Duration::from_nanos(length)
}

impl Drop for Flight {
    fn drop(&mut self) {
        if !self.has_landed() {
            // Commands of a device that hangs may still use the memory, whatever becomes of them.
            mem::forget(self.stream.take());
        }
    }
}
