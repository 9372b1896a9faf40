//! What Python gets back: a list of `bytes`, one numpy array, an Arrow array, or the caller's own
//! buffer.

use std::ops::Range;
use std::sync::Arc;
use std::{ptr, slice};

use arrow_array::{ArrayRef, FixedSizeBinaryArray, LargeBinaryArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::arrow::array::Array;
use crate::buffers::Output;
use crate::hashing::Room;
use crate::{error, memory};

/// The results of a call, in the order of its buffers.
pub enum Records {
    /// All of one length, one behind another.
    Fixed {
        /// The bytes of all.
        bytes: Vec<u8>,
        /// Bytes of each.
        len: usize,
        /// How many.
        count: usize,
    },
    /// Of any lengths, one behind another.
    Packed {
        /// The bytes of all.
        bytes: Vec<u8>,
        /// Where each ends.
        ends: Vec<usize>,
    },
    /// Each on its own.
    Apart(Vec<Vec<u8>>),
}

/// The form of results that a caller asks for.
pub struct Wanted<'py> {
    py: Python<'py>,
    form: Form<'py>,
}

/// Writes the results of some of a call's buffers.
pub type Work<'w> = dyn Fn(Range<usize>, Room<'_, '_>) -> PyResult<()> + Sync + 'w;

enum Form<'py> {
    Bytes,
    Numpy,
    Arrow,
    Into(Bound<'py, PyAny>, Output),
}

impl<'py> Wanted<'py> {
    /// The form that the arguments `result` and `out` ask for: a list of `bytes` without them.
    ///
    /// # Errors
    /// `ValueError` for another `result`, or where both are given; as [`Output::new`] for `out`.
    pub fn new(
        py: Python<'py>,
        result: Option<&str>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Wanted<'py>> {
        let form = match (result, out) {
            (Some(_), Some(_)) => {
                return Err(PyValueError::new_err("result and out are given; give one of them"));
            }
            (None, Some(object)) => {
                let output = Output::new(&object)?;
                Form::Into(object, output)
            }
            (None | Some("bytes"), None) => Form::Bytes,
            (Some("numpy"), None) => Form::Numpy,
            (Some("arrow"), None) => Form::Arrow,
            (Some(other), None) => {
                let valid = ["bytes", "numpy", "arrow"].into_iter();
                return Err(error::no_such("form of results", other, valid));
            }
        };
        Ok(Wanted { py, form })
    }

    /// The GIL.
    pub fn py(&self) -> Python<'py> {
        self.py
    }

    /// Looks whether `out`, where it is given, has room for exactly so many bytes, before any work
    /// is done.
    ///
    /// # Errors
    /// `ValueError` with both lengths.
    pub fn check_room(&self, len: usize) -> PyResult<()> {
        match &self.form {
            Form::Into(_, output) if output.len() != len => Err(PyValueError::new_err(format!(
                "out has {} bytes, and the results have {len}",
                output.len()
            ))),
            _ => Ok(()),
        }
    }

    /// Gives `count` results of `len` bytes each in this form. `work` writes them, on so many
    /// threads, without the GIL.
    ///
    /// # Errors
    /// As [`give`](Self::give).
    pub fn fill(
        self,
        (count, threads): (usize, usize),
        len: usize,
        work: &Work<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match self.form {
            Form::Bytes => list(py, (count, threads), len, work),
            Form::Numpy => {
                let array = numpy(py, count, len)?;
                Output::new(&array)?.fill(py, &|bytes| work(0..count, Room::Packed(bytes)))?;
                Ok(array)
            }
            Form::Arrow | Form::Into(..) => {
                let mut bytes = memory::touched_zeros(count * len)?;
                py.detach(|| work(0..count, Room::Packed(&mut bytes)))?;
                self.give(Records::Fixed { bytes, len, count })
            }
        }
    }

    /// Gives results in this form.
    ///
    /// # Errors
    /// `ValueError` where `out` has another length, or for a numpy array of results of different
    /// lengths; `ImportError` without numpy; `MemoryError`.
    pub fn give(self, records: Records) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match self.form {
            Form::Bytes => records.list(py),
            Form::Numpy => records.numpy(py),
            Form::Arrow => Ok(Bound::new(py, Array::new("", records.arrow()))?.into_any()),
            Form::Into(object, output) => {
                let bytes = records.packed();
                if output.len() != bytes.len() {
                    return Err(PyValueError::new_err(format!(
                        "out has {} bytes, and the results have {}",
                        output.len(),
                        bytes.len()
                    )));
                }
                output.write(py, &bytes);
                Ok(object)
            }
        }
    }
}

/// An array of zeros, which nobody else has.
fn numpy(py: Python<'_>, count: usize, len: usize) -> PyResult<Bound<'_, PyAny>> {
    py.import("numpy")?.call_method1("zeros", ((count, len), "uint8"))
}

/// The least objects of a [round](list): their memory fits the second cache.
const ROUND: usize = 8192;
/// Rounds of one call at most. Each gives the GIL away and takes it back, for which a thread may
/// have to wait as long as another one computes.
const ROUNDS: usize = 16;

/// A list of `count` objects of `len` bytes each, which `work` writes without the GIL.
///
/// They are made and written in rounds. So their places need little memory, and the objects are
/// still in a cache when they are written. Several threads do all of the work in one round, because
/// each round starts them.
fn list<'py>(
    py: Python<'py>,
    (count, threads): (usize, usize),
    len: usize,
    work: &Work<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    if len == 0 {
        return Ok(PyList::new(py, (0..count).map(|_| PyBytes::new(py, &[])))?.into_any());
    }
    let most = if threads > 1 { count } else { ROUND.max(count.div_ceil(ROUNDS)).min(count) };
    let (mut objects, mut places) = (Vec::with_capacity(most), Vec::with_capacity(most));
    let list = PyList::empty(py);
    let mut start = 0;
    while start < count {
        let end = count.min(start + most);
        for _ in start..end {
            let mut place = ptr::null_mut();
            objects.push(PyBytes::new_with(py, len, |bytes| {
                place = bytes.as_mut_ptr();
                Ok(())
            })?);
            // SAFETY: the object has so many bytes there, which are zeros, and keeps them in place.
            // It was made for this call alone, since only empty `bytes` are shared, and no other
            // code knows it before all places of its round are given up. `objects` holds it until
            // then.
            places.push(unsafe { slice::from_raw_parts_mut(place, len) });
        }
        py.detach(|| work(start..end, Room::Apart(&mut places)))?;
        places.clear();
        objects.drain(..).try_for_each(|object| list.append(object))?;
        start = end;
    }
    Ok(list.into_any())
}

impl Records {
    /// A list of `bytes`.
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bytes = |bytes: &[u8]| memory::bytes(py, bytes);
        let each: PyResult<Vec<_>> = match self {
            Records::Fixed { bytes: all, len, count } => {
                (0..*count).map(|index| bytes(&all[index * len..][..*len])).collect()
            }
            Records::Packed { bytes: all, ends } => {
                let starts = std::iter::once(&0).chain(ends);
                starts.zip(ends).map(|(&a, &b)| bytes(&all[a..b])).collect()
            }
            Records::Apart(each) => each.iter().map(|each| bytes(each)).collect(),
        };
        Ok(PyList::new(py, each?)?.into_any())
    }

    /// One array of bytes with a row for each result.
    fn numpy<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (len, count) = self.shape()?;
        let array = numpy(py, count, len)?;
        Output::new(&array)?.write(py, &self.packed());
        Ok(array)
    }

    /// Bytes of each result, where all have as many, and how many there are.
    fn shape(&self) -> PyResult<(usize, usize)> {
        let lens: Vec<usize> = match self {
            Records::Fixed { len, count, .. } => return Ok((*len, *count)),
            Records::Packed { ends, .. } => {
                std::iter::once(&0).chain(ends).zip(ends).map(|(a, b)| b - a).collect()
            }
            Records::Apart(each) => each.iter().map(Vec::len).collect(),
        };
        let first = lens.first().copied().unwrap_or(0);
        match lens.iter().position(|&len| len != first) {
            None => Ok((first, lens.len())),
            Some(other) => Err(PyValueError::new_err(format!(
                "one numpy array needs results of one length: result 0 has {first} bytes and \
                 result {other} has {}",
                lens[other]
            ))),
        }
    }

    /// An Arrow array: of fixed-size binary where the length is known, else of large binary.
    pub fn arrow(self) -> ArrayRef {
        match self {
            Records::Fixed { bytes, len, .. } => {
                let len = i32::try_from(len).expect("a digest has at most 64 bytes");
                Arc::new(FixedSizeBinaryArray::new(len, Buffer::from_vec(bytes), None))
            }
            Records::Packed { bytes, ends } => {
                let ends = std::iter::once(0).chain(ends).map(|end| end as i64);
                let offsets = OffsetBuffer::new(ends.collect::<Vec<_>>().into());
                Arc::new(LargeBinaryArray::new(offsets, Buffer::from_vec(bytes), None))
            }
            Records::Apart(each) => {
                let ends = each.iter().scan(0, |end, each| {
                    *end += each.len();
                    Some(*end)
                });
                Records::Packed { ends: ends.collect(), bytes: each.concat() }.arrow()
            }
        }
    }

    /// The bytes of all results, one behind another.
    fn packed(self) -> Vec<u8> {
        match self {
            Records::Fixed { bytes, .. } | Records::Packed { bytes, .. } => bytes,
            Records::Apart(each) => each.concat(),
        }
    }
}
