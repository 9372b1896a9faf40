//! The form of all files: a head, and records of a number, a length and so many bytes.

use zeroize::Zeroizing;

use crate::memory::append;

/// What every file begins with; the last byte is the version of the form.
const HEAD: &[u8; 8] = b"bl-p11\0\x01";

/// A file in the making.
pub struct Writer(Zeroizing<Vec<u8>>);

impl Writer {
    pub fn new() -> Writer {
        Writer(Zeroizing::new(HEAD.to_vec()))
    }

    pub fn put(&mut self, number: u64, bytes: &[u8]) {
        append(&mut self.0, &number.to_le_bytes());
        append(&mut self.0, &(bytes.len() as u64).to_le_bytes());
        append(&mut self.0, bytes);
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The records of a file, in their order; `None` if the file is not of this form.
pub fn read(file: &[u8]) -> Option<Vec<(u64, &[u8])>> {
    let mut rest = file.strip_prefix(HEAD)?;
    let mut records = Vec::new();
    while !rest.is_empty() {
        let (number, after) = rest.split_first_chunk()?;
        let (len, after) = after.split_first_chunk()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        let (bytes, after) = after.split_at_checked(len)?;
        records.push((u64::from_le_bytes(*number), bytes));
        rest = after;
    }
    Some(records)
}

/// The first record of a number.
pub fn find<'r>(records: &[(u64, &'r [u8])], number: u64) -> Option<&'r [u8]> {
    records.iter().find(|(found, _)| *found == number).map(|(_, bytes)| *bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_every_cut_is_found() {
        let mut writer = Writer::new();
        writer.put(7, b"seven");
        writer.put(u64::MAX, b"");
        let file = writer.bytes();
        let records = read(file).expect("it was just written");
        assert_eq!(records, [(7, b"seven".as_slice()), (u64::MAX, b"")]);
        assert_eq!(find(&records, 7), Some(b"seven".as_slice()));
        let whole = [HEAD.len(), HEAD.len() + 16 + 5];
        for end in 0..file.len() {
            assert_eq!(read(&file[..end]).is_some(), whole.contains(&end), "{end}");
        }
        let mut other = file.to_vec();
        other[16] = 0xff;
        assert_eq!(read(&other), None);
    }
}
