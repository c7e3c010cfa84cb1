internal import CZlib
internal import CZstd

extension CrowdCompression {
  /// Low compression levels, so that a file of 2 GB takes seconds instead of minutes.
  private static let gzipLevel: Int32 = 4
  private static let zstdLevel: Int32 = 3

  /// Compresses `bytes` as a complete gzip member or Zstandard frame.
  ///
  /// Both formats allow several members or frames in one file. Parts can therefore be compressed in parallel,
  /// and the bytes of each part depend only on its content.
  func compressed(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .gzip: Self.gzip(bytes)
    case .zstd: Self.zstd(bytes)
    }
  }

  private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = unsafe z_stream()
    // The window has 15 bits. Adding 16 selects a gzip header without a time.
    let opened = unsafe deflateInit2_(
      &stream, gzipLevel, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(opened == Z_OK, "zlib rejected its settings: \(opened)")
    defer { unsafe deflateEnd(&stream) }
    let bound = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
    precondition(
      bytes.count <= UInt32.max && bound <= UInt32.max, "a gzip member cannot have \(bytes.count) bytes")
    return unsafe bytes.withUnsafeBufferPointer { input in
      unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
        // zlib does not write to its input.
        unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        let ended = unsafe deflate(&stream, Z_FINISH)
        precondition(ended == Z_STREAM_END, "zlib did not complete the member: \(ended)")
        unsafe count = Int(stream.total_out)
      }
    }
  }

  private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { input in
      unsafe [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(input.count)) { output, count in
        count = unsafe ZSTD_compress(
          output.baseAddress, output.count, input.baseAddress, input.count, zstdLevel)
        precondition(ZSTD_isError(count) == 0, "zstd did not complete the frame")
      }
    }
  }
}
