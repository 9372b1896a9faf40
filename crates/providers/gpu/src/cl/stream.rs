//! A command queue and its memory.

use std::mem;
use std::ptr;
use std::slice;
use std::sync::Arc;

use super::{ClError, Context, Flight, GROUP, Gate, Handle, Kernel, Owned, Shared, check, make};
use crate::signal::Signal;

/// Memory of the device, and pinned memory of the host from or to which it is copied.
struct Room {
    device: Owned,
    pinned: Owned,
    at: *mut u8,
    len: usize,
}

/// Memory for intermediate results comes in multiples of so many bytes.
const SCRATCH_STEP: usize = 1 << 20;

/// A command queue with its memory: of input, which is copied to the device, and of output, which
/// is copied back.
pub(crate) struct Stream {
    // The memory is unmapped through the queue, and so is dropped before it.
    input: Room,
    output: Room,
    /// The device's memory for intermediate results, once a batch has some.
    scratch: Option<Scratch>,
    queue: Owned,
    context: Arc<Context>,
}

// SAFETY: the pinned memory belongs to the stream, and may be used on any thread.
unsafe impl Send for Stream {}

/// The device's memory for intermediate results.
struct Scratch {
    device: Owned,
    len: usize,
    /// Bytes of it that the next kernels use.
    used: usize,
}

/// A kernel to run: the word of the input where its tasks begin, and how many there are.
pub(crate) struct Launch<'k> {
    pub kernel: &'k Kernel,
    pub tasks: u32,
    pub count: u32,
    /// Work items: at least as many as tasks.
    pub items: usize,
    /// Memory that all streams share, if there is some.
    pub shared: Option<&'k Shared>,
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
        Ok(Stream { input, output, scratch: None, queue, context: Arc::clone(context) })
    }

    /// Prepares so many bytes of the device's memory for intermediate results.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn reserve(&mut self, bytes: usize) -> Result<(), ClError> {
        match &mut self.scratch {
            Some(scratch) if scratch.len >= bytes => scratch.used = bytes,
            None if bytes == 0 => {}
            _ => {
                // The smaller memory is freed first.
                self.scratch = None;
                let (read_write, len) = (1, bytes.next_multiple_of(SCRATCH_STEP));
                let device = self.context.memory(read_write, len)?;
                self.scratch = Some(Scratch { device, len, used: bytes });
            }
        }
        Ok(())
    }

    /// No intermediate results are left. Their memory is freed if it has more than so many bytes.
    pub fn release(&mut self, bytes: usize) {
        self.scratch.take_if(|scratch| scratch.len > bytes.next_multiple_of(SCRATCH_STEP));
        if let Some(scratch) = &mut self.scratch {
            scratch.used = 0;
        }
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
    /// first bytes of the output back, raises the signal, and wipes both in the device's memory,
    /// and the intermediate results. With a gate all that waits for the gate.
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
                // What was enqueued ends or fails before this returns.
                self.finish();
                return Err((self, error));
            }
        }
        Flight::new(self, events, launches.len(), gate, signal)
    }

    /// Waits until all commands have ended or failed.
    pub(super) fn finish(&self) {
        // SAFETY: the queue is good.
        let _ = unsafe { (self.context.api.0.finish)(self.queue.handle) };
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
            let kernel = launch.kernel.raw.handle;
            let set = |index, len, at| {
                // SAFETY: the kernel's argument of this number has this size.
                check("clSetKernelArg", unsafe { (api.argument)(kernel, index, len, at) })
            };
            let handle = mem::size_of::<Handle>();
            set(0, handle, (&raw const input).cast())?;
            set(1, handle, (&raw const output).cast())?;
            set(2, 4, (&raw const launch.tasks).cast())?;
            set(3, 4, (&raw const launch.count).cast())?;
            let shared = launch.shared.map_or(ptr::null_mut(), |shared| shared.0.handle);
            set(4, handle, (&raw const shared).cast())?;
            let scratch = self.scratch.as_ref();
            let scratch = scratch.map_or(ptr::null_mut(), |scratch| scratch.device.handle);
            set(5, handle, (&raw const scratch).cast())?;
            let global = launch.kernel.items(launch.items).next_multiple_of(GROUP);
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

    /// Has the first bytes of both memories of the device filled with zeros, and the intermediate
    /// results.
    fn wipe(&self, input: usize, output: usize) -> Result<(), ClError> {
        let zero = 0u32;
        let rooms = [(&self.input.device, input), (&self.output.device, output)];
        let scratch = self.scratch.iter().map(|scratch| (&scratch.device, scratch.used));
        let scratch = scratch.filter(|(_, used)| *used > 0);
        for (memory, len) in rooms.into_iter().chain(scratch) {
            // SAFETY: the pattern is copied within the call, and so many bytes are there.
            let code = unsafe {
                let (memory, zero) = (memory.handle, (&raw const zero).cast());
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
