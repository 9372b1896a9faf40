//! The bytes of the values of an array, whatever way they are laid out.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, ByteViewType, Int16Type, Int32Type, Int64Type,
    LargeBinaryType, RunEndIndexType,
};
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, FixedSizeBinaryArray, GenericByteArray, GenericByteViewArray,
    RunArray, new_empty_array,
};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::hashing::Messages;

/// The types whose values are bytes.
const TYPES: &str = "string, large_string, string_view, binary, large_binary, binary_view, \
                     fixed-size binary, null, dictionaries and runs of them, or one column of them";

/// Looks whether the values of a type are bytes, or one column of them.
///
/// # Errors
/// `TypeError`, with the types that are.
pub fn check(kind: &DataType) -> PyResult<()> {
    match kind {
        DataType::Struct(fields) if fields.len() == 1 => check(fields[0].data_type()),
        DataType::Struct(fields) => Err(PyTypeError::new_err(format!(
            "a table of {} columns; select one of them",
            fields.len()
        ))),
        other if is_bytes(other) => Ok(()),
        other => Err(PyTypeError::new_err(format!(
            "values of the type {other} are not bytes; valid: {TYPES}"
        ))),
    }
}

fn is_bytes(kind: &DataType) -> bool {
    match kind {
        DataType::Null
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, values) => is_bytes(values),
        DataType::RunEndEncoded(_, values) => is_bytes(values.data_type()),
        _ => false,
    }
}

/// The type of the same layout whose strings are bytes.
pub fn bytes_of(kind: &DataType) -> DataType {
    let field = |field: &Field| field.clone().with_data_type(bytes_of(field.data_type()));
    match kind {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(bytes_of(values)))
        }
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(ends.clone(), field(values).into())
        }
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|one| field(one)).collect()),
        other => other.clone(),
    }
}

/// The field of the values: that of the array, or of the one column of a table.
pub fn leaf(field: &Field) -> &Field {
    match field.data_type() {
        DataType::Struct(fields) => leaf(&fields[0]),
        _ => field,
    }
}

/// A column of bytes.
pub struct Column {
    /// Its values, in a layout that has each value once.
    array: ArrayRef,
    /// The place of each row's value, where it is not the row's own.
    places: Option<Vec<usize>>,
    nulls: Option<NullBuffer>,
    len: usize,
}

impl Column {
    /// The column that an array of a [checked](check) type is, whose strings are
    /// [bytes](bytes_of). Of a table with one column, that column.
    pub fn new(array: &ArrayRef) -> Column {
        let (len, nulls) = (array.len(), array.logical_nulls());
        match array.data_type() {
            DataType::Null => {
                let array = new_empty_array(&DataType::Binary);
                Column { array, places: Some(vec![0; len]), nulls, len }
            }
            DataType::Struct(_) => {
                let inner = Column::new(array.as_struct().column(0));
                Column { nulls: NullBuffer::union(nulls.as_ref(), inner.nulls.as_ref()), ..inner }
            }
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let places = match dictionary.values().is_empty() {
                    true => vec![0; len],
                    false => dictionary.normalized_keys(),
                };
                Column::new(dictionary.values()).reached_by(places, nulls)
            }
            DataType::RunEndEncoded(ends, _) => {
                let (values, places) = match ends.data_type() {
                    DataType::Int16 => runs::<Int16Type>(array.as_any()),
                    DataType::Int32 => runs::<Int32Type>(array.as_any()),
                    _ => runs::<Int64Type>(array.as_any()),
                };
                Column::new(&values).reached_by(places, nulls)
            }
            _ => Column { array: array.clone(), places: None, nulls, len },
        }
    }

    /// The column of rows whose values are in these places of this one.
    fn reached_by(self, mut places: Vec<usize>, nulls: Option<NullBuffer>) -> Column {
        if let Some(further) = &self.places {
            // The place of a null may be in no range.
            for place in &mut places {
                *place = further.get(*place).copied().unwrap_or(0);
            }
        }
        Column { array: self.array, len: places.len(), places: Some(places), nulls }
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Which rows are null.
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    /// Whether a row is not null.
    pub fn is_valid(&self, row: usize) -> bool {
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
    }

    /// Its values.
    pub fn values(&self) -> Values<'_> {
        let layout = match self.array.data_type() {
            DataType::Binary => Layout::Binary(self.array.as_binary()),
            DataType::LargeBinary => Layout::LargeBinary(self.array.as_binary()),
            DataType::BinaryView => Layout::BinaryView(self.array.as_binary_view()),
            _ => Layout::Fixed(self.array.as_fixed_size_binary()),
        };
        Values { layout, column: self }
    }
}

/// The values of an array of runs, and the place of each row's value among them.
fn runs<R: RunEndIndexType>(array: &dyn std::any::Any) -> (ArrayRef, Vec<usize>) {
    let array = array.downcast_ref::<RunArray<R>>().expect("its type says so");
    let places = (0..array.len()).map(|row| array.get_physical_index(row));
    (array.values().clone(), places.collect())
}

/// The bytes of the values of a column; a null has none.
pub struct Values<'a> {
    layout: Layout<'a>,
    column: &'a Column,
}

enum Layout<'a> {
    Binary(&'a GenericByteArray<BinaryType>),
    LargeBinary(&'a GenericByteArray<LargeBinaryType>),
    BinaryView(&'a GenericByteViewArray<BinaryViewType>),
    Fixed(&'a FixedSizeBinaryArray),
}

impl<'a> Values<'a> {
    /// The bytes of one value.
    #[inline]
    pub fn get(&self, row: usize) -> &'a [u8] {
        match self.layout {
            Layout::Binary(array) => bytes(self.column, array, row),
            Layout::LargeBinary(array) => bytes(self.column, array, row),
            Layout::BinaryView(array) => bytes(self.column, array, row),
            Layout::Fixed(array) => bytes(self.column, array, row),
        }
    }
}

impl Messages for Values<'_> {
    fn size(&self, range: Range<usize>) -> usize {
        if self.column.places.is_some() {
            return range.map(|row| self.get(row).len()).sum();
        }
        match self.layout {
            Layout::Binary(array) => size(array, range),
            Layout::LargeBinary(array) => size(array, range),
            Layout::BinaryView(array) => viewed(array, range),
            Layout::Fixed(array) => range.len() * array.value_length() as usize,
        }
    }

    fn list<'s>(&'s self, range: Range<usize>, to: &mut Vec<&'s [u8]>) {
        match self.layout {
            Layout::Binary(array) => list(self.column, array, range, to),
            Layout::LargeBinary(array) => list(self.column, array, range, to),
            Layout::BinaryView(array) => list(self.column, array, range, to),
            Layout::Fixed(array) => list(self.column, array, range, to),
        }
    }
}

fn list<'a, A>(column: &'a Column, array: &'a A, range: Range<usize>, to: &mut Vec<&'a [u8]>)
where
    &'a A: ArrayAccessor<Item = &'a [u8]>,
{
    to.extend(range.map(|row| bytes(column, array, row)));
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
fn bytes<'a, A>(column: &'a Column, array: &'a A, row: usize) -> &'a [u8]
where
    &'a A: ArrayAccessor<Item = &'a [u8]>,
{
    if !column.is_valid(row) {
        return &[];
    }
    match &column.places {
        None => array.value(row),
        Some(places) => array.value(places[row]),
    }
}
