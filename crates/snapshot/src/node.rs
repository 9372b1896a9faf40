//! What a tree says of a file: the fields of restic, in the order in which Go writes them.

use serde::{Deserialize, Deserializer, Serialize};

use crate::id::Id;
use crate::json::Base64Bytes;
use crate::time::Time;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Symlink,
    /// A block device.
    Dev,
    /// A character device.
    Chardev,
    /// A named pipe.
    Fifo,
    /// A socket, of which nothing can be restored.
    Socket,
    /// Anything else.
    #[serde(other)]
    Irregular,
}

/// An extended attribute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtendedAttribute {
    /// Its name, with its namespace.
    pub name: String,
    /// Its value.
    pub value: Base64Bytes,
}

/// A file, a directory or anything else with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its name in its directory.
    #[serde(with = "crate::json::name")]
    pub name: Vec<u8>,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: NodeKind,
    /// Permissions and type, in the bits of Go.
    #[serde(default, skip_serializing_if = "Mode::is_empty")]
    pub mode: Mode,
    /// When its content changed.
    #[serde(default)]
    pub mtime: Time,
    /// When it was read; restic writes `mtime` here.
    #[serde(default)]
    pub atime: Time,
    /// When its attributes changed.
    #[serde(default)]
    pub ctime: Time,
    /// The number of its owner.
    #[serde(default)]
    pub uid: u32,
    /// The number of its group.
    #[serde(default)]
    pub gid: u32,
    /// The name of its owner.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// The name of its group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Its inode.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub inode: u64,
    /// The device that its inode is on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub device_id: u64,
    /// Bytes of a file.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub size: u64,
    /// How many names its inode has.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub links: u64,
    /// Where a symbolic link leads, as text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub linktarget: String,
    /// Where a symbolic link leads, if that is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linktarget_raw: Option<Base64Bytes>,
    /// Extended attributes.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub extended_attributes: Vec<ExtendedAttribute>,
    /// The number of a device.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub device: u64,
    /// The blobs of a file.
    #[serde(default)]
    pub content: Option<Vec<Id>>,
    /// The tree of a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtree: Option<Id>,
    /// What went wrong when it was saved.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Go writes `null` for a list that was never made.
pub(crate) fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl Node {
    /// A node with a name, a kind and nothing else.
    #[must_use]
    pub fn new(name: Vec<u8>, kind: NodeKind) -> Node {
        Node {
            name,
            kind,
            mode: Mode::default(),
            mtime: Time::default(),
            atime: Time::default(),
            ctime: Time::default(),
            uid: 0,
            gid: 0,
            user: String::new(),
            group: String::new(),
            inode: 0,
            device_id: 0,
            size: 0,
            links: 0,
            linktarget: String::new(),
            linktarget_raw: None,
            extended_attributes: Vec::new(),
            device: 0,
            content: None,
            subtree: None,
            error: String::new(),
        }
    }

    /// The blobs of a file; none for anything else.
    #[must_use]
    pub fn blobs(&self) -> &[Id] {
        self.content.as_deref().unwrap_or_default()
    }

    /// Returns the target of a symbolic link.
    #[must_use]
    pub fn target(&self) -> &[u8] {
        self.linktarget_raw.as_ref().map_or(self.linktarget.as_bytes(), |raw| &raw.0)
    }

    /// Sets where a symbolic link leads.
    pub fn set_target(&mut self, target: Vec<u8>) {
        match String::from_utf8(target) {
            Ok(text) => self.linktarget = text,
            Err(error) => {
                self.linktarget = String::from_utf8_lossy(error.as_bytes()).into_owned();
                self.linktarget_raw = Some(Base64Bytes(error.into_bytes()));
            }
        }
    }

    /// Returns `true` if the attributes are the same, whatever the content.
    #[must_use]
    pub fn same_attributes(&self, other: &Node) -> bool {
        let bare = |node: &Node| Node { content: None, subtree: None, ..node.clone() };
        bare(self) == bare(other)
    }
}

/// Permissions and type of a file, in the bits of Go's `os.FileMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mode(pub u32);

/// Bits of Go, beside those of Unix.
const SPECIAL: [(u32, u32); 3] = [(1 << 23, 0o4000), (1 << 22, 0o2000), (1 << 20, 0o1000)];
/// Types of files: the bits of Go, the letter that `ls` and restic print, and the bits of Unix.
const TYPES: [(NodeKind, u32, char, u32); 7] = [
    (NodeKind::File, 0, '-', 0o100_000),
    (NodeKind::Dir, 1 << 31, 'd', 0o040_000),
    (NodeKind::Symlink, 1 << 27, 'L', 0o120_000),
    (NodeKind::Dev, 1 << 26, 'D', 0o060_000),
    (NodeKind::Chardev, 1 << 26 | 1 << 21, 'c', 0o020_000),
    (NodeKind::Fifo, 1 << 25, 'p', 0o010_000),
    (NodeKind::Socket, 1 << 24, 'S', 0o140_000),
];

impl Mode {
    /// The mode and the kind of what the system describes by `st_mode`.
    #[must_use]
    pub fn from_unix(mode: u32) -> (Mode, NodeKind) {
        let known = TYPES.iter().find(|(.., unix)| mode & 0o170_000 == *unix);
        let (kind, bits) =
            known.map_or((NodeKind::Irregular, 1 << 19), |&(kind, bits, ..)| (kind, bits));
        let special = SPECIAL.iter().filter(|(_, unix)| mode & unix != 0).map(|(go, _)| go);
        (Mode(mode & 0o777 | bits | special.sum::<u32>()), kind)
    }

    /// Permissions as `chmod` takes them.
    #[must_use]
    pub fn permissions(self) -> u32 {
        let special = SPECIAL.iter().filter(|(go, _)| self.0 & go != 0).map(|(_, unix)| unix);
        self.0 & 0o777 | special.sum::<u32>()
    }

    fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Ten letters and more, as Go prints a mode.
    #[must_use]
    pub fn letters(self) -> String {
        let mut text = String::new();
        for (bit, letter) in [
            (1 << 31, 'd'),
            (1 << 27, 'L'),
            (1 << 26, 'D'),
            (1 << 25, 'p'),
            (1 << 24, 'S'),
            (1 << 23, 'u'),
            (1 << 22, 'g'),
            (1 << 21, 'c'),
            (1 << 20, 't'),
            (1 << 19, '?'),
        ] {
            if self.0 & bit != 0 {
                text.push(letter);
            }
        }
        if text.is_empty() {
            text.push('-');
        }
        text.extend(
            "rwxrwxrwx"
                .chars()
                .enumerate()
                .map(|(place, letter)| if self.0 >> (8 - place) & 1 == 1 { letter } else { '-' }),
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_the_bits_of_go() {
        for (unix, go, kind, letters) in [
            (0o100_644, 0o644, NodeKind::File, "-rw-r--r--"),
            (0o040_755, 0x8000_0000 | 0o755, NodeKind::Dir, "drwxr-xr-x"),
            (0o041_777, 0x8010_0000 | 0o777, NodeKind::Dir, "dtrwxrwxrwx"),
            (0o104_755, 0x0080_0000 | 0o755, NodeKind::File, "urwxr-xr-x"),
            (0o120_777, 0x0800_0000 | 0o777, NodeKind::Symlink, "Lrwxrwxrwx"),
            (0o020_666, 0x0420_0000 | 0o666, NodeKind::Chardev, "Dcrw-rw-rw-"),
            (0o060_660, 0x0400_0000 | 0o660, NodeKind::Dev, "Drw-rw----"),
            (0o010_600, 0x0200_0000 | 0o600, NodeKind::Fifo, "prw-------"),
        ] {
            assert_eq!(Mode::from_unix(unix), (Mode(go), kind));
            assert_eq!(Mode(go).permissions(), unix & 0o7777);
            assert_eq!(Mode(go).letters(), letters);
        }
    }

    #[test]
    fn a_node_has_the_bytes_of_restic() {
        let text = r#"{"name":"a\\\"b","type":"file","mode":420,"mtime":"2022-09-01T10:00:00Z","#
            .to_owned()
            + r#""atime":"2022-09-01T10:00:00Z","ctime":"2022-09-01T10:00:00.5Z","uid":0,"gid":7,"#
            + r#""user":"root","inode":12,"device_id":3,"size":5,"links":1,"extended_attributes":"#
            + r#"[{"name":"user.a","value":"AQI="}],"content":["#
            + &format!("\"{}\"]}}", "ab".repeat(32));
        let node: Node = serde_json::from_str(&text).expect("it is a node");
        assert_eq!(node.name, b"a\"b");
        assert_eq!(String::from_utf8(crate::json::to_json(&node)), Ok(text));
    }

    #[test]
    fn links_lead_anywhere() {
        let mut node = Node::new(b"l".to_vec(), NodeKind::Symlink);
        node.set_target(b"a\xff".to_vec());
        let text = crate::json::to_json(&node);
        let back: Node = serde_json::from_slice(&text).expect("it is a node");
        assert_eq!(back.target(), b"a\xff");
        assert_eq!(back.linktarget, "a\u{fffd}");
    }
}
