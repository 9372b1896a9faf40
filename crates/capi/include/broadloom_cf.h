/*
 * The compression framework of Intel's paper "Programming Intel QuickAssist Technology Hardware
 * Accelerators for Optimal Performance" (8.2), over libbroadloom. Its calls are synchronous and
 * take buffers of any length, which threads and outstanding jobs share.
 */

#ifndef BROADLOOM_CF_H
#define BROADLOOM_CF_H

/*
 A provider: an implementation of the framework's functions.
 */
struct CfProvider;

/*
 How to compress or decompress. Of a decompression, level, window, static codes and chunk size do
 not count.
 */
struct CfParams {
  /*
   The provider's level: zlib has 0 to 9, libdeflate 0 to 12, isal 0 to 3.
   */
  int level;
  /*
   The window, 0 to 7, as QuickAssist counts: 2^(8 + N) bytes, so that 7 is 32 KB.
   */
  int deflateWindowSize;
  /*
   Not 0: the Huffman codes of the standard, not codes made for the data.
   */
  int bStatic;
  /*
   Bytes of a chunk, 1024 to 2^30; 0: 65536.
   */
  int chunkSize;
  /*
   Jobs that are outstanding for each thread at any time, 1 to 256; 0: 1.
   */
  int maxJobsOutstanding;
  /*
   Not 0: tells on standard error who worked, and how.
   */
  int bDebug;
  /*
   Threads, 0 to 32, which share the chunks; 0: the calling thread alone.
   */
  int numThreads;
  /*
   The cores that threads are pinned to in turn, as a mask; 0: they are not pinned.
   */
  int coreAffinity;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Finds a provider: "zlib", "libdeflate", "isal", or "qat", which is emulated, because there is no
 device: "emulated:preset=8955". It lives as long as the process.

 Returns 0, or the bl_status of `broadloom.h`, whose `bl_last_error` tells more. So do the other
 functions.

 Threads: any, at once. The same holds for the other functions.
 */
int cfGetProvider(char *name, struct CfProvider **ppProvider);

/*
 Compresses a buffer of any length: each chunk on its own, behind its length in four bytes, the
 lowest first.

 `compressedDataSize`: out: bytes of output; where the output does not fit, how many there would
 be.
 */
int cfCompressBuffer(struct CfProvider *pProvider,
                     struct CfParams *pParams,
                     unsigned char *uncompressedBuffer,
                     int uncompressedBufferSize,
                     unsigned char *compressedBuffer,
                     int compressedBufferSize,
                     int *compressedDataSize);

/*
 Decompresses what `cfCompressBuffer` has made.

 `uncompressedDataSize`: out: bytes of output.
 */
int cfDecompressBuffer(struct CfProvider *pProvider,
                       struct CfParams *pParams,
                       unsigned char *compressedBuffer,
                       int compressedBufferSize,
                       unsigned char *uncompressedBuffer,
                       int uncompressedBufferSize,
                       int *uncompressedDataSize);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BROADLOOM_CF_H */
