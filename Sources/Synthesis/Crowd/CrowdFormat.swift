/// The format of a crowd's files.
package enum CrowdFormat: String, CaseIterable, Sendable {
  case csv, jsonl
}

/// The compression of a crowd's files.
package enum CrowdCompression: String, CaseIterable, Sendable {
  case gzip, zstd

  /// The suffix of the file name.
  var ending: String {
    switch self {
    case .gzip: ".gz"
    case .zstd: ".zst"
    }
  }
}

/// Writes the digits of numbers over existing bytes, so that no string is created per row.
enum CrowdDigits {
  /// Writes the last `width` decimal digits of `value`, which must not be negative, starting at `place`.
  static func write(_ value: Int, at place: Int, width: Int, into bytes: inout MutableSpan<UInt8>) {
    var rest = UInt32(truncatingIfNeeded: value)
    for index in stride(from: place + width - 1, through: place, by: -1) {
      bytes[index] = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
      rest /= 10
    }
  }

  /// Returns `value`, in hundred-thousandths of a degree, as a decimal number of degrees, such as `-8.19740`.
  static func degrees(_ value: Int32) -> String {
    let magnitude = Int64(value.magnitude)
    return (value < 0 ? "-" : "") + String(magnitude / 100_000) + "."
      + CivilTime.padded(magnitude % 100_000, 5)
  }
}

/// The ids of a crowd's people. All ids have the same length and sort in the order of the people's numbers.
struct CrowdIDs: Sendable {
  /// The number of digits after the `u`.
  let width: Int

  init(users: Int) {
    width = max(7, String(users - 1).utf8.count)
  }

  /// The number of bytes of an id.
  var length: Int { width + 1 }

  func text(_ person: Int) -> String { "u" + CivilTime.padded(person, width) }
}
