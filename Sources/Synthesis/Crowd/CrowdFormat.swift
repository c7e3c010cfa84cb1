/// How the files of a crowd are written.
package enum CrowdFormat: String, CaseIterable, Sendable {
  case csv, jsonl
}

/// How the files of a crowd are compressed.
package enum CrowdCompression: String, CaseIterable, Sendable {
  case gzip, zstd

  /// What stands behind the name of such a file.
  var ending: String {
    switch self {
    case .gzip: ".gz"
    case .zstd: ".zst"
    }
  }
}

/// The digits of numbers, written into bytes that are there already: no text is made per row.
enum CrowdDigits {
  /// Writes the last `width` decimal digits of `value`, which is not negative, from `place` on.
  static func write(_ value: Int, at place: Int, width: Int, into bytes: inout MutableSpan<UInt8>) {
    var rest = UInt32(truncatingIfNeeded: value)
    for index in stride(from: place + width - 1, through: place, by: -1) {
      bytes[index] = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
      rest /= 10
    }
  }

  /// Degrees that are given in hundred thousandths, as in `-8.19740`.
  static func degrees(_ value: Int32) -> String {
    let magnitude = Int64(value.magnitude)
    return (value < 0 ? "-" : "") + String(magnitude / 100_000) + "."
      + CivilTime.padded(magnitude % 100_000, 5)
  }
}

/// The ids of a crowd's people: all of one length, in the order of their numbers.
struct CrowdIDs: Sendable {
  /// Digits behind the `u`.
  let width: Int

  init(users: Int) {
    width = max(7, String(users - 1).utf8.count)
  }

  /// Bytes of an id.
  var length: Int { width + 1 }

  func text(_ person: Int) -> String { "u" + CivilTime.padded(person, width) }
}
