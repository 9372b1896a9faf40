//! The lines that `broadloom hash` prints.

use super::digest::Digest;
use super::escape;

/// How results are written.
pub struct LineFormat {
    /// The algorithm's name in front, as the BSD tools write it: `SHA256 (name) = …`.
    pub tag: Option<String>,
    /// `*` before the name in place of a space.
    pub binary: bool,
    /// Lines end with NUL, and names are not escaped.
    pub zero: bool,
}

impl LineFormat {
    /// Appends the line of a whole file, byte for byte what `sha256sum` and its sisters print.
    pub fn file(&self, digest: &Digest, name: &[u8], out: &mut Vec<u8>) {
        let escaped = self.begin(name, out);
        if let Some(tag) = &self.tag {
            out.extend(tag.as_bytes());
            out.extend(b" (");
            write_name(name, escaped, out);
            out.extend(b") = ");
            digest.write_hex(out);
        } else {
            digest.write_hex(out);
            out.extend(if self.binary { b" *" } else { b"  " });
            write_name(name, escaped, out);
        }
        self.end(out);
    }

    /// Appends the line of one chunk: digest, offset, length and name, a space between each.
    pub fn chunk(&self, digest: &Digest, offset: u64, len: u64, name: &[u8], out: &mut Vec<u8>) {
        let escaped = self.begin(name, out);
        digest.write_hex(out);
        out.extend(format!(" {offset} {len} ").as_bytes());
        write_name(name, escaped, out);
        self.end(out);
    }

    /// Starts a line; says whether its name is to be escaped.
    fn begin(&self, name: &[u8], out: &mut Vec<u8>) -> bool {
        let escaped = !self.zero && escape::needs_escape(name);
        if escaped {
            out.push(b'\\');
        }
        escaped
    }

    fn end(&self, out: &mut Vec<u8>) {
        out.push(if self.zero { 0 } else { b'\n' });
    }
}

/// Appends the verdict on a file of a checksum list. Only a newline in the name has it escaped here.
pub fn verdict(name: &[u8], verdict: &str, out: &mut Vec<u8>) {
    let escaped = name.contains(&b'\n');
    if escaped {
        out.push(b'\\');
    }
    write_name(name, escaped, out);
    out.extend(b": ");
    out.extend(verdict.as_bytes());
    out.push(b'\n');
}

fn write_name(name: &[u8], escaped: bool, out: &mut Vec<u8>) {
    if escaped {
        escape::escape(name, out);
    } else {
        out.extend(name);
    }
}
