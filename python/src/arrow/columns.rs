//! What is done to the columns of a table.

use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::DataType;
use broadloom::{Algorithm, Session};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::array::{Array, ChunkedArray};
use super::import::{Stream, import_array};
use super::values::{self, Column};
use crate::buffers::{Buffers, type_name};
use crate::hashing::{Hashing, Room};
use crate::many::aead::{self, Packets};
use crate::{arguments, memory};

/// Digests of the values of a column.
#[pyfunction]
#[pyo3(signature = (array, algorithm, *, threads))]
pub fn hash_column<'py>(
    array: &Bound<'py, PyAny>,
    algorithm: &str,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    digests(array, &Hashing::hash(algorithm)?, arguments::threads(threads)?)
}

/// HMACs of the values of a column.
#[pyfunction]
#[pyo3(signature = (array, key, algorithm, *, threads))]
pub fn hmac_column<'py>(
    array: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    algorithm: &str,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    digests(array, &Hashing::hmac(algorithm, key)?, arguments::threads(threads)?)
}

fn digests<'py>(
    array: &Bound<'py, PyAny>,
    hashing: &Hashing,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let len = hashing.digest_len() as i32;
    map(array, &DataType::FixedSizeBinary(len), PLACES, &|_, column| {
        let room = memory::check(column.len(), hashing.digest_len())?;
        let mut digests = memory::touched_zeros(room)?;
        let room = Room::Packed(&mut digests);
        hashing.digests(&column.values(), 0..column.len(), threads, room)?;
        let nulls = column.nulls().cloned();
        Ok(Arc::new(FixedSizeBinaryArray::new(len, Buffer::from_vec(digests), nulls)))
    })
}

/// Encrypts the values of a column: each becomes a random nonce, its ciphertext and its tag.
///
/// :param array: strings or bytes, as `sha256` takes them.
/// :param key: as long as the algorithm needs: 32 bytes for `aes-256-gcm`.
/// :param algorithm: as of `seal_many`. Under one key, AES-GCM must not encrypt more than 2^32
///     values.
/// :param associated: bytes that `decrypt_column` must be given, too: the name of the column, say.
/// :raises ValueError: the key has another length, or there is no such algorithm.
///
/// >>> import os, pyarrow
/// >>> from broadloom.arrow import decrypt_column, encrypt_column
/// >>> key = os.urandom(32)
/// >>> sealed = encrypt_column(pyarrow.array(["warp", None]), key, associated=b"users.name")
/// >>> [cell and len(cell) for cell in sealed.to_pylist()]
/// [32, None]
/// >>> opened = decrypt_column(sealed, key, associated=b"users.name", text=True)
/// >>> opened.to_pylist()
/// ['warp', None]
#[pyfunction]
#[pyo3(
    signature = (array, key, algorithm = "aes-256-gcm", *, associated = None, threads = Some(1)),
    text_signature = "(array, key, algorithm='aes-256-gcm', *, associated=None, threads=1)"
)]
pub fn encrypt_column<'py>(
    array: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    algorithm: &str,
    associated: Option<Bound<'py, PyAny>>,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = arguments::threads(threads)?;
    let session = aead::session(algorithm, key, true)?;
    let head = nonce_len(&session)?;
    let associated = associated.map(|data| Buffers::one(&data, "associated")).transpose()?;
    let associated = associated.as_ref().map_or(&[][..], |data| data.get(0));
    map(array, &DataType::LargeBinary, PLACES + TEXTS + head, &|first, column| {
        let (values, present) = (column.values(), present(column));
        let len = present.len() * head;
        let mut nonces = memory::zeros(len).ok_or_else(|| memory::none_left(len))?;
        getrandom::fill(&mut nonces).map_err(|error| {
            PyRuntimeError::new_err(format!("the system has no random bytes: {error}"))
        })?;
        let packets = Packets {
            count: present.len(),
            text: &|index| values.get(present[index]),
            nonce: &|index| &nonces[index * head..][..head],
            associated: &|_| associated,
            head,
        };
        let sealed = packets.seal(&session, threads);
        let (bytes, ends) =
            sealed.map_err(|error| error.raise(&|index| value(first + present[index])))?;
        let (offsets, nulls) = (offsets(column, &ends), column.nulls().cloned());
        Ok(Arc::new(LargeBinaryArray::new(offsets, Buffer::from_vec(bytes), nulls)))
    })
}

/// Decrypts the values of a column that `encrypt_column` made, as bytes, or as strings with
/// `text=True`.
///
/// :raises InvalidTag: values were changed, or key or associated data are others. `indices` lists
///     the rows. Nothing is given then.
/// :raises ValueError: a value is shorter than a nonce and a tag, or is no text.
#[pyfunction]
#[pyo3(
    signature = (
        array, key, algorithm = "aes-256-gcm", *, associated = None, text = false, threads = Some(1)
    ),
    text_signature = "(array, key, algorithm='aes-256-gcm', *, associated=None, text=False, \
        threads=1)"
)]
pub fn decrypt_column<'py>(
    array: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    algorithm: &str,
    associated: Option<Bound<'py, PyAny>>,
    text: bool,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = arguments::threads(threads)?;
    let session = aead::session(algorithm, key, false)?;
    let head = nonce_len(&session)?;
    let associated = associated.map(|data| Buffers::one(&data, "associated")).transpose()?;
    let associated = associated.as_ref().map_or(&[][..], |data| data.get(0));
    let kind = if text { DataType::LargeUtf8 } else { DataType::LargeBinary };
    map(array, &kind, PLACES + TEXTS, &|first, column| {
        let (values, present) = (column.values(), present(column));
        if let Some(&row) = present.iter().find(|&&row| values.get(row).len() < head) {
            return Err(PyValueError::new_err(format!(
                "{} has {} bytes, and its nonce alone has {head}",
                value(first + row).1,
                values.get(row).len()
            )));
        }
        let packets = Packets {
            count: present.len(),
            text: &|index| &values.get(present[index])[head..],
            nonce: &|index| &values.get(present[index])[..head],
            associated: &|_| associated,
            head: 0,
        };
        let (bytes, ends) = packets
            .open(&session, threads)
            .map_err(|error| error.raise(&|index| value(first + present[index])))?;
        let (offsets, bytes) = (offsets(column, &ends), Buffer::from_vec(bytes));
        let nulls = column.nulls().cloned();
        if !text {
            return Ok(Arc::new(LargeBinaryArray::new(offsets, bytes, nulls)));
        }
        let strings = LargeStringArray::try_new(offsets, bytes, nulls).map_err(|error| {
            PyValueError::new_err(format!(
                "the values are no text in UTF-8: {error}; without text=True they are bytes"
            ))
        })?;
        Ok(Arc::new(strings))
    })
}

/// The place of a value, and its name.
fn value(row: usize) -> (usize, String) {
    (row, format!("value {row}"))
}

/// The rows that are not null.
fn present(column: &Column) -> Vec<usize> {
    (0..column.len()).filter(|&row| column.is_valid(row)).collect()
}

/// Where the values of all rows begin and end, from where those that are not null end.
fn offsets(column: &Column, ends: &[usize]) -> OffsetBuffer<i64> {
    let (mut ends, mut end) = (ends.iter(), 0);
    let rows = (0..column.len()).map(|row| {
        if column.is_valid(row) {
            end = ends.next().map_or(end, |&end| end as i64);
        }
        end
    });
    OffsetBuffer::new(std::iter::once(0).chain(rows).collect::<Vec<_>>().into())
}

/// Lengths of random nonces, the usual one first.
const NONCES: [usize; 2] = [12, 24];

/// Bytes of a nonce that stands before a value: 12, or the longer ones of an AEAD that has no such.
fn nonce_len(session: &Session) -> PyResult<usize> {
    let Algorithm::Aead(aead) = session.algorithm() else {
        unreachable!("sessions of AEADs are opened above");
    };
    let found = NONCES.into_iter().find(|&len| aead.nonce_lens().contains(len));
    found.ok_or_else(|| PyValueError::new_err(format!("{aead} has no nonces of 12 or 24 bytes")))
}

/// Bytes of a row's places among the values of a dictionary or of runs.
const PLACES: usize = 2 * size_of::<usize>();
/// Bytes that a row takes beside its value where values of several lengths are made: its place, its
/// end, its offset.
const TEXTS: usize = 3 * size_of::<usize>();

/// Does something to an array, or to each chunk of a stream, without the GIL. The result has the
/// type `kind` and the name of the column, and belongs to the library that the object is of, if
/// that is a known one. `work` is told how many rows come before.
///
/// `row` is the number of bytes that a row takes beside its value. They are looked for before the
/// work, because an array of nulls or of runs can have any number of rows.
fn map<'py>(
    object: &Bound<'py, PyAny>,
    kind: &DataType,
    row: usize,
    work: &(dyn Fn(usize, &Column) -> PyResult<ArrayRef> + Sync),
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let library = py.import("broadloom._arrow")?;
    let checked = library.call_method1("checked", (object,))?;
    let made = map_to_own(&checked, kind, row, work)?;
    library.call_method1("returned", (object, made))
}

/// The same, whose result belongs to this package.
fn map_to_own<'py>(
    object: &Bound<'py, PyAny>,
    kind: &DataType,
    row: usize,
    work: &(dyn Fn(usize, &Column) -> PyResult<ArrayRef> + Sync),
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    if object.hasattr("__arrow_c_array__")? {
        let (field, array) = import_array(object)?;
        memory::check(array.len(), row)?;
        let array = py.detach(|| work(0, &Column::new(&array)))?;
        return Ok(Bound::new(py, Array::new(values::leaf(&field).name(), array))?.into_any());
    }
    if !object.hasattr("__arrow_c_stream__")? {
        return Err(PyTypeError::new_err(format!(
            "{} is no Arrow array: it has neither __arrow_c_array__ nor __arrow_c_stream__",
            type_name(object)
        )));
    }
    let mut stream = Stream::new(object)?;
    let (mut chunks, mut first) = (Vec::new(), 0);
    // A producer may take the GIL, so that it is asked while this thread has it.
    while let Some(array) = stream.next()? {
        memory::check(array.len(), row)?;
        chunks.push(py.detach(|| work(first, &Column::new(&array)))?);
        first += array.len();
    }
    let name = values::leaf(stream.field()).name();
    Ok(Bound::new(py, ChunkedArray::new(name, kind.clone(), chunks))?.into_any())
}
