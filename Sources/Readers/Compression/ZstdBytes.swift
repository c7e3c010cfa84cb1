import CZstd

/// Decompresses a Zstandard file frame by frame. The memory depends on the frame's window size, which is at
/// most 128 MiB, and not on the file size.
///
/// Sources: RFC 8878; zstd's manual.
@safe final class ZstdBytes: ByteSource {
  let isAsOnDisk = false
  private let source: any ByteSource
  private var expansion: ExpansionGuard
  private let context: OpaquePointer
  private let storage: UnsafeMutableRawBufferPointer
  private var input: ZSTD_inBuffer
  private var taken = 0
  private var isInFrame = true
  /// Whether the last call filled its output within a frame, so that more output may be pending. The value
  /// must be false after a frame. Otherwise, libzstd would start the next frame without input, and the file
  /// would look truncated.
  private var hasPendingOutput = false
  private var hasEnded = false

  /// Creates a decompressor of `source`.
  ///
  /// - Throws: `unreadable` if memory cannot be allocated.
  init(_ source: any ByteSource, guardedBy expansion: ExpansionGuard) throws(ExportError) {
    guard let context = unsafe ZSTD_createDCtx() else {
      throw ExportError(
        .unreadable, file: expansion.file,
        reason: "this machine has too little free memory to decompress it; try again later")
    }
    self.source = source
    self.expansion = expansion
    unsafe self.context = unsafe context
    unsafe storage = .allocate(byteCount: ZSTD_DStreamInSize(), alignment: 16)
    unsafe input = ZSTD_inBuffer(src: storage.baseAddress, size: 0, pos: 0)
  }

  deinit {
    unsafe ZSTD_freeDCtx(context)
    unsafe storage.deallocate()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
    var output = unsafe ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
    while unsafe output.pos < output.size, !hasEnded {
      if unsafe input.pos == input.size, !hasPendingOutput {
        try fill()
        if hasEnded { break }
      }
      let before = unsafe output.pos
      let hint = unsafe ZSTD_decompressStream(context, &output, &input)
      expansion.consumed = taken - (unsafe input.size - input.pos)
      guard ZSTD_isError(hint) == 0 else { throw failure(hint) }
      isInFrame = hint != 0
      hasPendingOutput = unsafe isInFrame && output.pos == output.size
      try expansion.produce(unsafe output.pos - before)
    }
    return unsafe output.pos
  }

  private func fill() throws(ExportError) {
    let count = try unsafe source.read(into: storage)
    taken += count
    unsafe input = ZSTD_inBuffer(src: storage.baseAddress, size: count, pos: 0)
    guard count == 0 else { return }
    if isInFrame {
      expansion.consumed = taken
      throw expansion.corrupt(
        "the Zstandard file ends inside its compressed data; export or copy the file again")
    }
    hasEnded = true
  }

  private func failure(_ code: Int) -> ExportError {
    let words = unsafe String(cString: ZSTD_getErrorName(code))
    if ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge {
      return ExportError(
        .unsupportedCompression, file: expansion.file, place: .compressedByte(expansion.consumed),
        reason: "it was compressed with a window of more than 128 MiB; compress it again without --long")
    }
    return expansion.corrupt("the Zstandard data are corrupt (\(words)); export or copy the file again")
  }
}
