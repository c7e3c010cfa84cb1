internal import Files

/// The header of a one-dimensional `.npy` file: format 1.0, little-endian, C order.
///
/// As in NumPy, padding makes the elements start at a multiple of 64 bytes, which keeps memory-mapped
/// elements aligned. Source: numpy.lib.format.
package struct NumPyHeader {
  var type: String
  var count: Int
  /// The number of bytes before the first element.
  private(set) var length: Int

  private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8) + [1, 0]

  package init(type: String, count: Int) {
    self.type = type
    self.count = count
    // The header contains the magic number, two bytes of length, the dictionary, and at least a newline. Its
    // length is rounded up to a multiple of 64.
    length = (Self.magic.count + 2 + Self.dictionary(type, count).utf8.count + 1 + 63) / 64 * 64
  }

  private static func dictionary(_ type: String, _ count: Int) -> String {
    "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(count),), }"
  }

  package var bytes: [UInt8] {
    let dictionary = Array(Self.dictionary(type, count).utf8)
    let size = length - Self.magic.count - 2
    let padding = [UInt8](repeating: UInt8(ascii: " "), count: size - dictionary.count - 1)
    return Self.magic + [UInt8(size & 255), UInt8(size >> 8)] + dictionary + padding + [UInt8(ascii: "\n")]
  }

  /// Parses a header that this type wrote, or that NumPy wrote for a one-dimensional array.
  ///
  /// - Throws: `FileError` for any other header.
  init(parsing file: RawSpan, path: String) throws(FileError) {
    func failure(_ reason: String) -> FileError { FileError(damaged: path, reason) }
    guard file.byteCount >= 10 else { throw failure("it is too short for a .npy file") }
    let start = (0..<8).map { file.unsafeLoadByte($0) }
    guard start == Self.magic else {
      throw failure("it does not start with the header of a .npy file of format 1.0")
    }
    let size = Int(file.unsafeLoadByte(8)) | Int(file.unsafeLoadByte(9)) << 8
    guard file.byteCount >= 10 + size else { throw failure("its .npy header is truncated") }
    let text = String(decoding: (10..<10 + size).map { file.unsafeLoadByte($0) }, as: UTF8.self)
    guard let type = Self.value(of: "descr", in: text)?.split(separator: "'").first,
      let shape = Self.value(of: "shape", in: text), let end = shape.firstRange(of: ",)"),
      shape.first == "(", let count = Int(shape[..<end.lowerBound].dropFirst()), count >= 0,
      text.contains("'fortran_order': False")
    else { throw failure("its .npy header does not describe a one-dimensional array in C order") }
    self.type = String(type)
    self.count = count
    length = 10 + size
  }

  private static func value(of key: String, in text: String) -> Substring? {
    guard let name = text.firstRange(of: "'\(key)': ") else { return nil }
    return text[name.upperBound...]
  }
}

extension RawSpan {
  /// Returns the byte at `offset`. Traps if `offset` is out of bounds.
  fileprivate func unsafeLoadByte(_ offset: Int) -> UInt8 {
    unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
