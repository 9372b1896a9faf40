//! The bytes of the values of an array, whatever way they are laid out.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, LargeBinaryType, LargeUtf8Type,
    StringViewType, Utf8Type,
};
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, FixedSizeBinaryArray, GenericByteArray, GenericByteViewArray,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::hashing::Messages;

/// The types whose values are bytes.
const TYPES: &str = "string, large_string, string_view, binary, large_binary, binary_view, \
                     fixed-size binary, or one column of them";

/// Looks whether the values of a type are bytes, and are not a column within it.
///
/// # Errors
/// `TypeError`, with the types that are.
pub fn check(kind: &DataType) -> PyResult<()> {
    match kind {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Ok(()),
        DataType::Struct(fields) if fields.len() == 1 => check(fields[0].data_type()),
        DataType::Struct(fields) => Err(PyTypeError::new_err(format!(
            "a table of {} columns; select one of them",
            fields.len()
        ))),
        other => Err(PyTypeError::new_err(format!(
            "values of the type {other} are not bytes; valid: {TYPES}"
        ))),
    }
}

/// An array of a type that was [checked](check); of a table with one column, that column.
pub fn column(array: ArrayRef) -> ArrayRef {
    match array.as_struct_opt() {
        Some(table) => column(table.column(0).clone()),
        None => array,
    }
}

/// The bytes of the values of an array; a null has none.
pub enum Values<'a> {
    Utf8(&'a GenericByteArray<Utf8Type>),
    LargeUtf8(&'a GenericByteArray<LargeUtf8Type>),
    Utf8View(&'a GenericByteViewArray<StringViewType>),
    Binary(&'a GenericByteArray<BinaryType>),
    LargeBinary(&'a GenericByteArray<LargeBinaryType>),
    BinaryView(&'a GenericByteViewArray<BinaryViewType>),
    Fixed(&'a FixedSizeBinaryArray),
}

impl<'a> Values<'a> {
    /// The values of an array of a type that was [checked](check).
    pub fn new(array: &'a ArrayRef) -> Values<'a> {
        match array.data_type() {
            DataType::Utf8 => Values::Utf8(array.as_string()),
            DataType::LargeUtf8 => Values::LargeUtf8(array.as_string()),
            DataType::Utf8View => Values::Utf8View(array.as_string_view()),
            DataType::Binary => Values::Binary(array.as_binary()),
            DataType::LargeBinary => Values::LargeBinary(array.as_binary()),
            DataType::BinaryView => Values::BinaryView(array.as_binary_view()),
            _ => Values::Fixed(array.as_fixed_size_binary()),
        }
    }

    /// The bytes of one value.
    #[inline]
    pub fn get(&self, index: usize) -> &'a [u8] {
        match self {
            Values::Utf8(array) => bytes(*array, index),
            Values::LargeUtf8(array) => bytes(*array, index),
            Values::Utf8View(array) => bytes(*array, index),
            Values::Binary(array) => bytes(*array, index),
            Values::LargeBinary(array) => bytes(*array, index),
            Values::BinaryView(array) => bytes(*array, index),
            Values::Fixed(array) => bytes(*array, index),
        }
    }
}

impl Messages for Values<'_> {
    fn size(&self, range: Range<usize>) -> usize {
        match self {
            Values::Utf8(array) => size(*array, range),
            Values::LargeUtf8(array) => size(*array, range),
            Values::Utf8View(array) => viewed(*array, range),
            Values::Binary(array) => size(*array, range),
            Values::LargeBinary(array) => size(*array, range),
            Values::BinaryView(array) => viewed(*array, range),
            Values::Fixed(array) => range.len() * array.value_length() as usize,
        }
    }

    fn list<'s>(&'s self, range: Range<usize>, to: &mut Vec<&'s [u8]>) {
        match self {
            Values::Utf8(array) => list(*array, range, to),
            Values::LargeUtf8(array) => list(*array, range, to),
            Values::Utf8View(array) => list(*array, range, to),
            Values::Binary(array) => list(*array, range, to),
            Values::LargeBinary(array) => list(*array, range, to),
            Values::BinaryView(array) => list(*array, range, to),
            Values::Fixed(array) => list(*array, range, to),
        }
    }
}

fn list<'a, A, N>(array: &'a A, range: Range<usize>, to: &mut Vec<&'a [u8]>)
where
    &'a A: ArrayAccessor<Item = &'a N>,
    N: AsRef<[u8]> + ?Sized + 'a,
{
    to.extend(range.map(|index| bytes(array, index)));
}

/// The bytes of some values, and of the nulls among them.
fn size<T: ByteArrayType>(array: &GenericByteArray<T>, range: Range<usize>) -> usize {
    let offsets = array.value_offsets();
    offsets[range.end].as_usize() - offsets[range.start].as_usize()
}

/// The same of values that are reached by views, whose low half is the length.
fn viewed<T: ByteViewType>(array: &GenericByteViewArray<T>, range: Range<usize>) -> usize {
    array.views()[range].iter().map(|view| *view as u32 as usize).sum()
}

/// The bytes of one value; a null has none.
#[inline]
fn bytes<'a, A, N>(array: &'a A, index: usize) -> &'a [u8]
where
    &'a A: ArrayAccessor<Item = &'a N>,
    N: AsRef<[u8]> + ?Sized + 'a,
{
    if array.is_null(index) { &[] } else { array.value(index).as_ref() }
}
