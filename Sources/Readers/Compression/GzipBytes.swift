import CZlib

/// Decompresses a gzip file in constant memory. Several members may follow each other, as in `cat a.gz b.gz`.
/// Zero bytes after the last member are ignored, because tape archives pad files with zeros.
///
/// Sources: RFC 1952; zlib's manual.
@safe final class GzipBytes: ByteSource {
  let isAsOnDisk = false
  private let source: any ByteSource
  private var expansion: ExpansionGuard
  // The stream is allocated separately, because zlib rejects a stream that has moved in memory.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawBufferPointer
  private var taken = 0
  private var state = State.inMember

  private enum State { case inMember, behindMember, inPadding, ended }

  /// Creates a decompressor of `source`.
  ///
  /// - Throws: `unreadable` if memory cannot be allocated.
  init(_ source: any ByteSource, guardedBy expansion: ExpansionGuard) throws(ExportError) {
    self.source = source
    self.expansion = expansion
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe input = .allocate(byteCount: 1 << 16, alignment: 16)
    // The window has 15 bits; adding 16 selects the gzip header.
    guard unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else {
      throw ExportError(
        .unreadable, file: expansion.file,
        reason: "this machine has too little free memory to decompress it; try again later")
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
    unsafe input.deallocate()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
    // zlib's counters have 32 bits.
    let capacity = min(buffer.count, 1 << 30)
    unsafe stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = UInt32(capacity)
    while unsafe stream.pointee.avail_out > 0, state != .ended {
      if unsafe stream.pointee.avail_in == 0 { try fill() }
      switch state {
      case .inMember: try inflate()
      case .behindMember: try beginMember()
      case .inPadding: try skipPadding()
      case .ended: break
      }
    }
    return capacity - Int(unsafe stream.pointee.avail_out)
  }

  private func fill() throws(ExportError) {
    let count = try unsafe source.read(into: input)
    taken += count
    unsafe stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_in = UInt32(count)
    guard count == 0 else { return }
    if state == .inMember {
      expansion.consumed = taken
      throw expansion.corrupt(
        "the gzip file ends inside its compressed data; export or copy the file again")
    }
    state = .ended
  }

  private func inflate() throws(ExportError) {
    let before = unsafe stream.pointee.avail_out
    let status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
    expansion.consumed = taken - Int(unsafe stream.pointee.avail_in)
    switch status {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: state = .behindMember
    case Z_MEM_ERROR:
      throw ExportError(
        .unreadable, file: expansion.file,
        reason: "this machine has too little free memory to decompress it; try again later")
    default:
      let words = unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "status \(status)"
      throw expansion.corrupt("the gzip data are corrupt (\(words)); export or copy the file again")
    }
    try expansion.produce(Int(before - (unsafe stream.pointee.avail_out)))
  }

  private func beginMember() throws(ExportError) {
    guard unsafe stream.pointee.avail_in > 0 else { return }
    switch unsafe stream.pointee.next_in.pointee {
    case 0x1F:
      unsafe inflateReset(stream)
      state = .inMember
    case 0:
      state = .inPadding
    default:
      throw expansion.corrupt(
        "bytes that are not gzip follow the compressed data; compress or copy the file again")
    }
  }

  private func skipPadding() throws(ExportError) {
    while unsafe stream.pointee.avail_in > 0 {
      guard unsafe stream.pointee.next_in.pointee == 0 else {
        throw expansion.corrupt(
          "bytes that are not gzip follow the compressed data and its padding of zeros; compress or copy the file again"
        )
      }
      unsafe stream.pointee.next_in += 1
      unsafe stream.pointee.avail_in -= 1
      expansion.consumed += 1
    }
  }
}
