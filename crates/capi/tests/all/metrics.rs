//! The metrics as C reads them.

use std::ffi::{CStr, CString, c_char};
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::ptr;

use broadloom_capi::*;

use crate::common::{last_error, zeroed};

/// Hashes so many messages.
fn hash(count: usize) {
    // The first call begins to count.
    assert_eq!(text(c"json".as_ptr(), 0).0, BL_E_ROOM);
    let mut digest = [0; 32];
    let message = [7_u8; 100];
    let empty = bl_job { size: size_of::<bl_job>(), ..zeroed() };
    for _ in 0..count {
        let (source, len, tag) = (message.as_ptr(), message.len(), digest.as_mut_ptr());
        let mut job = bl_job { source, len, tag, tag_len: digest.len(), ..empty };
        // SAFETY: the job's pointers are to variables.
        assert_eq!(unsafe { bl_hash_many(c"sha256".as_ptr(), &mut job, 1) }, BL_OK);
    }
}

/// The text in a format, with so much room.
fn text(format: *const c_char, room: usize) -> (bl_status, usize, Vec<u8>) {
    let mut output = vec![0; room];
    let mut produced = usize::MAX;
    // SAFETY: there is room, and the format is a text or null.
    let status = unsafe { bl_metrics_text(format, output.as_mut_ptr(), room, &mut produced) };
    (status, produced, output)
}

#[test]
fn metrics_are_written_in_each_format() {
    hash(3);
    for (format, has) in [
        (c"openmetrics", "# TYPE broadloom_operations counter\n"),
        (c"prometheus", "# TYPE broadloom_operations_total counter\n"),
        (c"json", "\"algorithm\":\"sha256\""),
    ] {
        let (status, produced, output) = text(format.as_ptr(), 1 << 24);
        assert_eq!(status, BL_OK, "{}", last_error());
        let text = std::str::from_utf8(&output[..produced]).expect("it is UTF-8");
        assert!(text.contains(has) && text.contains("sha256"), "{text}");
        let (status, needed, output) = text_without_room(format);
        assert_eq!(status, BL_E_ROOM);
        assert!(needed > 100 && output.iter().all(|byte| *byte == 0));
        assert!(last_error().ends_with("bytes of output do not fit into 10"), "{}", last_error());
    }
}

fn text_without_room(format: &CStr) -> (bl_status, usize, Vec<u8>) {
    text(format.as_ptr(), 10)
}

#[test]
fn wrong_arguments_are_refused() {
    assert_eq!(text(c"xml".as_ptr(), 100).0, BL_E_NAME);
    let valid = "\"xml\" is no format of metrics; valid: openmetrics, prometheus, json";
    assert_eq!(last_error(), valid);
    assert_eq!(text(ptr::null(), 100).0, BL_E_ARGUMENT);
    // SAFETY: nothing is written.
    let status = unsafe { bl_metrics_text(c"json".as_ptr(), ptr::null_mut(), 0, ptr::null_mut()) };
    assert_eq!(status, BL_E_ARGUMENT);
    // SAFETY: as above.
    assert_eq!(unsafe { bl_metrics_open(ptr::null(), ptr::null_mut()) }, BL_E_ARGUMENT);
    let mut listener = ptr::null_mut();
    // SAFETY: the place is a variable.
    let status = unsafe { bl_metrics_open(c"/no/such/directory/x".as_ptr(), &mut listener) };
    assert_eq!(status, BL_E_SYSTEM);
    assert!(listener.is_null() && last_error().contains("/no/such/directory/x"));
    // SAFETY: closing null does nothing.
    unsafe { bl_metrics_close(ptr::null_mut()) };
}

#[test]
fn a_listener_gives_json_until_it_is_closed() {
    hash(1);
    let name = format!("broadloom-capi-{}.sock", std::process::id());
    let path = std::env::temp_dir().join(name);
    let given = CString::new(path.to_str().expect("it is UTF-8")).expect("no zero byte");
    let mut listener = ptr::null_mut();
    // SAFETY: the place is a variable.
    let status = unsafe { bl_metrics_open(given.as_ptr(), &mut listener) };
    assert_eq!(status, BL_OK, "{}", last_error());
    let mut line = String::new();
    UnixStream::connect(&path).expect("it listens").read_to_string(&mut line).expect("text");
    assert!(line.contains("\"algorithm\":\"sha256\"") && line.ends_with("}\n"), "{line}");
    // SAFETY: it was opened above.
    unsafe { bl_metrics_close(listener) };
    assert!(!path.exists());
}
