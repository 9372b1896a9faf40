//! Sizes, spans and nodes, as restic prints them.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use broadloom_program::quote::shown;
use broadloom_snapshot::node::{Node, NodeKind};
use serde_json::{Value, json};

/// A size in binary units.
pub fn size(bytes: u64) -> String {
    for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes >> shift > 0 {
            return format!("{:.3} {unit}", bytes as f64 / (1_u64 << shift) as f64);
        }
    }
    format!("{bytes} B")
}

/// Minutes and seconds, with hours where there are some.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// A path of a snapshot. Bytes that would break a line are quoted.
pub fn path(path: &[u8]) -> String {
    match path.iter().any(u8::is_ascii_control) || str::from_utf8(path).is_err() {
        true => shown(Path::new(std::ffi::OsStr::from_bytes(path))),
        false => String::from_utf8_lossy(path).into_owned(),
    }
}

/// A line of `ls -l`.
pub fn long(full: &[u8], node: &Node) -> String {
    let target = match node.kind {
        NodeKind::Symlink => format!(" -> {}", path(node.target())),
        _ => String::new(),
    };
    format!(
        "{} {:5} {:5} {:6} {} {}{target}",
        node.mode.letters(),
        node.uid,
        node.gid,
        node.size,
        node.mtime.local(),
        path(full)
    )
}

/// A node, as `restic ls --json` has it.
pub fn node_json(full: &[u8], node: &Node) -> Value {
    let mut value = json!({
        "name": String::from_utf8_lossy(&node.name),
        "type": node.kind,
        "path": String::from_utf8_lossy(full),
        "uid": node.uid,
        "gid": node.gid,
        "mode": node.mode,
        "permissions": node.mode.letters(),
        "mtime": node.mtime,
        "atime": node.atime,
        "ctime": node.ctime,
        "struct_type": "node",
    });
    if node.kind == NodeKind::File {
        value["size"] = json!(node.size);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_spans_are_short() {
        assert_eq!(size(1023), "1023 B");
        assert_eq!(size(1536), "1.500 KiB");
        assert_eq!(size(3 << 30), "3.000 GiB");
        assert_eq!(span(Duration::from_secs(59)), "0:59");
        assert_eq!(span(Duration::from_secs(3661)), "1:01:01");
    }

    #[test]
    fn paths_stay_on_their_line() {
        assert_eq!(path(b"/a b"), "/a b");
        assert_eq!(path(b"/a\nb"), "'/a'$'\\n''b'");
        assert_eq!(path(b"/a\xff"), "'/a'$'\\377'");
    }
}
