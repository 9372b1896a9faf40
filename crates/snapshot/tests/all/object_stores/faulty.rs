//! A store of objects whose operations can be spoiled.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use broadloom_snapshot::store::File;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result, UploadPart,
};

/// What an operation does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// It fails.
    Fails,
    /// It writes or reads half of an object, or breaks off in a list.
    Half,
    /// It loses what is written, and reads other bytes.
    Other,
}

#[derive(Debug, Default)]
struct FaultState {
    wrong: Option<Wrong>,
    /// Operations that went wrong once.
    seen: HashSet<String>,
    spoiled: usize,
}

/// Objects in memory. The first operation of each kind on each object goes wrong.
#[derive(Debug, Default)]
pub struct Faulty {
    inner: InMemory,
    state: Arc<Mutex<FaultState>>,
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

fn failure() -> Error {
    Error::Generic { store: "faulty", source: "the connection was lost".into() }
}

fn wrong(state: &Mutex<FaultState>, operation: String) -> Option<Wrong> {
    let mut state = state.lock().unwrap();
    let wrong = state.wrong?;
    if !state.seen.insert(operation) {
        return None;
    }
    state.spoiled += 1;
    Some(wrong)
}

impl Faulty {
    pub fn new() -> Faulty {
        Faulty::default()
    }

    /// From now on, first operations go wrong in this way.
    pub fn spoil(&self, wrong: Option<Wrong>) {
        let mut state = self.state.lock().unwrap();
        state.wrong = wrong;
        state.seen.clear();
    }

    /// Operations that went wrong.
    pub fn spoiled(&self) -> usize {
        self.state.lock().unwrap().spoiled
    }

    /// The length of a file's object below `path`.
    pub fn len(&self, file: File) -> Option<u64> {
        let path = Path::from(format!("path/{file}"));
        let object = self.inner.head(&path).now_or_never().expect("memory answers at once");
        object.ok().map(|object| object.size)
    }

    fn wrong(&self, operation: &str, path: &Path) -> Option<Wrong> {
        wrong(&self.state, format!("{operation} {path}"))
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let half = || {
            let bytes = payload.iter().flatten().copied();
            bytes.take(payload.content_length() / 2).collect::<Vec<u8>>()
        };
        match self.wrong("put", path) {
            Some(Wrong::Fails) => Err(failure()),
            Some(Wrong::Half) => self.inner.put_opts(path, half().into(), options).await,
            Some(Wrong::Other) => self.inner.put_opts(&"lost".into(), payload, options).await,
            None => self.inner.put_opts(path, payload, options).await,
        }
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        match self.wrong("begin", path) {
            Some(Wrong::Fails) => Err(failure()),
            _ => {
                let inner = self.inner.put_multipart_opts(path, options).await?;
                let (state, path) = (Arc::clone(&self.state), path.clone());
                Ok(Box::new(Upload { inner, state, path }))
            }
        }
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let (head, range) = (options.head, options.range.is_some());
        let operation = if head {
            "head"
        } else if range {
            "range"
        } else {
            "get"
        };
        let wrong = self.wrong(operation, path);
        let mut got = match wrong {
            Some(Wrong::Fails) => return Err(failure()),
            _ => self.inner.get_opts(path, options).await?,
        };
        if let Some(wrong) = wrong.filter(|_| !head) {
            let length = (got.range.end - got.range.start) as usize;
            let bytes = match wrong {
                Wrong::Other => vec![b'?'; length],
                _ => {
                    let stream = got.into_stream().try_collect::<Vec<_>>().await?;
                    let whole = stream.concat();
                    let bytes = whole[..length / 2].to_vec();
                    got = self.inner.get(path).await?;
                    bytes
                }
            };
            let piece = stream::once(async { Ok(bytes.into()) });
            got.payload = GetResultPayload::Stream(piece.boxed());
        }
        Ok(got)
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let state = Arc::clone(&self.state);
        let checked = paths.map(move |path| {
            let path = path?;
            match wrong(&state, format!("delete {path}")) {
                Some(Wrong::Fails) => Err(failure()),
                _ => Ok(path),
            }
        });
        self.inner.delete_stream(checked.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let whole = self.inner.list(prefix);
        match self.wrong("list", prefix.expect("a kind is listed")) {
            Some(Wrong::Fails) => stream::once(async { Err(failure()) }).boxed(),
            Some(Wrong::Half) => {
                whole.take(1).chain(stream::once(async { Err(failure()) })).boxed()
            }
            _ => whole,
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

/// An upload whose first part fails once.
#[derive(Debug)]
struct Upload {
    inner: Box<dyn MultipartUpload>,
    state: Arc<Mutex<FaultState>>,
    path: Path,
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, part: PutPayload) -> UploadPart {
        match wrong(&self.state, format!("part {}", self.path)) {
            Some(Wrong::Fails) => async { Err(failure()) }.boxed(),
            _ => self.inner.put_part(part),
        }
    }

    async fn complete(&mut self) -> Result<PutResult> {
        match wrong(&self.state, format!("complete {}", self.path)) {
            Some(Wrong::Fails) => Err(failure()),
            _ => self.inner.complete().await,
        }
    }

    async fn abort(&mut self) -> Result<()> {
        self.inner.abort().await
    }
}
