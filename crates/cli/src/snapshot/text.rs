//! Sizes, spans and nodes, as restic prints them.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use broadloom_program::quote::{shown, visible};
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
    match str::from_utf8(path) {
        Ok(text) if !text.contains(char::is_control) => visible(text).into_owned(),
        _ => visible(&shown(Path::new(std::ffi::OsStr::from_bytes(path)))).into_owned(),
    }
}

/// Names with commas between them.
pub fn joined(names: &[String]) -> String {
    visible(&names.join(", ")).into_owned()
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

/// A node, as `restic find --json` has it: all but its name, its content and its place on a disk.
pub fn found_json(full: &[u8], node: &Node) -> Value {
    let mut value = serde_json::to_value(node).expect("it is representable");
    for key in ["name", "inode", "extended_attributes", "content", "subtree"] {
        value.as_object_mut().expect("a node is an object").remove(key);
    }
    value["path"] = json!(String::from_utf8_lossy(full));
    value["permissions"] = json!(node.mode.letters());
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
        assert_eq!(path("/a\u{9b}b\u{202e}".as_bytes()), "'/a'$'\\302\\233''b\\u{202e}'");
        assert_eq!(path("/a\u{202e}".as_bytes()), "/a\\u{202e}");
    }
}
