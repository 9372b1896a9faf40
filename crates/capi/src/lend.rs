//! What a caller lends a job: its data, in one piece or in several.

use std::ptr;

use broadloom::data::{Buffer, Bytes, Data};

use crate::fault::{Fault, array, bytes, bytes_mut};
use crate::job::{BL_HAS_DESTINATION_PIECES, BL_HAS_SOURCE_PIECES, bl_job, bl_piece};
use crate::session::Shape;
use crate::status::BL_E_ROOM;

/// Returns `true` if two stretches of memory, of which one may be empty, have a byte in common.
pub(crate) fn overlap(start: usize, len: usize, other: usize, other_len: usize) -> bool {
    let meet = start < other.wrapping_add(other_len) && other < start.wrapping_add(len);
    meet && len != 0 && other_len != 0
}

/// Gives a job other data, where those before are borrowed, in one piece: so nothing is dropped,
/// and nothing has to be asked.
#[inline(always)]
pub(crate) fn put_borrowed(data: &mut Data<'static>, borrowed: Data<'static>) {
    std::mem::forget(std::mem::replace(data, borrowed));
}

/// Lends a job its data, in one piece; those before are borrowed, in one piece.
///
/// # Safety
/// As [`Shell::load`](crate::shell::Shell::load).
#[inline(always)]
pub(crate) unsafe fn lend(
    data: &mut Data<'static>,
    given: &bl_job,
    shape: Shape,
) -> Result<(), Fault> {
    let (source, len, destination) = (given.source, given.len, given.destination);
    if matches!(shape, Shape::Signs | Shape::Verifies) && !destination.is_null() {
        return Err(Fault::argument("a signature has no destination; right is a null pointer"));
    }
    // SAFETY: the source and the destination of a job meet the condition *bytes*, by the condition
    // *jobs*.
    unsafe {
        if destination.is_null() || shape == Shape::Output {
            let source = bytes(source, len, "source")?;
            put_borrowed(data, Data::Read(Bytes::Borrowed(source)));
        } else if ptr::eq(destination, source) {
            let all = bytes_mut(destination, len, "destination")?;
            put_borrowed(data, Data::InPlace(Buffer::Borrowed(all)));
        } else {
            return apart(data, given);
        }
    }
    Ok(())
}

/// Lends a job its data, whose output goes elsewhere.
///
/// # Safety
/// As [`Shell::load`](crate::shell::Shell::load).
#[inline(never)]
unsafe fn apart(data: &mut Data<'static>, given: &bl_job) -> Result<(), Fault> {
    let (len, destination) = (given.len, given.destination);
    if given.room < len {
        let text = format!("{len} bytes of output do not fit into {}", given.room);
        return Err(Fault::new(BL_E_ROOM, text));
    }
    if overlap(given.source.addr(), len, destination.addr(), len) {
        return Err(Fault::argument(
            "source and destination overlap; right is the same address, or none in common",
        ));
    }
    // SAFETY: source and destination meet the condition *bytes*, by the condition *jobs*, and are
    // apart.
    let (source, destination) = unsafe {
        (bytes(given.source, len, "source")?, bytes_mut(destination, len, "destination")?)
    };
    let (source, destination) = (Bytes::Borrowed(source), Buffer::Borrowed(destination));
    put_borrowed(data, Data::OutOfPlace { source, destination });
    Ok(())
}

/// # Safety
/// The job's extras are null or a structure that was checked.
pub(crate) unsafe fn has_pieces(given: &bl_job) -> bool {
    // SAFETY: the extras are null or a checked structure, by the contract.
    let extras = unsafe { given.extras.as_ref() };
    extras
        .is_some_and(|extras| extras.has & (BL_HAS_SOURCE_PIECES | BL_HAS_DESTINATION_PIECES) != 0)
}

/// The data of a job, in several pieces.
///
/// # Safety
/// As [`Shell::load`](crate::shell::Shell::load); the job's extras are a structure that was
/// checked.
#[cold]
pub(crate) unsafe fn pieces(given: &bl_job, shape: Shape) -> Result<Data<'static>, Fault> {
    // SAFETY: the extras are a checked structure, by the contract.
    let extras = unsafe { &*given.extras };
    let wrong = |text: &str| Err(Fault::argument(text));
    if extras.has & BL_HAS_SOURCE_PIECES == 0 {
        return wrong("a destination in pieces needs a source in pieces: BL_HAS_SOURCE_PIECES");
    }
    let has_destination = !given.destination.is_null() && shape != Shape::Output;
    if !given.source.is_null() || given.len != 0 || has_destination {
        return wrong(
            "with pieces, source is null and len is 0; so is destination, but of a compression or \
             a public-key algorithm",
        );
    }
    // SAFETY: the arrays and the bytes of every piece are lent with the job: the condition *jobs*.
    unsafe {
        let sources = array(extras.source_pieces, extras.source_count, "source pieces")?;
        if extras.has & BL_HAS_DESTINATION_PIECES == 0 {
            return Ok(Data::gather(to_read(sources)?));
        }
        let (array_of, count) = (extras.destination_pieces, extras.destination_count);
        let destinations = array(array_of, count, "destination pieces")?;
        let same =
            |(one, other): (&bl_piece, &bl_piece)| (one.bytes, one.len) == (other.bytes, other.len);
        let in_place =
            sources.len() == destinations.len() && sources.iter().zip(destinations).all(same);
        if in_place {
            check_apart(&[], destinations)?;
            return Ok(Data::scattered(to_write(destinations)?));
        }
        check_apart(sources, destinations)?;
        Ok(Data::scattered_to(to_read(sources)?, to_write(destinations)?))
    }
}

/// Refuses pieces to write that have a byte in common with one another or with those to read; these
/// may overlap. In the order of their addresses, a piece is compared with the furthest end of those
/// before it.
fn check_apart(sources: &[bl_piece], destinations: &[bl_piece]) -> Result<(), Fault> {
    let list = |pieces: &[bl_piece], writes| -> Vec<(usize, usize, bool)> {
        let pieces = pieces.iter().filter(|piece| piece.len > 0);
        let ends = |piece: &bl_piece| {
            let start = piece.bytes.addr();
            (start, start.saturating_add(piece.len), writes)
        };
        pieces.map(ends).collect()
    };
    let mut all = list(destinations, true);
    all.extend(list(sources, false));
    all.sort_unstable();
    let (mut read, mut written) = (0, 0);
    for (start, end, writes) in all {
        if writes && start < written {
            return Err(Fault::argument("two pieces of a destination overlap"));
        }
        if start < if writes { read } else { written } {
            let text = "a piece of the source overlaps one of the destination";
            return Err(Fault::argument(text));
        }
        let furthest = if writes { &mut written } else { &mut read };
        *furthest = end.max(*furthest);
    }
    Ok(())
}

/// # Safety
/// The bytes of every piece can be read, as [`Shell::load`](crate::shell::Shell::load) says.
unsafe fn to_read(pieces: &[bl_piece]) -> Result<Vec<Bytes<'static>>, Fault> {
    let read = pieces.iter().map(|piece| {
        // SAFETY: the bytes of every piece can be read, by the contract.
        unsafe { bytes(piece.bytes, piece.len, "piece") }.map(Bytes::Borrowed)
    });
    read.collect()
}

/// # Safety
/// The bytes of every piece can be written, as [`Shell::load`](crate::shell::Shell::load) says, and
/// no piece overlaps another.
unsafe fn to_write(pieces: &[bl_piece]) -> Result<Vec<Buffer<'static>>, Fault> {
    let written = pieces.iter().map(|piece| {
        // SAFETY: the bytes of every piece can be written, and are apart, by the contract.
        unsafe { bytes_mut(piece.bytes, piece.len, "piece") }.map(Buffer::Borrowed)
    });
    written.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of a buffer: where each begins, and its length.
    fn pieces(buffer: &mut [u8], all: &[(usize, usize)]) -> Vec<bl_piece> {
        let piece = |&(at, len): &(usize, usize)| bl_piece { bytes: &mut buffer[at], len };
        all.iter().map(piece).collect()
    }

    /// The answers are those of a comparison of all pairs.
    #[test]
    fn pieces_that_overlap_are_found_in_any_order() {
        let mut buffer = [0; 8];
        let places = [(0, 2), (1, 1), (2, 2), (3, 0), (3, 3), (5, 2), (0, 7)];
        let meet = |one: &bl_piece, other: &bl_piece| {
            overlap(one.bytes.addr(), one.len, other.bytes.addr(), other.len)
        };
        for number in 0..places.len().pow(4) {
            let chosen = |digit: u32| places[number / places.len().pow(digit) % places.len()];
            let sources = pieces(&mut buffer, &[chosen(0), chosen(1)]);
            let written = pieces(&mut buffer, &[chosen(2), chosen(3)]);
            let two = meet(&written[0], &written[1]);
            let both = sources.iter().any(|one| written.iter().any(|other| meet(one, other)));
            let outcome = check_apart(&sources, &written);
            assert_eq!(outcome.is_err(), two || both, "{sources:?} {written:?}");
            assert_eq!(check_apart(&[], &written).is_err(), two, "{written:?}");
        }
    }

    /// Half a million pieces take a moment, and not the hours that all pairs would.
    #[test]
    fn many_pieces_are_compared_with_few() {
        let mut buffer = vec![0; 1 << 20];
        let places: Vec<_> = (0..1 << 19).rev().map(|number| (2 * number, 1)).collect();
        let written = pieces(&mut buffer, &places);
        let sources: Vec<_> = places.iter().map(|&(at, len)| (at + 1, len)).collect();
        let sources = pieces(&mut buffer, &sources);
        assert!(check_apart(&sources, &written).is_ok());
        assert!(check_apart(&written[..1], &written).is_err());
    }
}
