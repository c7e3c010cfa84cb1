/// A sequential source of bytes: a file, a decompressed file, or another program's output.
protocol ByteSource: AnyObject {
  /// Reads bytes into the beginning of `buffer`, which must not be empty.
  ///
  /// - Returns: The number of bytes written, at least one. At the end of the source, this call and every
  ///   further call return 0.
  /// - Throws: `ExportError` about the whole file. The caller must not read again after an error.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int

  /// Whether the source returns the bytes of the file unchanged, without decompression. If true, an observer
  /// can receive the bytes from the window later, instead of during the read.
  var isAsOnDisk: Bool { get }
}

/// Bytes in memory.
final class MemoryBytes: ByteSource {
  let isAsOnDisk = false
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, bytes.count - offset)
    unsafe buffer.copyBytes(from: bytes[offset..<offset + count])
    offset += count
    return count
  }
}

/// Bytes that were read ahead, followed by the rest of their source.
final class PrefixedBytes: ByteSource {
  var isAsOnDisk: Bool { rest.isAsOnDisk }
  private let prefix: MemoryBytes
  private let rest: any ByteSource

  init(_ prefix: [UInt8], then rest: any ByteSource) {
    self.prefix = MemoryBytes(prefix)
    self.rest = rest
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
    let count = unsafe prefix.read(into: buffer)
    return unsafe count > 0 ? count : try rest.read(into: buffer)
  }
}
