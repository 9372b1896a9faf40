//! The caller's memory: the only place that reads and writes it.
//!
//! What holds for every pointer of PKCS #11: it is null, or points to as many elements as the
//! length beside it says, valid until the call returns.

use std::slice;

use cryptoki_sys::*;
use zeroize::{Zeroize, Zeroizing};

/// A result, or the code that PKCS #11 has for what went wrong.
pub type Outcome<T = ()> = Result<T, CK_RV>;

/// A length of the caller's.
pub fn length(len: CK_ULONG) -> Outcome<usize> {
    usize::try_from(len).ok().filter(|&len| isize::try_from(len).is_ok()).ok_or(CKR_ARGUMENTS_BAD)
}

/// Elements to read.
///
/// # Safety
/// The pointer is as the module says, or dangling with a length of 0.
pub unsafe fn read<'a, T>(pointer: *const T, len: CK_ULONG) -> Outcome<&'a [T]> {
    let len = length(len)?;
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() || len.checked_mul(size_of::<T>()).is_none() {
        return Err(CKR_ARGUMENTS_BAD);
    }
    // SAFETY: the pointer is not null, so that it points to so many elements.
    Ok(unsafe { slice::from_raw_parts(pointer, len) })
}

/// Elements to write.
///
/// # Safety
/// The pointer is as the module says, and nothing else refers to the elements.
pub unsafe fn write<'a, T>(pointer: *mut T, len: CK_ULONG) -> Outcome<&'a mut [T]> {
    let len = length(len)?;
    if len == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() || len.checked_mul(size_of::<T>()).is_none() {
        return Err(CKR_ARGUMENTS_BAD);
    }
    // SAFETY: the pointer is not null, so that it points to so many elements of the caller's.
    Ok(unsafe { slice::from_raw_parts_mut(pointer, len) })
}

/// Writes a value where the caller wants it.
///
/// # Safety
/// The pointer is null, or points to room for the value.
pub unsafe fn put<T>(pointer: *mut T, value: T) -> Outcome {
    if pointer.is_null() {
        return Err(CKR_ARGUMENTS_BAD);
    }
    // SAFETY: the pointer is not null, so that it points to room.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Two outcomes as one; the first error counts.
pub fn both<A, B>(one: Outcome<A>, other: Outcome<B>) -> Outcome<(A, B)> {
    Ok((one?, other?))
}

/// Where bytes go, with the length beside them (PKCS #11, 5.2): without a buffer, the caller asks
/// for the length alone.
pub struct Output {
    buffer: *mut u8,
    len: *mut CK_ULONG,
}

impl Output {
    /// # Safety
    /// Until the call returns, `len` is null or points to the length of the buffer, and the buffer
    /// is null or has so many bytes.
    pub unsafe fn new(buffer: *mut u8, len: *mut CK_ULONG) -> Outcome<Output> {
        if len.is_null() { Err(CKR_ARGUMENTS_BAD) } else { Ok(Output { buffer, len }) }
    }

    /// Returns `true` if the caller asks for the length alone.
    pub fn is_query(&self) -> bool {
        self.buffer.is_null()
    }

    /// Says how many bytes are needed, and whether to go on: there is a buffer, and it has room.
    ///
    /// # Errors
    /// `CKR_BUFFER_TOO_SMALL`.
    pub fn ask(&mut self, needed: usize) -> Outcome<bool> {
        // SAFETY: the pointer is not null, so that it points to a length.
        let room = unsafe { self.len.replace(needed as CK_ULONG) };
        if self.is_query() {
            return Ok(false);
        }
        if room < needed as CK_ULONG { Err(CKR_BUFFER_TOO_SMALL) } else { Ok(true) }
    }

    /// Writes the bytes where there is room. Says whether it did; where it did not, the caller
    /// asked for the length alone.
    ///
    /// # Errors
    /// `CKR_BUFFER_TOO_SMALL`.
    pub fn give(&mut self, bytes: &[u8]) -> Outcome<bool> {
        let goes_on = self.ask(bytes.len())?;
        if goes_on && !bytes.is_empty() {
            // SAFETY: there is room for so many bytes. The source may overlap: it is the caller's,
            // too, where a function writes over its input.
            unsafe { bytes.as_ptr().copy_to(self.buffer, bytes.len()) };
        }
        Ok(goes_on)
    }
}

/// A list of values, as [`Output`] has bytes.
///
/// # Safety
/// As [`Output::new`], in elements.
pub unsafe fn give_list<T: Copy>(list: &[T], to: *mut T, len: *mut CK_ULONG) -> Outcome {
    if len.is_null() {
        return Err(CKR_ARGUMENTS_BAD);
    }
    // SAFETY: the pointer is not null, so that it points to a length.
    let room = unsafe { len.replace(list.len() as CK_ULONG) };
    if to.is_null() {
        return Ok(());
    }
    if room < list.len() as CK_ULONG {
        return Err(CKR_BUFFER_TOO_SMALL);
    }
    // SAFETY: the buffer has room for so many elements.
    unsafe { list.as_ptr().copy_to(to, list.len()) };
    Ok(())
}

/// A template: types and values of attributes, in the caller's order.
///
/// # Safety
/// The pointer is as the module says, and so is each attribute's.
pub unsafe fn template(
    attributes: *const CK_ATTRIBUTE,
    count: CK_ULONG,
) -> Outcome<Vec<(CK_ATTRIBUTE_TYPE, Zeroizing<Vec<u8>>)>> {
    // SAFETY: passed on to the caller.
    let attributes = unsafe { read(attributes, count) }?;
    let one = |attribute: &CK_ATTRIBUTE| {
        // SAFETY: passed on to the caller.
        let value = unsafe { read(attribute.pValue.cast::<u8>(), attribute.ulValueLen) };
        let value = value.map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)?;
        Ok((attribute.type_, Zeroizing::new(value.to_vec())))
    };
    attributes.iter().map(one).collect()
}

/// Appends to bytes that are secret: memory that grows leaves copies behind, unless the old one is
/// wiped.
pub fn append(secret: &mut Zeroizing<Vec<u8>>, data: &[u8]) {
    let len = secret.len() + data.len();
    if len > secret.capacity() {
        let mut all = Zeroizing::new(Vec::with_capacity(len.max(2 * secret.capacity())));
        all.extend_from_slice(secret);
        *secret = all;
    }
    secret.extend_from_slice(data);
}

/// Wipes so many bytes of the stack below the caller's frame: values that were moved, and registers
/// that were spilled, are still there after the functions that held them have returned.
#[inline(never)]
fn wipe_below<const WORDS: usize>() {
    let mut room = [0u64; WORDS];
    room.zeroize();
}

/// Wipes the stack that an operation with a key uses.
pub fn wipe_stack() {
    wipe_below::<{ (64 << 10) / size_of::<u64>() }>();
}

/// Wipes the stack that making a key or opening a queue uses. A queue's memory is made on the stack
/// and moved to its place, with all that was there before.
pub fn wipe_deep_stack() {
    wipe_below::<{ (160 << 10) / size_of::<u64>() }>();
}

/// Text, filled up with blanks as structures of PKCS #11 have it. Text that is too long is cut
/// between two characters.
pub fn padded<const LEN: usize>(text: &str) -> [u8; LEN] {
    let mut padded = [b' '; LEN];
    let mut end = text.len().min(LEN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    padded[..end].copy_from_slice(&text.as_bytes()[..end]);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_follows_the_convention() {
        let mut buffer = [0; 4];
        let mut len: CK_ULONG = 0;
        let output = |buffer: *mut u8, len: &mut CK_ULONG| {
            // SAFETY: the length is that of the buffer below, or the buffer is null.
            unsafe { Output::new(buffer, len) }.expect("there is a length")
        };
        assert_eq!(output(std::ptr::null_mut(), &mut len).give(b"abcd"), Ok(false));
        assert_eq!(len, 4);
        len = 3;
        assert_eq!(output(buffer.as_mut_ptr(), &mut len).give(b"abcd"), Err(CKR_BUFFER_TOO_SMALL));
        assert_eq!((len, buffer), (4, [0; 4]));
        assert_eq!(output(buffer.as_mut_ptr(), &mut len).give(b"abc"), Ok(true));
        assert_eq!((len, &buffer), (3, b"abc\0"));
    }

    #[test]
    fn text_is_padded_and_cut_between_characters() {
        assert_eq!(&padded::<6>("abc"), b"abc   ");
        assert_eq!(&padded::<3>("ab\u{e9}"), b"ab ");
    }
}
