//! What the queues of the process have done, as text and at a Unix socket.

use std::ffi::c_char;
use std::path::Path;

use broadloom::metrics::{self, Listening, Snapshot};

use crate::compress::deliver;
use crate::fault::{Fault, optional_text, put, report, text};
use crate::status::{BL_E_OTHER, BL_E_SYSTEM, bl_status};

/// A Unix socket at which the process gives its metrics.
#[derive(Debug)]
pub struct bl_metrics {
    _listening: Listening,
}

/// The metrics of this process: what all its processors, queue pairs and workers have done since
/// the first call of this function or of `bl_metrics_open`, those that were closed included. No
/// queue waits for this.
///
/// `format`: "openmetrics" or "prometheus" for the two text formats of Prometheus, "json" for what
/// `broadloom top` reads. `produced`: out: bytes of text, which no zero byte ends; with
/// `BL_E_ROOM`, how many there are now, and nothing else is written. Later there may be more.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_metrics_text(
    format: *const c_char,
    output: *mut u8,
    room: usize,
    produced: *mut usize,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        text(format, "format").and_then(|format| {
            let made = write(format)?;
            deliver(made.as_bytes(), output, room, produced)
        })
    })
}

fn write(format: &str) -> Result<String, Fault> {
    match format {
        "openmetrics" => Ok(Snapshot::now().to_openmetrics()),
        "prometheus" => Ok(Snapshot::now().to_prometheus()),
        "json" => Snapshot::now().to_json().map_err(|error| Fault::new(BL_E_OTHER, error)),
        other => Err(Fault::name(format_args!(
            "{other:?} is no format of metrics; valid: openmetrics, prometheus, json"
        ))),
    }
}

/// Listens at a Unix socket, where each connection gets the metrics as one line of JSON. A thread
/// of its own answers. Only the user who runs the process can connect.
///
/// `path`: where; null: `PID.sock` in the directory `broadloom` of `$XDG_RUNTIME_DIR`, or in
/// `/tmp/broadloom-UID` if that is not set, where `broadloom top PID` looks. With a path, the
/// directory decides who can connect. `listener`: out. `BL_E_SYSTEM` if the process listens there
/// already, or cannot.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_metrics_open(
    path: *const c_char,
    listener: *mut *mut bl_metrics,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        put(listener, "place for the listener", std::ptr::null_mut()).and_then(|()| {
            let listening = match optional_text(path, "path")? {
                Some(path) => metrics::listen_at(Path::new(path)),
                None => metrics::listen(),
            };
            let listening = listening.map_err(|error| Fault::new(BL_E_SYSTEM, error))?;
            let opened = Box::into_raw(Box::new(bl_metrics { _listening: listening }));
            put(listener, "place for the listener", opened)
        })
    })
}

/// Stops listening, and removes the socket. In a child that a fork made, the parent keeps both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_metrics_close(listener: *mut bl_metrics) {
    if !listener.is_null() {
        // SAFETY: it was opened, and the caller gives it back.
        drop(unsafe { Box::from_raw(listener) });
    }
}
