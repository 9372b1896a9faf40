//! A device that is in use, and what is compiled for it.

use std::cell::Cell;
use std::ffi::{CString, c_char};
use std::ptr;

use super::{Api, ClError, Found, Functions, GROUP, Handle, Owned, check, info, make, text};

/// A device that is in use.
pub(crate) struct Context {
    pub(super) raw: Owned,
    pub(super) device: Found,
    pub(super) api: Api,
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

    pub(super) fn own(
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
        let raw = self.own(handle, |api| api.release_program);
        let is_pocl = self.device.platform == "Portable Computing Language";
        let program = Program { raw, is_pocl };
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

    /// Memory for all streams.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn shared(&self, len: usize) -> Result<Shared, ClError> {
        let read_write = 1;
        Ok(Shared(self.memory(read_write, len)?))
    }

    pub(super) fn memory(&self, flags: u64, len: usize) -> Result<Owned, ClError> {
        let handle = make("clCreateBuffer", |code| {
            // SAFETY: no memory of the host is given.
            unsafe { (self.api.0.buffer)(self.raw.handle, flags, len, ptr::null_mut(), code) }
        })?;
        Ok(self.own(handle, |api| api.release_memory))
    }
}

/// A compiled program.
pub(crate) struct Program {
    raw: Owned,
    is_pocl: bool,
}

impl Program {
    /// One of its kernels.
    ///
    /// # Errors
    /// There is none of that name, or no memory for it.
    pub fn kernel(&self, name: &str) -> Result<Kernel, ClError> {
        let name = CString::new(name).expect("names have no zeros");
        let api = &self.raw.api;
        let handle = make("clCreateKernel", |code| {
            // SAFETY: the program is built, and the name ends with a zero.
            unsafe { (api.0.kernel)(self.raw.handle, name.as_ptr(), code) }
        })?;
        let raw = Owned { handle, api: api.clone(), release: |api| api.release_kernel };
        Ok(Kernel { raw, launched: Cell::new(false), is_pocl: self.is_pocl })
    }
}

/// Memory of the device that all streams share. Its owner says which commands use which part.
pub(crate) struct Shared(pub(super) Owned);

/// A kernel with the arguments of all kernels here: input, output, where its tasks are, how many,
/// shared memory, and memory for intermediate results.
pub(crate) struct Kernel {
    pub(super) raw: Owned,
    /// It was launched already.
    launched: Cell<bool>,
    /// `true` if the driver is PoCL.
    is_pocl: bool,
}

/// Work items of the first launch of a kernel by PoCL.
const POCL_ITEMS: usize = 1 << 22;

impl Kernel {
    /// Returns the number of work items of a launch that needs at least this number.
    ///
    /// PoCL before version 6 makes another copy of a kernel when a launch has more items than all
    /// before. Launches of the old copy that still run then count as those of the new one, until
    /// PoCL aborts the process. So a kernel's first launch by PoCL gets more items than later ones
    /// are likely to need. Items without a task return at once.
    pub(super) fn items(&self, needed: usize) -> usize {
        match self.is_pocl && !self.launched.replace(true) {
            true => needed.max(POCL_ITEMS),
            false => needed,
        }
    }
}

/// An event that commands can be made to wait for.
pub(crate) struct Gate(pub(super) Owned);

impl Drop for Gate {
    /// Lets them go on.
    fn drop(&mut self) {
        // SAFETY: it is a user event, and its status is set once.
        let _ = unsafe { (self.0.api.0.set_user_event)(self.0.handle, 0) };
    }
}
