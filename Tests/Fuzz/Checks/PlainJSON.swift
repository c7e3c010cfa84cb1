/// The result of a simple JSON recognizer for a text.
struct PlainJSON: Equatable {
  /// Whether the text is JSON by RFC 8259. This does not check the encoding.
  var isJSON = false
  /// Whether a number is beyond a double's range.
  var hasHugeNumber = false
  /// Whether an escape is an unpaired surrogate.
  var hasLoneSurrogate = false
  /// The nesting depth of arrays and objects.
  var depth = 0
  /// The number of elements of an array; `nil` for any other value.
  var elements: Int?

  /// Whether readers must accept the text: it is JSON, without anything that a reader may reject.
  var isPlain: Bool { isJSON && !hasHugeNumber && !hasLoneSurrogate }
  /// Whether the nesting depth is close to the limit of readers.
  var isDeep: Bool { depth > 1000 }

  private enum State { case value, valueOrEnd, key, keyOrEnd, behindValue }

  init(_ bytes: [UInt8]) {
    var index = 0
    var closers: [UInt8] = []
    var state = State.value
    func open(_ closer: UInt8, _ next: State) {
      if closers.isEmpty, closer == UInt8(ascii: "]") { elements = 0 }
      closers.append(closer)
      depth = max(depth, closers.count)
      state = next
    }
    while true {
      while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
      guard index < bytes.count else { break }
      let byte = bytes[index]
      if closers.last == byte, state != .value, state != .key {
        closers.removeLast()
        index += 1
        state = .behindValue
        continue
      }
      switch state {
      case .value, .valueOrEnd:
        if closers.count == 1, elements != nil { elements? += 1 }
        switch byte {
        case UInt8(ascii: "["): open(UInt8(ascii: "]"), .valueOrEnd)
        case UInt8(ascii: "{"): open(UInt8(ascii: "}"), .keyOrEnd)
        default:
          guard skipScalar(bytes, &index) else { return }
          state = .behindValue
          continue
        }
        index += 1
      case .key, .keyOrEnd:
        guard skipString(bytes, &index) else { return }
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return }
        index += 1
        state = .value
      case .behindValue:
        guard byte == UInt8(ascii: ","), let closer = closers.last else { return }
        index += 1
        state = closer == UInt8(ascii: "]") ? .value : .key
      }
    }
    isJSON = state == .behindValue && closers.isEmpty
  }

  private mutating func skipScalar(_ bytes: [UInt8], _ index: inout Int) -> Bool {
    for word in ["true", "false", "null"] where bytes[index...].starts(with: word.utf8) {
      index += word.utf8.count
      return true
    }
    return bytes[index] == UInt8(ascii: "\"") ? skipString(bytes, &index) : skipNumber(bytes, &index)
  }

  private mutating func skipNumber(_ bytes: [UInt8], _ index: inout Int) -> Bool {
    let start = index
    func skipDigits() -> Int {
      let first = index
      while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
      return index - first
    }
    func skip(_ any: String) -> Bool {
      guard index < bytes.count, any.utf8.contains(bytes[index]) else { return false }
      index += 1
      return true
    }
    _ = skip("-")
    let isZero = index < bytes.count && bytes[index] == UInt8(ascii: "0")
    let digits = skipDigits()
    guard digits > 0, !isZero || digits == 1 else { return false }
    if skip(".") { guard skipDigits() > 0 else { return false } }
    if skip("eE") {
      _ = skip("+-")
      guard skipDigits() > 0 else { return false }
    }
    if Double(String(decoding: bytes[start..<index], as: UTF8.self))?.isFinite != true {
      hasHugeNumber = true
    }
    return true
  }

  private mutating func skipString(_ bytes: [UInt8], _ index: inout Int) -> Bool {
    guard bytes[index] == UInt8(ascii: "\"") else { return false }
    index += 1
    var awaitsLow = false
    while index < bytes.count {
      let byte = bytes[index]
      var unit: UInt16?
      switch byte {
      case UInt8(ascii: "\""):
        if awaitsLow { hasLoneSurrogate = true }
        index += 1
        return true
      case 0..<0x20: return false
      case UInt8(ascii: "\\"):
        guard index + 1 < bytes.count else { return false }
        index += 2
        if bytes[index - 1] == UInt8(ascii: "u") {
          guard index + 4 <= bytes.count, bytes[index..<index + 4].allSatisfy(Self.isHexadecimal) else {
            return false
          }
          unit = UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
          index += 4
        } else if !"\"\\/bfnrt".utf8.contains(bytes[index - 1]) {
          return false
        }
      default: index += 1
      }
      let isLow = unit.map { (0xDC00...0xDFFF).contains($0) } ?? false
      if isLow != awaitsLow { hasLoneSurrogate = true }
      awaitsLow = unit.map { (0xD800...0xDBFF).contains($0) } ?? false
    }
    return false
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    Character(Unicode.Scalar(byte)).isHexDigit && byte < 0x80
  }
}
