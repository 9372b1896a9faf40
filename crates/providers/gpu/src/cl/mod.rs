//! OpenCL 1.2, found at run time: its functions, and types over them that are safe to use.
//!
//! This folder alone calls foreign functions. What makes its types safe: a [`Stream`] owns all the
//! host's memory that its commands read and write, and is moved into a [`Flight`] for as long as
//! they run.

mod context;
mod flight;
mod stream;

use std::ffi::{c_char, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;

use broadloom_loader::{self as loader, Library, find};

pub(crate) use context::{Context, Gate, Kernel, Program, Shared};
pub(crate) use flight::{Flight, Times};
pub(crate) use stream::{Launch, Stream};

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
