//! The tools, run as people run them. One program, so that what the tests use is linked once.

mod chunks;
mod closed_streams;
mod common;
mod compress_files;
mod compress_frames;
mod compress_options;
mod compress_pipes;
mod compress_readers;
mod compress_stream;
mod encrypt_files;
mod file_safety;
mod hash_blake3;
mod hash_check;
mod hash_chunk;
mod hash_many;
mod hash_openssl;
mod hash_print;
mod hash_terminal;
mod info;
mod shell;
mod snapshot;
mod snapshot_hostile;
mod snapshot_sources;
mod top;
mod verify_signatures;
