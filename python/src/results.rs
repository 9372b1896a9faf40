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
use zeroize::Zeroize;

use crate::arrow::array::Array;
use crate::buffers::Output;
use crate::hashing::Room;
use crate::windows::Failures;
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

/// Writes some results of which it is told where each ends among all of them, and returns which
/// buffers failed.
pub type EachWork<'w> =
    dyn Fn(&[usize], Range<usize>, Room<'_, '_>) -> PyResult<Failures> + Sync + 'w;

/// Writes the results of some of a call's buffers.
pub type RangeWork<'w> = dyn Fn(Range<usize>, Room<'_, '_>) -> PyResult<()> + Sync + 'w;

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
        work: &RangeWork<'_>,
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

    /// Gives results that end there among all of them in this form. `work` writes them, on so many
    /// threads, without the GIL, and `judge` sees which failed. If there is an error, all that was
    /// written is wiped.
    ///
    /// # Errors
    /// Those of `work` and of `judge`; as [`give`](Self::give).
    pub fn fill_each(
        self,
        threads: usize,
        ends: Vec<usize>,
        work: &EachWork<'_>,
        judge: &dyn Fn(Failures) -> PyResult<()>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        if matches!(self.form, Form::Bytes) {
            return list_of_each(py, threads, &ends, work, judge);
        }
        let mut bytes = memory::touched_zeros(ends.last().copied().unwrap_or(0))?;
        let failed = py.detach(|| work(&ends, 0..ends.len(), Room::Packed(&mut bytes)));
        if let Err(error) = failed.and_then(judge) {
            bytes.zeroize();
            return Err(error);
        }
        self.give(Records::Packed { bytes, ends })
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
            Form::Arrow => Ok(Bound::new(py, Array::new("", records.arrow()?))?.into_any()),
            Form::Into(object, output) => {
                let bytes = records.packed()?;
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
    work: &RangeWork<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let most = if threads > 1 { count } else { ROUND.max(count.div_ceil(ROUNDS)).min(count) };
    let (mut objects, mut places) = (memory::with_capacity(most)?, memory::with_capacity(most)?);
    let list = PyList::empty(py);
    if len == 0 {
        // Empty `bytes` are one object, which is nobody's to write to.
        (0..count).try_for_each(|_| list.append(PyBytes::new(py, &[])))?;
        return Ok(list.into_any());
    }
    let mut start = 0;
    while start < count {
        let end = count.min(start + most);
        for _ in start..end {
            let (object, place) = object(py, len)?;
            objects.push(object);
            // SAFETY: the object was made for this call alone, no other code knows it before all
            // places of its round are given up, and `objects` holds it until then.
            places.push(unsafe { slice::from_raw_parts_mut(place, len) });
        }
        py.detach(|| work(start..end, Room::Apart(&mut places)))?;
        places.clear();
        objects.drain(..).try_for_each(|object| list.append(object))?;
        start = end;
    }
    Ok(list.into_any())
}

/// An object of `len` zeros, and where they are. It keeps them in place. Nobody else has it, unless
/// it is empty: empty `bytes` are one object.
fn object(py: Python<'_>, len: usize) -> PyResult<(Bound<'_, PyBytes>, *mut u8)> {
    let mut place = ptr::null_mut();
    let object = PyBytes::new_with(py, len, |bytes| {
        place = bytes.as_mut_ptr();
        Ok(())
    })?;
    Ok((object, place))
}

/// Bytes of a round of [objects of any length](list_of_each) at least: with what they are made of,
/// they fit the second cache.
const ROUND_BYTES: usize = 256 << 10;

/// A list of objects that end there among all of them, which `work` writes without the GIL, in
/// rounds as [`list`] does. If there is an error, nobody sees what was written, and it is wiped.
fn list_of_each<'py>(
    py: Python<'py>,
    threads: usize,
    ends: &[usize],
    work: &EachWork<'_>,
    judge: &dyn Fn(Failures) -> PyResult<()>,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut objects, mut places) =
        (memory::with_capacity(ends.len())?, memory::with_capacity(ends.len())?);
    let failed = write_rounds(py, threads, ends, work, &mut objects, &mut places);
    if let Err(error) = failed.and_then(judge) {
        places.into_iter().for_each(|place| place.zeroize());
        return Err(error);
    }
    drop(places);
    let list = PyList::empty(py);
    objects.into_iter().try_for_each(|object| list.append(object))?;
    Ok(list.into_any())
}

/// Makes objects that end there among all of them, and their places, has `work` write them, and
/// returns which failed.
fn write_rounds<'py>(
    py: Python<'py>,
    threads: usize,
    ends: &[usize],
    work: &EachWork<'_>,
    objects: &mut Vec<Bound<'py, PyBytes>>,
    places: &mut Vec<&mut [u8]>,
) -> PyResult<Failures> {
    let total = ends.last().copied().unwrap_or(0);
    let most = if threads > 1 { total } else { ROUND_BYTES.max(total / ROUNDS) };
    let (mut failed, mut end) = (Failures::new(), 0);
    while places.len() < ends.len() {
        let (start, until) = (places.len(), end + most);
        while let Some(&next) = ends.get(places.len())
            && (next <= until || places.len() == start)
        {
            let (object, place) = object(py, next - end)?;
            objects.push(object);
            // SAFETY: the object was made for this call alone, no other code knows it before all
            // places are given up, and `objects` holds it until then.
            places.push(unsafe { slice::from_raw_parts_mut(place, next - end) });
            end = next;
        }
        let round = start..places.len();
        let places = &mut places[start..];
        failed.extend(py.detach(|| work(ends, round, Room::Apart(places)))?);
    }
    Ok(failed)
}

impl Records {
    /// A list of `bytes`.
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let list = PyList::empty(py);
        let append = |bytes: &[u8]| list.append(memory::bytes(py, bytes)?);
        match self {
            Records::Fixed { bytes, len, count } => {
                (0..*count).try_for_each(|index| append(&bytes[index * len..][..*len]))?;
            }
            Records::Packed { bytes, ends } => {
                let mut starts = std::iter::once(&0).chain(ends).zip(ends);
                starts.try_for_each(|(&start, &end)| append(&bytes[start..end]))?;
            }
            Records::Apart(each) => each.iter().try_for_each(|each| append(each))?,
        }
        Ok(list.into_any())
    }

    /// One array of bytes with a row for each result.
    fn numpy<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (len, count) = self.shape()?;
        let array = numpy(py, count, len)?;
        Output::new(&array)?.write(py, &self.packed()?);
        Ok(array)
    }

    /// Bytes of each result, where all have as many, and how many there are.
    fn shape(&self) -> PyResult<(usize, usize)> {
        let lens: Vec<usize> =
            match self {
                Records::Fixed { len, count, .. } => return Ok((*len, *count)),
                Records::Packed { ends, .. } => memory::collect((0..ends.len()).map(|index| {
                    ends[index] - index.checked_sub(1).map_or(0, |before| ends[before])
                }))?,
                Records::Apart(each) => memory::collect(each.iter().map(Vec::len))?,
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
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn arrow(self) -> PyResult<ArrayRef> {
        match self {
            Records::Fixed { bytes, len, .. } => {
                let len = i32::try_from(len).expect("a digest has at most 64 bytes");
                Ok(Arc::new(FixedSizeBinaryArray::new(len, Buffer::from_vec(bytes), None)))
            }
            Records::Packed { bytes, ends } => {
                let mut offsets = memory::with_capacity(ends.len() + 1)?;
                offsets.push(0);
                offsets.extend(ends.iter().map(|&end| end as i64));
                let offsets = OffsetBuffer::new(offsets.into());
                Ok(Arc::new(LargeBinaryArray::new(offsets, Buffer::from_vec(bytes), None)))
            }
            Records::Apart(each) => {
                let mut end = 0;
                let ends = memory::collect(each.iter().map(|each| {
                    end += each.len();
                    end
                }))?;
                Records::Packed { ends, bytes: memory::concat(&each)? }.arrow()
            }
        }
    }

    /// The bytes of all results, one behind another.
    fn packed(self) -> PyResult<Vec<u8>> {
        match self {
            Records::Fixed { bytes, .. } | Records::Packed { bytes, .. } => Ok(bytes),
            Records::Apart(each) => memory::concat(&each),
        }
    }
}
