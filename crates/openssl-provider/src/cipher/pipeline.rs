//! Pipelines of OpenSSL 3.5: many texts under one key, of which each call brings a piece of every
//! one.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::slice;

use super::{Cipher, Context, Given, Piece, of};
use crate::interface::{OCTETS, Param};
use crate::libcrypto::fail;
use crate::pipe::side_by_side;

/// So many texts libcrypto allows.
const MOST: usize = 32;

/// The tags of all texts: the parameter points to pointers.
const TAGS: &CStr = c"pipeline-tag";

/// Begins texts.
///
/// The key comes first and then the IV, so that the engine's session with the key, which all texts
/// share, is there when a text begins.
pub unsafe extern "C" fn init<C: Cipher, const ENCRYPTS: bool>(
    context: *mut c_void,
    key: *const u8,
    key_len: usize,
    count: usize,
    ivs: *const *const u8,
    iv_len: usize,
    list: *const Param,
) -> c_int {
    if !(1..=MOST).contains(&count) {
        return fail(
            c"cipher_pipeline_init",
            &format!("{count} texts; 1 to {MOST} would be right"),
        );
    }
    // SAFETY: libcrypto passes what was handed out, so many bytes, so many IVs, and its list.
    unsafe {
        let Context { one, pipes } = of::<C>(context);
        if !key.is_null() || pipes.len() != count {
            // With the parameters that were set before.
            let Some(copies) = (0..count).map(|_| one.copy()).collect() else { return 0 };
            *pipes = copies;
        }
        for at in 0..count {
            let (before, rest) = pipes.split_at_mut(at);
            let pipe = &mut rest[0];
            let nothing = Given { key: ptr::null(), key_len: 0, iv: ptr::null(), iv_len: 0, list };
            if !key.is_null() && pipe.init(ENCRYPTS, Given { key, key_len, ..nothing }) != 1 {
                return 0;
            }
            pipe.expect_long_texts(before.first());
            let iv = if ivs.is_null() { ptr::null() } else { *ivs.add(at) };
            if !iv.is_null() && pipe.init(ENCRYPTS, Given { iv, iv_len, ..nothing }) != 1 {
                return 0;
            }
        }
    }
    1
}

/// Takes a piece of each text.
pub unsafe extern "C" fn update<C: Cipher>(
    context: *mut c_void,
    count: usize,
    outs: *const *mut u8,
    out_lens: *mut usize,
    rooms: *const usize,
    data: *const *const u8,
    lens: *const usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many places, sizes and pieces. Without
    // places, and perhaps without their sizes, the pieces are associated data.
    unsafe {
        let pipes = &mut of::<C>(context).pipes;
        if pipes.len() != count {
            return fail(c"cipher_pipeline_update", "another number of texts has begun");
        }
        let pipes = pipes.as_mut_ptr();
        let done = side_by_side(count, |at| {
            let len = *lens.add(at);
            let out = if outs.is_null() { ptr::null_mut() } else { *outs.add(at) };
            let room = if rooms.is_null() { len } else { *rooms.add(at) };
            let out_len = out_lens.add(at);
            let piece = Piece { out, out_len, room, data: *data.add(at), len };
            // Each fibre has a text of its own.
            (*pipes.add(at)).update(piece) == 1
        });
        c_int::from(done)
    }
}

/// Ends each text.
pub unsafe extern "C" fn last<C: Cipher>(
    context: *mut c_void,
    count: usize,
    outs: *const *mut u8,
    out_lens: *mut usize,
    rooms: *const usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many places with their sizes.
    unsafe {
        let pipes = &mut of::<C>(context).pipes;
        if pipes.len() != count {
            return fail(c"cipher_pipeline_final", "another number of texts has begun");
        }
        let mut ended = pipes.iter_mut().enumerate().map(|(at, pipe)| {
            let out = if outs.is_null() { ptr::null_mut() } else { *outs.add(at) };
            let room = if rooms.is_null() { 0 } else { *rooms.add(at) };
            pipe.last(out, out_lens.add(at), room) == 1
        });
        // The first wrong tag ends it.
        c_int::from(ended.all(|is_ended| is_ended))
    }
}

/// The room of the tag of each text, where a list has that parameter.
///
/// # Safety
/// The list is valid, as [`Param`] defines it, and its tags have so many bytes for each text.
unsafe fn tags<'a>(list: *const Param, count: usize) -> Option<Vec<&'a mut [u8]>> {
    // SAFETY: the parameter points to as many pointers as there are texts, by this function's
    // contract.
    unsafe {
        let param = Param::find(list, TAGS)?;
        let places = param.data.cast::<*const *mut u8>().read_unaligned();
        let tag = |at| slice::from_raw_parts_mut(*places.add(at), param.data_size);
        Some((0..count).map(tag).collect())
    }
}

/// Gives each text the tag that it is to have.
///
/// # Safety
/// The list is valid, as [`Param`] defines it.
pub unsafe fn set<C: Cipher>(pipes: &mut [C], list: *const Param) -> bool {
    // SAFETY: the list is libcrypto's; the lists that are made here end.
    unsafe {
        let Some(tags) = tags(list, pipes.len()) else { return true };
        pipes.iter_mut().zip(tags).all(|(pipe, tag)| {
            pipe.set([Param::room(c"tag", OCTETS, tag), Param::END].as_ptr()) == 1
        })
    }
}

/// Writes the tag of each text.
///
/// # Safety
/// The list is valid, as [`Param`] defines it.
pub unsafe fn get<C: Cipher>(pipes: &mut [C], list: *mut Param) -> bool {
    // SAFETY: the list is libcrypto's; the lists that are made here end.
    unsafe {
        let Some(tags) = tags(list, pipes.len()) else { return true };
        pipes.iter_mut().zip(tags).all(|(pipe, tag)| {
            pipe.get([Param::room(c"tag", OCTETS, tag), Param::END].as_mut_ptr()) == 1
        })
    }
}
