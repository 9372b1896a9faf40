//! Commands that run.

use std::ffi::c_void;
use std::mem;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::*};
use std::time::Duration;

use super::{ClError, Gate, Handle, Owned, Stream, check};
use crate::signal::Signal;

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
    /// Commands of a stream, of which the last one says that all have ended.
    ///
    /// # Errors
    /// It cannot say so. Nothing uses the stream any more.
    pub(super) fn new(
        stream: Box<Stream>,
        events: Vec<Owned>,
        kernels: usize,
        gate: Option<Gate>,
        signal: &Arc<Signal>,
    ) -> Result<Flight, (Box<Stream>, ClError)> {
        let Some(last) = events.last() else { unreachable!("there is an upload at least") };
        let notice = Arc::new(Notice { status: AtomicI32::new(RUNNING), signal: signal.clone() });
        let data = Arc::into_raw(Arc::clone(&notice)).cast_mut().cast();
        // SAFETY: the event is good, and the callback takes the reference that it is given.
        let code = unsafe { (last.api.0.callback)(last.handle, 0, notify, data) };
        if let Err(error) = check("clSetEventCallback", code) {
            // SAFETY: the callback is not called, and so its reference is nobody's.
            drop(unsafe { Arc::from_raw(data.cast::<Notice>()) });
            drop(gate);
            stream.finish();
            return Err((stream, error));
        }
        Ok(Flight { stream: Some(stream), events, kernels, notice, gate })
    }

    /// Returns `true` if its commands have ended.
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

/// Returns the duration of a command that has ended.
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
