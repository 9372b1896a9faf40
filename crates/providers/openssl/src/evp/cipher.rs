//! `EVP_CIPHER`: block modes without padding, stream modes, and AEADs.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::slice;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::ffi::{
    CipherUpdate, FLAG_AEAD, MAX_BLOCK, MODE_CCM, Object, Param, SET_IV_LEN, SET_TAG, TAG,
};
use super::library::{EvpError, Libcrypto, Owned};

/// The most bytes that one call of EVP takes: its lengths are of C's `int`. A multiple of every
/// block.
const MAX_PIECE: usize = 1 << 30;

/// The longest tag of an AEAD.
const MAX_TAG: usize = 16;

/// A cipher, fetched.
pub struct Cipher {
    object: Owned,
    key_len: usize,
    shape: Shape,
    /// `true` if contexts with a key can be copied. Before version 3.2, contexts of some AEADs
    /// cannot.
    copies: bool,
    library: &'static Libcrypto,
}

/// The rules of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    /// The granularity of lengths, less one.
    block_mask: usize,
    aead: bool,
    /// CCM: the length of the text comes first, and the lengths of IV and tag are set before the
    /// key.
    ccm: bool,
}

/// A cipher with its key and direction, without padding.
pub struct CipherContext {
    context: Owned,
    update: CipherUpdate,
    shape: Shape,
    iv_len: usize,
    library: &'static Libcrypto,
    recipe: Option<Arc<Recipe>>,
}

/// Bytes to be ciphered, and where they go: in place, or apart.
pub struct InOut<'a> {
    input: *const u8,
    output: *mut u8,
    len: usize,
    bytes: PhantomData<(&'a [u8], &'a mut [u8])>,
}

/// The parts for another context, where libcrypto cannot copy or change a context that has its key.
struct Recipe {
    key: Zeroizing<Vec<u8>>,
    encrypt: bool,
    tag_len: Option<usize>,
    copies: bool,
}

impl<'a> InOut<'a> {
    /// From one place to another.
    ///
    /// # Panics
    /// If the two differ in length.
    #[inline]
    pub fn apart(input: &'a [u8], output: &'a mut [u8]) -> InOut<'a> {
        assert_eq!(input.len(), output.len(), "bytes of input and output");
        let (output, len) = (output.as_mut_ptr(), output.len());
        InOut { input: input.as_ptr(), output, len, bytes: PhantomData }
    }

    /// Bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<'a> From<&'a mut [u8]> for InOut<'a> {
    /// In place.
    #[inline]
    fn from(data: &'a mut [u8]) -> InOut<'a> {
        let (at, len) = (data.as_mut_ptr(), data.len());
        InOut { input: at, output: at, len, bytes: PhantomData }
    }
}

impl Cipher {
    /// Fetches a cipher by libcrypto's name for it: `AES-128-CBC`.
    ///
    /// # Errors
    /// This libcrypto has none of that name.
    pub fn fetch(library: &'static Libcrypto, name: &CStr) -> Result<Cipher, EvpError> {
        // SAFETY: null stands for the default library context.
        unsafe { Cipher::fetch_from(library, ptr::null_mut(), name) }
    }

    /// Fetches a cipher of the module `legacy`, which has what is broken (`RC4`, `DES-CBC`), and
    /// which the first call loads. Nobody else in the process gets to see the module.
    ///
    /// # Errors
    /// The module is not installed, or has none of that name.
    pub fn fetch_legacy(library: &'static Libcrypto, name: &CStr) -> Result<Cipher, EvpError> {
        // SAFETY: the library context is alive, because it is never freed.
        unsafe { Cipher::fetch_from(library, library.legacy()?, name) }
    }

    /// # Safety
    /// The library context is null or alive.
    unsafe fn fetch_from(
        library: &'static Libcrypto,
        context: Object,
        name: &CStr,
    ) -> Result<Cipher, EvpError> {
        let f = &library.functions;
        // SAFETY: the context is as the caller says, the name a C string; null stands for no
        // properties.
        let object = unsafe { (f.cipher_fetch)(context, name.as_ptr(), ptr::null()) };
        let object = library.own(object, f.cipher_free, "EVP_CIPHER_fetch")?;
        let raw = object.object.cast_const();
        // SAFETY: the object is a cipher, and is only read.
        let (key_len, block_len, mode, flags) = unsafe {
            (
                (f.cipher_key_len)(raw),
                (f.cipher_block_len)(raw),
                (f.cipher_mode)(raw),
                (f.cipher_flags)(raw),
            )
        };
        let (Ok(key_len), Ok(block_len)) = (usize::try_from(key_len), usize::try_from(block_len))
        else {
            return Err(library.failure("EVP_CIPHER_get_block_size"));
        };
        let shape = Shape {
            block_mask: block_len.max(1).next_power_of_two() - 1,
            aead: flags & FLAG_AEAD != 0,
            ccm: mode == MODE_CCM,
        };
        let mut cipher = Cipher { object, key_len, shape, copies: true, library };
        // Not all bytes alike: some providers refuse keys of triple DES that are.
        let key: Vec<u8> = (0..=u8::MAX).cycle().take(key_len).collect();
        let probe = CipherContext::new(&cipher, &key, true)?;
        cipher.copies = probe.duplicate().is_ok();
        Ok(cipher)
    }

    /// Bytes of its keys; for keys of several lengths (RC4), the default.
    pub fn key_len(&self) -> usize {
        self.key_len
    }
}

impl CipherContext {
    /// A context with a key and a direction. It needs an IV before its first message, unless the
    /// cipher takes none.
    ///
    /// # Errors
    /// libcrypto fails, as it does where the cipher has no keys of that length.
    pub fn new(cipher: &Cipher, key: &[u8], encrypt: bool) -> Result<CipherContext, EvpError> {
        CipherContext::make(cipher, key, encrypt, None)
    }

    /// A context of an AEAD whose tags are truncated to so many bytes.
    ///
    /// # Errors
    /// libcrypto fails; there may be no keys or no tags of that length.
    pub fn with_tag_len(
        cipher: &Cipher,
        key: &[u8],
        encrypt: bool,
        tag_len: usize,
    ) -> Result<CipherContext, EvpError> {
        CipherContext::make(cipher, key, encrypt, Some(tag_len))
    }

    fn make(
        cipher: &Cipher,
        key: &[u8],
        encrypt: bool,
        tag_len: Option<usize>,
    ) -> Result<CipherContext, EvpError> {
        let (library, shape) = (cipher.library, cipher.shape);
        let tag_len = tag_len.filter(|_| shape.ccm);
        let key = Zeroizing::new(key.to_vec());
        let recipe = Recipe { key, encrypt, tag_len, copies: cipher.copies };
        // SAFETY: the cipher is alive.
        let context = unsafe { recipe.follow(library, cipher.object.object, shape, None)? };
        let update = match encrypt {
            true => library.functions.encrypt_update,
            false => library.functions.decrypt_update,
        };
        let recipe = (shape.ccm || !cipher.copies).then(|| Arc::new(recipe));
        let mut made = CipherContext { context, update, shape, iv_len: 0, library, recipe };
        made.iv_len = made.current_iv_len()?;
        Ok(made)
    }

    /// Begins a message with an IV, whatever came before. A key stream without an IV (RC4) goes on.
    /// The key stays. AEADs take IVs of several lengths; another length than before costs more
    /// calls.
    ///
    /// # Errors
    /// libcrypto fails, as it does where the cipher has no IVs of that length.
    #[inline]
    pub fn restart(&mut self, iv: &[u8]) -> Result<(), EvpError> {
        if iv.len() != self.iv_len {
            self.set_iv_len(iv.len())?;
        }
        // SAFETY: the context is alive and has cipher, key and direction, which nulls and -1 keep;
        // the IV has the length that the context expects.
        unsafe { self.init(ptr::null(), iv.as_ptr()) }
    }

    /// Says how long the text will be, which CCM has to know before anything else.
    ///
    /// # Errors
    /// libcrypto fails; the text may be too long for the nonce.
    ///
    /// # Panics
    /// If the cipher is not in CCM mode, or the text longer than 2^31 - 1 bytes.
    #[inline]
    pub fn announce(&mut self, text_len: usize) -> Result<(), EvpError> {
        assert!(self.shape.ccm, "only CCM is told the length of its text");
        let len = c_int::try_from(text_len).expect("a text for CCM is at most 2^31 - 1 bytes long");
        let mut written = 0;
        // SAFETY: the context is alive and in CCM mode, where two nulls mean the length of the
        // text.
        let result = unsafe {
            (self.update)(self.context.object, ptr::null_mut(), &mut written, ptr::null(), len)
        };
        self.library.check(result, "EVP_CipherUpdate")
    }

    /// Authenticates bytes that are not ciphered.
    ///
    /// # Errors
    /// libcrypto fails.
    ///
    /// # Panics
    /// If the cipher is no AEAD; in CCM mode, if they are more than 2^30.
    #[inline]
    pub fn associate(&mut self, data: &[u8]) -> Result<(), EvpError> {
        assert!(self.shape.aead, "only an AEAD takes associated data");
        assert!(
            !self.shape.ccm || data.len() <= MAX_PIECE,
            "CCM takes all associated data at once"
        );
        for piece in data.chunks(MAX_PIECE) {
            let mut written = 0;
            // SAFETY: the context is alive and an AEAD's, where a null output stands for associated
            // data; pointer and length come from a slice of at most 2^30 bytes.
            let result = unsafe {
                (self.update)(
                    self.context.object,
                    ptr::null_mut(),
                    &mut written,
                    piece.as_ptr(),
                    piece.len() as c_int,
                )
            };
            self.library.check(result, "EVP_CipherUpdate")?;
        }
        Ok(())
    }

    /// Ciphers bytes, and gives those that came out.
    ///
    /// # Errors
    /// libcrypto fails; in CCM mode, the tag may be wrong.
    ///
    /// # Panics
    /// If they are not whole blocks where the mode needs them; in CCM mode, if they are more than
    /// 2^30.
    #[inline]
    pub fn update<'a>(&mut self, text: InOut<'a>) -> Result<&'a mut [u8], EvpError> {
        self.update_in_pieces(text, MAX_PIECE)
    }

    /// Ends the message of an AEAD.
    ///
    /// # Errors
    /// The tag that was set is wrong, or libcrypto fails.
    #[inline]
    pub fn finish(&mut self) -> Result<(), EvpError> {
        let (mut rest, mut written) = ([0; MAX_BLOCK], 0);
        let finish = self.library.functions.cipher_final;
        // SAFETY: the context is alive; the output has room for the longest block there is.
        let result = unsafe { finish(self.context.object, rest.as_mut_ptr(), &mut written) };
        self.library.check(result, "EVP_CipherFinal_ex")
    }

    /// The tag of a message that was encrypted.
    ///
    /// # Errors
    /// libcrypto fails.
    ///
    /// # Panics
    /// If it is longer than 16 bytes.
    #[inline]
    pub fn tag(&mut self, tag: &mut [u8]) -> Result<(), EvpError> {
        assert!(tag.len() <= MAX_TAG, "tags have at most 16 bytes, not {}", tag.len());
        let mut params = [Param::octets(TAG, tag.as_mut_ptr(), tag.len()), Param::END];
        let get = self.library.functions.cipher_ctx_get;
        // SAFETY: the context is alive and has its cipher; the parameters are a terminated list of
        // one slice that can be written.
        let result = unsafe { get(self.context.object, params.as_mut_ptr()) };
        self.library.check(result, "EVP_CIPHER_CTX_get_params")
    }

    /// The tag that a message to be decrypted should have.
    ///
    /// # Errors
    /// libcrypto fails.
    ///
    /// # Panics
    /// If it is longer than 16 bytes.
    #[inline]
    pub fn set_tag(&mut self, tag: &[u8]) -> Result<(), EvpError> {
        assert!(tag.len() <= MAX_TAG, "tags have at most 16 bytes, not {}", tag.len());
        let params = [Param::octets(TAG, tag.as_ptr().cast_mut(), tag.len()), Param::END];
        let set = self.library.functions.cipher_ctx_set;
        // SAFETY: the context is alive and has its cipher; the parameters are a terminated list of
        // one slice, which is only read.
        let result = unsafe { set(self.context.object, params.as_ptr()) };
        self.library.check(result, "EVP_CIPHER_CTX_set_params")
    }

    /// Says once more that there is no padding, which the context has known since it was made.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn set_no_padding(&mut self) -> Result<(), EvpError> {
        // SAFETY: the context is alive and has its cipher.
        let result = unsafe { (self.library.functions.cipher_padding)(self.context.object, 0) };
        self.library.check(result, "EVP_CIPHER_CTX_set_padding")
    }

    /// Looks up its cipher and sets its key once more, although the context has both: for a cipher
    /// without an IV, fetched by this name.
    ///
    /// # Errors
    /// libcrypto fails.
    ///
    /// # Panics
    /// If the cipher of that name has keys or blocks of other lengths.
    pub fn renew(&mut self, name: &CStr, key: &[u8]) -> Result<(), EvpError> {
        let f = &self.library.functions;
        // SAFETY: null stands for the default library context and for no properties; the name is a
        // C string.
        let cipher = unsafe { (f.cipher_fetch)(ptr::null_mut(), name.as_ptr(), ptr::null()) };
        let cipher = self.library.own(cipher, f.cipher_free, "EVP_CIPHER_fetch")?;
        // SAFETY: the object is a cipher, and is only read.
        let (key_len, block_len) = unsafe {
            let raw = cipher.object.cast_const();
            ((f.cipher_key_len)(raw), (f.cipher_block_len)(raw))
        };
        assert_eq!(usize::try_from(key_len), Ok(key.len()), "bytes of a key");
        assert_eq!(usize::try_from(block_len), Ok(self.shape.block_mask + 1), "bytes of a block");
        let mut padding = 0;
        let params = [Param::uint(c"padding", &mut padding), Param::END];
        // SAFETY: context and cipher are alive, and the context takes its own reference to the
        // cipher; the key has the cipher's length; null and -1 mean no IV and the same direction;
        // the parameters are a terminated list of one number that is alive, and only read.
        let result = unsafe {
            let (object, key) = (self.context.object, key.as_ptr());
            (f.cipher_init)(object, cipher.object, key, ptr::null(), -1, params.as_ptr())
        };
        self.library.check(result, "EVP_CipherInit_ex2")
    }

    /// A context with the same key and direction. It needs an IV of its own.
    ///
    /// # Errors
    /// libcrypto fails.
    pub fn duplicate(&self) -> Result<CipherContext, EvpError> {
        let f = &self.library.functions;
        let context = match &self.recipe {
            Some(recipe) if !recipe.copies => {
                // SAFETY: the context is alive and has its cipher, whose key the recipe has.
                unsafe {
                    let cipher = (f.cipher_ctx_cipher)(self.context.object);
                    recipe.follow(self.library, cipher, self.shape, Some(self.iv_len))?
                }
            }
            _ => {
                let context = empty(self.library)?;
                // SAFETY: both contexts are alive, and the source is not changed.
                let result = unsafe { (f.cipher_ctx_copy)(context.object, self.context.object) };
                self.library.check(result, "EVP_CIPHER_CTX_copy")?;
                context
            }
        };
        Ok(CipherContext { context, recipe: self.recipe.clone(), ..*self })
    }

    #[inline]
    fn update_in_pieces<'a>(
        &mut self,
        text: InOut<'a>,
        max_piece: usize,
    ) -> Result<&'a mut [u8], EvpError> {
        let len = text.len;
        // libcrypto would hold back a partial block, and write it in a later call beyond the
        // output.
        assert_eq!(len & self.shape.block_mask, 0, "{len} bytes are not whole blocks");
        assert!(!self.shape.ccm || len <= max_piece, "CCM takes its text at once");
        let mut at = 0;
        loop {
            let piece = (len - at).min(max_piece);
            let mut written = 0;
            // SAFETY: the context is alive; `at` and the piece are within the text. All messages
            // are whole blocks without padding, so that nothing is held back and as much is written
            // as is read.
            let result = unsafe {
                let (input, output) = (text.input.add(at), text.output.add(at));
                (self.update)(self.context.object, output, &mut written, input, piece as c_int)
            };
            self.library.check(result, "EVP_CipherUpdate")?;
            at += piece;
            if at == len {
                // SAFETY: the text had this slice by `&mut`, and is gone.
                return Ok(unsafe { slice::from_raw_parts_mut(text.output, len) });
            }
        }
    }

    /// # Safety
    /// The key is null or has the cipher's length; the IV is null or has the context's length.
    #[inline]
    unsafe fn init(&mut self, key: *const u8, iv: *const u8) -> Result<(), EvpError> {
        let init = self.library.functions.cipher_init;
        // SAFETY: the context is alive; key and IV are as the caller says.
        let result = unsafe { init(self.context.object, ptr::null(), key, iv, -1, ptr::null()) };
        self.library.check(result, "EVP_CipherInit_ex2")
    }

    #[cold]
    fn set_iv_len(&mut self, len: usize) -> Result<(), EvpError> {
        let failed = EvpError { call: "EVP_CTRL_AEAD_SET_IVLEN", code: 0 };
        if !self.shape.aead {
            return Err(failed);
        }
        let number = c_int::try_from(len).map_err(|_| failed)?;
        let control = self.library.functions.cipher_ctrl;
        // SAFETY: the context is alive; the command takes a length, and no pointer.
        let result = unsafe { control(self.context.object, SET_IV_LEN, number, ptr::null_mut()) };
        self.library.check(result, "EVP_CIPHER_CTX_ctrl")?;
        self.iv_len = self.current_iv_len()?;
        if self.iv_len != len {
            return Err(failed);
        }
        if self.shape.ccm
            && let Some(recipe) = self.recipe.clone()
        {
            // SAFETY: the recipe has the cipher's key; no IV is given.
            unsafe { self.init(recipe.key.as_ptr(), ptr::null())? };
        }
        Ok(())
    }

    fn current_iv_len(&mut self) -> Result<usize, EvpError> {
        // SAFETY: the context is alive, has its cipher, and is not shared.
        let len = unsafe { (self.library.functions.cipher_ctx_iv_len)(self.context.object) };
        usize::try_from(len).map_err(|_| self.library.failure("EVP_CIPHER_CTX_get_iv_length"))
    }
}

impl Recipe {
    /// Makes a context: lengths and padding first, then the key.
    ///
    /// # Safety
    /// `cipher` is alive and of this shape.
    unsafe fn follow(
        &self,
        library: &'static Libcrypto,
        cipher: *const c_void,
        shape: Shape,
        iv_len: Option<usize>,
    ) -> Result<Owned, EvpError> {
        let f = &library.functions;
        let context = empty(library)?;
        let object = context.object;
        let encrypt = c_int::from(self.encrypt);
        // SAFETY: context and cipher are alive; nulls mean no key, no IV and no parameters.
        let result = unsafe {
            (f.cipher_init)(object, cipher, ptr::null(), ptr::null(), encrypt, ptr::null())
        };
        library.check(result, "EVP_CipherInit_ex2")?;
        let iv_len = iv_len.filter(|_| shape.aead).map(|len| (SET_IV_LEN, len));
        let lengths = [iv_len, self.tag_len.map(|len| (SET_TAG, len))];
        for (command, len) in lengths.into_iter().flatten() {
            // SAFETY: the context is alive; both commands take a length, and no pointer.
            let result = unsafe { (f.cipher_ctrl)(object, command, len as c_int, ptr::null_mut()) };
            library.check(result, "EVP_CIPHER_CTX_ctrl")?;
        }
        // As a parameter: what EVP_CIPHER_CTX_set_padding sets, 3.0 sets again with every IV.
        let padding = (shape.block_mask > 0).then_some((c"padding", 0));
        // SAFETY: the context is alive and has its cipher.
        let key_len = || usize::try_from(unsafe { (f.cipher_ctx_key_len)(object) });
        let len =
            (key_len() != Ok(self.key.len())).then_some((c"keylen", self.key.len() as c_uint));
        for (name, mut value) in [padding, len].into_iter().flatten() {
            let params = [Param::uint(name, &mut value), Param::END];
            // SAFETY: the context is alive and has its cipher; the parameters are a terminated list
            // of one number that is alive, and only read.
            let result = unsafe { (f.cipher_ctx_set)(object, params.as_ptr()) };
            library.check(result, "EVP_CIPHER_CTX_set_params")?;
        }
        if key_len() != Ok(self.key.len()) {
            return Err(library.failure("EVP_CIPHER_CTX_get_key_length"));
        }
        // SAFETY: context and key are alive, the key has the context's length; null and -1 keep
        // cipher and direction.
        let result = unsafe {
            (f.cipher_init)(object, ptr::null(), self.key.as_ptr(), ptr::null(), -1, ptr::null())
        };
        library.check(result, "EVP_CipherInit_ex2")?;
        Ok(context)
    }
}

fn empty(library: &'static Libcrypto) -> Result<Owned, EvpError> {
    let f = &library.functions;
    // SAFETY: the constructor takes nothing.
    let context = unsafe { (f.cipher_ctx_new)() };
    library.own(context, f.cipher_ctx_free, "EVP_CIPHER_CTX_new")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tests::library;

    #[test]
    fn a_name_that_it_does_not_know_is_an_error_with_a_code() {
        let Some(library) = library() else { return };
        let error = Cipher::fetch(library, c"AES-129-CBC").err().expect("there is no such cipher");
        assert_eq!(error.call, "EVP_CIPHER_fetch");
        assert_ne!(error.code, 0);
        assert_eq!(library.failure("again").code, 0, "the queue of errors was emptied");
    }

    #[test]
    fn text_in_pieces_is_ciphered_as_one() {
        let Some(library) = library() else { return };
        for name in [c"AES-128-CBC", c"AES-128-CTR", c"AES-128-GCM", c"DES-EDE3-CBC"] {
            let cipher = Cipher::fetch(library, name).expect("it is there");
            let key: Vec<u8> = (0..cipher.key_len() as u8).collect();
            let mut context = CipherContext::new(&cipher, &key, true).expect("it has a key");
            let iv = vec![7; context.iv_len];
            let (mut whole, mut pieces) = (vec![1; 144], vec![1; 144]);
            context.restart(&iv).unwrap();
            context.update(whole.as_mut_slice().into()).unwrap();
            context.restart(&iv).unwrap();
            context.update_in_pieces(pieces.as_mut_slice().into(), 32).unwrap();
            assert_eq!(pieces, whole, "{name:?}");
        }
    }

    #[test]
    fn without_padding_the_last_block_is_not_held_back() {
        let Some(library) = library() else { return };
        let cipher = Cipher::fetch(library, c"AES-256-CBC").expect("it is there");
        let [mut encrypt, mut decrypt] = [true, false]
            .map(|encrypt| CipherContext::new(&cipher, &[3; 32], encrypt).expect("it has a key"));
        for _ in 0..3 {
            let mut block = [9; 16];
            encrypt.restart(&[1; 16]).unwrap();
            encrypt.update(block.as_mut_slice().into()).unwrap();
            assert_ne!(block, [9; 16]);
            decrypt.restart(&[1; 16]).unwrap();
            decrypt.update(block.as_mut_slice().into()).unwrap();
            assert_eq!(block, [9; 16]);
        }
    }

    #[test]
    fn what_is_set_once_more_changes_nothing() {
        let Some(library) = library() else { return };
        for name in [c"DES-EDE3-ECB", c"AES-128-ECB"] {
            let cipher = Cipher::fetch(library, name).expect("it is there");
            let key: Vec<u8> = (0..cipher.key_len() as u8).collect();
            for encrypt in [true, false] {
                let mut context = CipherContext::new(&cipher, &key, encrypt).expect("it has a key");
                let mut made = Vec::new();
                for round in 0..4 {
                    if round % 2 == 1 {
                        context.renew(name, &key).unwrap();
                    }
                    if round > 1 {
                        context.set_no_padding().unwrap();
                    }
                    let mut text = [9; 32];
                    context.update(text.as_mut_slice().into()).unwrap();
                    made.push(text);
                }
                assert!(made.iter().all(|text| *text == made[0]), "{name:?} {made:?}");
                assert_ne!(made[0], [9; 32]);
            }
        }
    }

    #[test]
    fn keys_of_a_length_that_a_cipher_has_not_are_errors() {
        let Some(library) = library() else { return };
        for name in [c"AES-128-CBC", c"AES-256-GCM", c"DES-EDE3-CBC"] {
            let cipher = Cipher::fetch(library, name).expect("it is there");
            for len in [0, cipher.key_len() - 1, cipher.key_len() + 1] {
                let key: Vec<u8> = (0..len as u8).collect();
                assert!(CipherContext::new(&cipher, &key, true).is_err(), "{name:?}, {len} bytes");
            }
        }
    }

    #[test]
    fn rc4_has_keys_of_many_lengths() {
        let Some(library) = library() else { return };
        let cipher = Cipher::fetch_legacy(library, c"RC4").expect("the module is there");
        let results = [1, 5, 15, 16, 17, 256].map(|len| {
            let context = CipherContext::new(&cipher, &vec![9; len], true).expect("it has a key");
            context.duplicate().unwrap().update([0; 16].as_mut_slice().into()).unwrap().to_vec()
        });
        // A key is repeated up to 256 bytes, so that all of these keys are equal.
        assert!(results.iter().all(|result| *result == results[0]));
        assert!(Cipher::fetch(library, c"RC4").is_err(), "nobody else has it");
    }

    #[test]
    #[should_panic(expected = "17 bytes are not whole blocks")]
    fn parts_of_blocks_are_refused() {
        let Some(library) = library() else { panic!("17 bytes are not whole blocks: not tested") };
        let cipher = Cipher::fetch(library, c"AES-128-CBC").expect("it is there");
        let mut context = CipherContext::new(&cipher, &[3; 16], true).expect("it has a key");
        context.restart(&[1; 16]).unwrap();
        let _ = context.update([0; 17].as_mut_slice().into());
    }

    #[test]
    fn ivs_of_a_length_that_a_cipher_has_not_are_errors() {
        let Some(library) = library() else { return };
        for (name, lens) in
            [(c"AES-128-CBC", [0, 15]), (c"AES-128-CCM", [6, 14]), (c"AES-128-GCM", [0, 129])]
        {
            let cipher = Cipher::fetch(library, name).expect("it is there");
            let mut context = CipherContext::new(&cipher, &[3; 16], true).expect("it has a key");
            let right = vec![1; context.iv_len];
            for len in lens {
                assert!(context.restart(&vec![1; len]).is_err(), "{name:?}, {len} bytes");
                assert!(context.restart(&right).is_ok(), "{name:?} after {len} bytes");
            }
        }
    }

    fn seal(context: &mut CipherContext, iv: &[u8]) -> ([u8; 20], [u8; 8]) {
        let (mut text, mut tag) = ([5; 20], [0; 8]);
        context.restart(iv).unwrap();
        if context.shape.ccm {
            context.announce(20).unwrap();
        }
        context.associate(b"header").unwrap();
        context.update(text.as_mut_slice().into()).unwrap();
        if !context.shape.ccm {
            context.finish().unwrap();
        }
        context.tag(&mut tag).unwrap();
        (text, tag)
    }

    /// Versions before 3.2 do not copy all AEADs.
    #[test]
    fn what_cannot_be_copied_is_made_anew() {
        let Some(library) = library() else { return };
        for name in [c"AES-128-GCM", c"AES-128-CCM"] {
            let mut cipher = Cipher::fetch(library, name).expect("it is there");
            let results = [true, false].map(|copies| {
                cipher.copies = copies;
                let mut main = CipherContext::with_tag_len(&cipher, &[3; 16], true, 8).unwrap();
                let first = seal(&mut main, &[1; 13]);
                let mut other = main.duplicate().unwrap();
                assert_eq!(seal(&mut other, &[1; 13]), first, "{name:?}");
                seal(&mut other.duplicate().unwrap(), &[2; 12])
            });
            assert_eq!(results[0], results[1], "{name:?}");
        }
    }
}
