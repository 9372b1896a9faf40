//! What Python hands in: many bytes-like objects, as slices that can be read without the GIL.
//!
//! An object that says it is read-only is *pinned*: it is held until the call ends, and its bytes
//! are read where they are. An object that can be written to is *copied* while the GIL is held, so
//! that a result is always that of the bytes at one moment, and no authenticated decryption reads
//! its input twice with a change in between.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView, PyString, PyTuple};
use zeroize::Zeroizing;

use crate::memory;

/// Bytes of an object that [`Buffers`] keeps.
struct View {
    start: *const u8,
    len: usize,
}

// SAFETY: a view is read only through `Buffers`, which keeps the bytes in place and unchanged, and
// no method of either writes. Any thread may read such bytes.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

/// What keeps the bytes of views where they are.
enum Keeper {
    /// The objects themselves: `bytes` neither move nor change.
    #[expect(dead_code, reason = "it is held, not read")]
    Objects(Py<PyTuple>),
    /// An export of a read-only buffer.
    #[expect(dead_code, reason = "it is held, not read")]
    Pin(PyUntypedBuffer),
    /// A copy of a buffer that can be written to.
    #[expect(dead_code, reason = "it is held, not read")]
    Copy(Vec<u8>),
    /// The same of a secret, which is wiped.
    #[expect(dead_code, reason = "it is held, not read")]
    Secret(Zeroizing<Vec<u8>>),
}

/// The buffers of one call, to be read by any thread without the GIL.
pub struct Buffers {
    views: Vec<View>,
    keepers: Vec<Keeper>,
    /// Copies are of secrets.
    are_secret: bool,
}

impl Buffers {
    /// The buffers of a list or any other iterable of bytes-like objects, or the rows of an array
    /// with two dimensions. `what` names the argument in errors.
    ///
    /// # Errors
    /// `TypeError` for an object that is not bytes-like, `BufferError` for one that is not in one
    /// piece, `MemoryError`.
    pub fn many(objects: &Bound<'_, PyAny>, what: &str) -> PyResult<Buffers> {
        Buffers::gather(objects, what, false)
    }

    /// The same for buffers that are secret, such as seeds of keys: copies of them are wiped.
    ///
    /// # Errors
    /// As [`many`](Buffers::many).
    pub fn secrets(objects: &Bound<'_, PyAny>, what: &str) -> PyResult<Buffers> {
        Buffers::gather(objects, what, true)
    }

    fn gather(objects: &Bound<'_, PyAny>, what: &str, are_secret: bool) -> PyResult<Buffers> {
        let mut buffers = Buffers { views: Vec::new(), keepers: Vec::new(), are_secret };
        if let Some(items) = items(objects)? {
            buffers.views = memory::with_capacity(items.len())?;
            for (index, item) in items.iter_borrowed().enumerate() {
                match item.cast_exact::<PyBytes>() {
                    Ok(bytes) => buffers.view(bytes.as_bytes()),
                    Err(_) => buffers.export(&item, || format!("{what}[{index}]"))?,
                }
            }
            buffers.keepers.push(Keeper::Objects(items.unbind()));
        } else {
            buffers.rows(objects, what)?;
        }
        Ok(buffers)
    }

    /// The buffer of one bytes-like object.
    ///
    /// # Errors
    /// As [`many`](Buffers::many).
    pub fn one(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Buffers> {
        let views = Vec::with_capacity(1);
        let mut buffers = Buffers { views, keepers: Vec::new(), are_secret: false };
        buffers.export(object, || what.to_owned())?;
        Ok(buffers)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// The bytes of one.
    #[inline]
    pub fn get(&self, index: usize) -> &[u8] {
        let View { start, len } = self.views[index];
        // SAFETY: `start` and `len` are of a slice whose bytes a keeper holds for as long as `self`
        // lives: a `bytes` object of a tuple, an export, or a copy. Copies and `bytes` never
        // change. An export says that it is read-only, and whoever made a read-only view of memory
        // that changes was told not to write to it during the call (README, "Mutable buffers").
        unsafe { std::slice::from_raw_parts(start, len) }
    }

    /// Adds a view. A keeper holds the bytes.
    fn view(&mut self, bytes: &[u8]) {
        self.views.push(View { start: bytes.as_ptr(), len: bytes.len() });
    }

    /// Adds an object by the buffer protocol.
    fn export(&mut self, object: &Bound<'_, PyAny>, name: impl Fn() -> String) -> PyResult<()> {
        if let Ok(bytes) = object.cast::<PyByteArray>() {
            // SAFETY: the GIL is held, and no Python code runs before the copy is made.
            self.copy(memory::copy(unsafe { bytes.as_bytes() })?);
            return Ok(());
        }
        let buffer = export(object, name)?;
        if buffer.readonly() {
            self.view(exported(&buffer, object.py()));
            self.keepers.push(Keeper::Pin(buffer));
        } else {
            self.copy(memory::copy(exported(&buffer, object.py()))?);
        }
        Ok(())
    }

    fn copy(&mut self, bytes: Vec<u8>) {
        self.view(&bytes);
        let keeper = self.keep(bytes);
        self.keepers.push(keeper);
    }

    /// Returns what keeps a copy where it is.
    fn keep(&self, bytes: Vec<u8>) -> Keeper {
        match self.are_secret {
            true => Keeper::Secret(Zeroizing::new(bytes)),
            false => Keeper::Copy(bytes),
        }
    }

    /// Adds the rows of an array with two dimensions.
    fn rows(&mut self, array: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
        let buffer = export(array, || what.to_owned())?;
        let &[rows, _] = buffer.shape() else {
            return Err(PyTypeError::new_err(format!(
                "{what} is one {} of {} dimension(s); give a list of buffers, or an array of two \
                 dimensions, whose rows are the buffers",
                type_name(array),
                buffer.dimensions()
            )));
        };
        let row_len = buffer.len_bytes().checked_div(rows).unwrap_or(0);
        let (all, keeper) = if buffer.readonly() {
            let all: *const [u8] = exported(&buffer, array.py());
            (all, Keeper::Pin(buffer))
        } else {
            let copy = memory::copy(exported(&buffer, array.py()))?;
            (&raw const *copy, self.keep(copy))
        };
        let start = all.cast::<u8>();
        let row = |row| View { start: start.wrapping_add(row * row_len), len: row_len };
        self.views = memory::collect((0..rows).map(row))?;
        self.keepers.push(keeper);
        Ok(())
    }
}

/// The items of an iterable; `None` for a bytes-like object, whose items would be numbers.
fn items<'py>(objects: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyTuple>>> {
    if let Ok(tuple) = objects.cast_exact::<PyTuple>() {
        return Ok(Some(tuple.clone()));
    }
    if objects.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("a str is no list of buffers; encode it"));
    }
    if !objects.is_instance_of::<PyList>() && whole_export(objects).is_ok() {
        return Ok(None);
    }
    // A call, since pyo3's own conversion panics where there is no memory.
    let tuple = objects.py().get_type::<PyTuple>().call1((objects,))?;
    Ok(Some(tuple.cast_into::<PyTuple>()?))
}

/// The export of a bytes-like object in one piece.
fn export(object: &Bound<'_, PyAny>, name: impl Fn() -> String) -> PyResult<PyUntypedBuffer> {
    let buffer = whole_export(object).map_err(|_| {
        let (name, kind) = (name(), type_name(object));
        let hint = if object.is_instance_of::<PyString>() { "; encode it" } else { "" };
        PyTypeError::new_err(format!("{name} is {kind}, which is not bytes-like{hint}"))
    })?;
    if !buffer.is_c_contiguous() {
        return Err(PyBufferError::new_err(format!(
            "{} is not in one piece (C-contiguous); bytes() of it is",
            name()
        )));
    }
    Ok(buffer)
}

/// The export of any bytes-like object.
///
/// Some describe themselves in part: an array of ctypes has no strides, and a number of numpy no
/// shape. A `memoryview` adds the strides, and a number is so short that a copy will do.
fn whole_export(object: &Bound<'_, PyAny>) -> PyResult<PyUntypedBuffer> {
    PyUntypedBuffer::get(object).or_else(|_| {
        let view = PyMemoryView::from(object)?;
        match view.getattr("ndim")?.extract::<usize>()? {
            0 => PyUntypedBuffer::get(&view.call_method0("tobytes")?),
            _ => PyUntypedBuffer::get(&view),
        }
    })
}

/// The bytes of an export that was found to be in one piece.
fn exported<'b>(buffer: &'b PyUntypedBuffer, _gil: Python<'b>) -> &'b [u8] {
    if buffer.len_bytes() == 0 {
        return &[];
    }
    // SAFETY: an export in one piece has `len_bytes` bytes from `buf_ptr` on, for as long as it is
    // held. The GIL is held for the life of this slice, so that no Python code writes to them.
    unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes()) }
}

/// A copy of a bytes-like object that is a secret, to be wiped. There is no other copy.
///
/// # Errors
/// As [`Buffers::many`].
pub fn secret(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Zeroizing<Vec<u8>>> {
    let buffer = export(object, || what.to_owned())?;
    Ok(Zeroizing::new(memory::copy(exported(&buffer, object.py()))?))
}

/// A buffer that a caller gives for results.
pub struct Output(PyUntypedBuffer);

impl Output {
    /// The buffer of an object that can be written to.
    ///
    /// # Errors
    /// `TypeError` for an object that is not bytes-like, `ValueError` for one that is read-only,
    /// `BufferError` for one that is not in one piece.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Output> {
        let buffer = export(object, || "out".to_owned())?;
        match buffer.readonly() {
            true => Err(PyValueError::new_err("out is read-only; a bytearray can be written to")),
            false => Ok(Output(buffer)),
        }
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        self.0.len_bytes()
    }

    /// Has `work` write all of it, without the GIL. The caller has made the object, and has given
    /// it to nobody yet.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn fill(
        &self,
        py: Python<'_>,
        work: &(dyn Fn(&mut [u8]) -> PyResult<()> + Sync),
    ) -> PyResult<()> {
        if self.len() == 0 {
            return work(&mut []);
        }
        // SAFETY: the export is in one piece, can be written to, has as many bytes, and is held.
        // No other code knows the object, so that nobody else reads or writes its bytes.
        let bytes =
            unsafe { std::slice::from_raw_parts_mut(self.0.buf_ptr().cast::<u8>(), self.len()) };
        py.detach(|| work(bytes))
    }

    /// Writes all of it.
    pub fn write(&self, gil: Python<'_>, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.len(), "lengths are compared before");
        self.write_at(gil, 0, bytes);
    }

    /// Writes a part of it.
    pub fn write_at(&self, _gil: Python<'_>, start: usize, bytes: &[u8]) {
        assert!(start <= self.len() && bytes.len() <= self.len() - start, "it has room");
        // SAFETY: the export is in one piece, can be written to, has room for the bytes there, and
        // is held. `bytes` is memory of Rust's, apart from it. The GIL is held.
        unsafe {
            let to = self.0.buf_ptr().cast::<u8>().add(start);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
    }
}

/// The name of an object's type, for an error.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}
