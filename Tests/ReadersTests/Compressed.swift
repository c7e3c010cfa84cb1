import CZlib
import CZstd
import Glibc

/// Compresses `bytes` into one gzip member.
func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
  var stream = z_stream()
  // The window has 15 bits. Adding 16 selects gzip's header.
  precondition(
    deflateInit2_(
      &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)) == Z_OK)
  defer { deflateEnd(&stream) }
  var input = bytes
  var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
  let count = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
      return output.count - Int(stream.avail_out)
    }
  }
  return Array(output[..<count])
}

/// Compresses `bytes` into one Zstandard frame.
func zstd(_ bytes: [UInt8], level: Int32 = 3, hasChecksum: Bool = true, hasSize: Bool = true) -> [UInt8] {
  let context = ZSTD_createCCtx()
  defer { ZSTD_freeCCtx(context) }
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, hasChecksum ? 1 : 0)
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, hasSize ? 1 : 0)
  var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
  let count = ZSTD_compress2(context, &output, output.count, bytes, bytes.count)
  precondition(ZSTD_isError(count) == 0)
  return Array(output[..<count])
}

/// Wraps `bytes` in a frame that decompressors skip.
func skippableFrame(_ bytes: [UInt8]) -> [UInt8] {
  [0x5A, 0x2A, 0x4D, 0x18] + (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
}
