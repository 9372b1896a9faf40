//! File names as checksum lines write them: newline, carriage return and backslash escaped.

/// Returns `true` if a checksum line must escape the name, and say so with a backslash in front.
pub fn needs_escape(name: &[u8]) -> bool {
    name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r'))
}

/// The escaped name.
pub fn escaped(name: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(2 * name.len());
    for &byte in name {
        match byte {
            b'\\' => text.extend(b"\\\\"),
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            _ => text.push(byte),
        }
    }
    text
}

/// The name that an escaped one stands for; `None` where a backslash is followed by anything else
/// than `\`, `n` or `r`.
pub fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(name)
}
