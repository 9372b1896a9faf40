//! What must be right in an array of the C data interface before arrow-rs follows its pointers.

use std::ffi::{CStr, c_char};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_schema::DataType;

/// A schema as the C data interface lays it out, as far as it is looked at here.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const Schema,
    dictionary: *const Schema,
}

/// The most levels of a type. Types of bytes have three, and each takes some of the stack.
const LEVELS: usize = 16;

/// Looks at the texts and the numbers of children of a schema, which arrow-rs takes for granted.
///
/// # Errors
/// What is wrong.
pub fn schema(schema: &FFI_ArrowSchema) -> Result<(), String> {
    // SAFETY: a schema that is not released has this layout, as the C data interface has it, and
    // arrow-rs declares it so. `schema` borrows it.
    level(unsafe { &*std::ptr::from_ref(schema).cast::<Schema>() }, LEVELS)
}

fn level(schema: &Schema, levels: usize) -> Result<(), String> {
    let levels = levels.checked_sub(1).ok_or(format!("its type has more than {LEVELS} levels"))?;
    if schema.format.is_null() {
        return Err("its schema has no type, or was released before".to_owned());
    }
    for text in [schema.format, schema.name] {
        // SAFETY: a text of a schema ends with a zero, as the C data interface has it.
        if !text.is_null() && unsafe { CStr::from_ptr(text) }.to_str().is_err() {
            return Err("a text of its schema is not UTF-8".to_owned());
        }
    }
    // SAFETY: as above.
    let format = unsafe { CStr::from_ptr(schema.format) }.to_bytes();
    let least = match format {
        [b'+', b'r', ..] => 2,
        // Lists in all their forms, and maps. Tables and unions have any number.
        [b'+', b'l' | b'L' | b'v' | b'w' | b'm', ..] => 1,
        _ => 0,
    };
    if schema.n_children < least || schema.n_children > 0 && schema.children.is_null() {
        return Err(format!("its type has {} children", schema.n_children));
    }
    for index in 0..schema.n_children as usize {
        // SAFETY: a schema has so many pointers to its children, as the C data interface has it. A
        // number that is not negative fits into `usize` on the machines that have this package.
        let child = unsafe { (*schema.children.add(index)).as_ref() };
        level(child.ok_or("a child of its type is missing")?, levels)?;
    }
    // SAFETY: the pointer is null, or to a schema.
    match unsafe { schema.dictionary.as_ref() } {
        Some(dictionary) => level(dictionary, levels),
        None => Ok(()),
    }
}

/// Looks at the lengths, the numbers of buffers and children, and the pointers that an array of
/// this type needs. What the buffers hold is not looked at, but for the numbers that arrow-rs takes
/// for lengths of buffers.
///
/// # Errors
/// What is wrong.
pub fn structure(array: &FFI_ArrowArray, kind: &DataType) -> Result<(), String> {
    let rows = rows(array)?;
    match kind {
        DataType::Null => Ok(()),
        DataType::Binary | DataType::LargeBinary => {
            buffers(array, kind, 3)?;
            // A buffer of values may be missing where all values are empty: arrow-rs looks.
            present(array, 1)?;
            if array.is_empty() && array.offset() == 0 {
                return Ok(());
            }
            let offsets = array.buffer(1);
            // SAFETY: there is an offset behind that of the last row, as the C data interface has
            // it.
            let end = unsafe {
                match kind {
                    DataType::Binary => offsets.cast::<i32>().add(rows).read_unaligned().into(),
                    _ => offsets.cast::<i64>().add(rows).read_unaligned(),
                }
            };
            // It is the length of the values for arrow-rs.
            match isize::try_from(end).is_ok_and(|end| end >= 0) {
                true => Ok(()),
                false => Err(format!("its last offset is {end}")),
            }
        }
        DataType::BinaryView => views(array, kind),
        DataType::FixedSizeBinary(len) => {
            let len = usize::try_from(*len).map_err(|_| format!("values have {len} bytes"))?;
            size(rows, len)?;
            buffers(array, kind, 2)?;
            if len == 0 { Ok(()) } else { present(array, 1) }
        }
        DataType::Dictionary(_, values) => {
            buffers(array, kind, 2)?;
            present(array, 1)?;
            let dictionary = array.dictionary().ok_or("its dictionary is missing")?;
            structure(dictionary, values)
        }
        DataType::RunEndEncoded(ends, values) => {
            children(array, kind, 2)?;
            buffers(array.child(0), ends.data_type(), 2)?;
            self::rows(array.child(0))?;
            present(array.child(0), 1)?;
            structure(array.child(1), values.data_type())
        }
        DataType::Struct(fields) => {
            children(array, kind, fields.len())?;
            fields.iter().enumerate().try_for_each(|(index, field)| {
                let child = array.child(index);
                structure(child, field.data_type())?;
                match child.len() {
                    len if len < rows => Err(format!("a column has {len} of {rows} values")),
                    _ => Ok(()),
                }
            })
        }
        other => Err(format!("values of the type {other} are not bytes")),
    }
}

/// Values in the buffers of an array, those before its offset included.
fn rows(array: &FFI_ArrowArray) -> Result<usize, String> {
    // Negative numbers have become large ones. A value has at most 16 bytes in a buffer.
    let rows = array.len().checked_add(array.offset()).filter(|_| {
        isize::try_from(array.len()).is_ok() && isize::try_from(array.offset()).is_ok()
    });
    let rows = rows.and_then(|rows| rows.checked_add(1)).ok_or_else(|| {
        format!("its length is {}, and its offset {}", array.len(), array.offset())
    })?;
    size(rows, 16)?;
    Ok(rows - 1)
}

fn size(rows: usize, bytes: usize) -> Result<(), String> {
    let size = rows.checked_mul(bytes).filter(|&size| isize::try_from(size).is_ok());
    size.map(drop).ok_or_else(|| format!("it claims {rows} values of {bytes} bytes"))
}

fn buffers(array: &FFI_ArrowArray, kind: &DataType, expected: usize) -> Result<(), String> {
    match array.num_buffers() {
        count if count == expected => Ok(()),
        count => Err(format!("it has {count} buffers, and {kind} has {expected}")),
    }
}

fn children(array: &FFI_ArrowArray, kind: &DataType, expected: usize) -> Result<(), String> {
    match array.num_children() {
        count if count == expected => Ok(()),
        count => Err(format!("it has {count} children, and {kind} has {expected}")),
    }
}

/// A buffer that only an empty array can do without.
fn present(array: &FFI_ArrowArray, index: usize) -> Result<(), String> {
    match array.is_empty() && array.offset() == 0 || !array.buffer(index).is_null() {
        true => Ok(()),
        false => Err(format!("its buffer {index} is missing")),
    }
}

/// An array of views has its buffers of values behind the nulls and the views, and their lengths in
/// the last buffer.
fn views(array: &FFI_ArrowArray, kind: &DataType) -> Result<(), String> {
    let count = array.num_buffers();
    if !(3..1 << 31).contains(&count) {
        return Err(format!("it has {count} buffers, and {kind} has 3 or more"));
    }
    present(array, 1)?;
    let lengths = array.buffer(count - 1).cast::<i64>();
    if count > 3 && lengths.is_null() {
        return Err("the lengths of its buffers are missing".to_owned());
    }
    for index in 0..count - 3 {
        // SAFETY: the last buffer has a length for each buffer of values, as the C data interface
        // has it.
        let length = unsafe { lengths.add(index).read_unaligned() };
        if isize::try_from(length).is_ok_and(|length| length >= 0) {
            continue;
        }
        return Err(format!("its buffer {} has {length} bytes", index + 2));
    }
    Ok(())
}
