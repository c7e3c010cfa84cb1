internal import CLinux
internal import Exports
internal import Glibc

/// Reads one export in every way that must not matter, and keeps what came of it.
struct ExportCheck {
  /// What came of the export read through one window.
  let whole: ReadOutcome
  /// The first thing found wrong, or `nil`.
  let violation: String?

  init(
    _ bytes: [UInt8], _ format: ExportFormat, _ fields: [String], optional: Set<String> = [],
    options: ExportOptions = ExportOptions(), name: String = "x", isCompressed: Bool = false
  ) {
    let reader: ExportReader
    do {
      reader = try ExportReader(
        bytes: bytes, name: name, format: format, fields: fields, optional: optional, options: options)
    } catch {
      fatalError("the check asks for what no reader takes: \(error)")
    }
    let whole = Self.read(reader, chunk: bytes.count + 1)
    self.whole = whole
    let isByLine = [.jsonl, .firestore, .parse].contains(format)
    violation =
      whole.violation(checksExcerpts: !isByLine)
      ?? Self.windowViolation(reader, whole, bytes, isCompressed)
      ?? Self.shortRecordViolation(reader)
      ?? (isCompressed ? nil : Self.memoryViolation(bytes, format, fields, optional, options))
  }

  private static func read(_ reader: ExportReader, chunk: Int, recordLimit: Int? = nil) -> ReadOutcome {
    var reader = reader
    reader.chunk = chunk
    if let recordLimit { reader.recordLimit = recordLimit }
    return ReadOutcome(reader)
  }

  /// Small windows, of sizes that cut characters, quotes and line ends in two; one depends on the input, so that
  /// a fuzzer tries them all.
  private static func windowViolation(
    _ reader: ExportReader, _ whole: ReadOutcome, _ bytes: [UInt8], _ isCompressed: Bool
  ) -> String? {
    let varied = 2 + Int(bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } % 29)
    for chunk in [1, varied, 64] {
      let windowed = read(reader, chunk: chunk)
      if whole.error?.code == .invalidUTF8 || windowed.error?.code == .invalidUTF8 {
        // A window is checked before it is read, so another mistake in it may come first or second.
        if whole.error != nil, windowed.error != nil { continue }
      }
      // What is expanded ahead decides which mistake is met first, and how many rows before it.
      if isCompressed, whole.error != nil, windowed.error != nil, whole.agrees(with: windowed) { continue }
      guard windowed == whole else {
        return "through a window of \(chunk) bytes it reads otherwise: \(windowed.difference(from: whole))"
      }
    }
    return nil
  }

  /// Records of a few bytes at most: which ones are too long may depend on the window, the accounting may not.
  private static func shortRecordViolation(_ reader: ExportReader) -> String? {
    for (chunk, limit) in [(1, 1), (4, 16), (7, 40)] {
      let outcome = read(reader, chunk: chunk, recordLimit: limit)
      if let violation = outcome.violation(checksExcerpts: false) {
        return "with records of \(limit) bytes at most: \(violation)"
      }
    }
    return nil
  }

  /// Reads a file, as a window that grew asks the system for more bytes at once.
  private static func memoryViolation(
    _ bytes: [UInt8], _ format: ExportFormat, _ fields: [String], _ optional: Set<String>,
    _ options: ExportOptions
  ) -> String? {
    let (chunk, limit) = (16, 64)
    // A smaller file cannot show it.
    guard bytes.count > 8 * limit else { return nil }
    let descriptor = linux_memory_file("fuzz")
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard write(descriptor, bytes, bytes.count) == bytes.count else { return nil }
    var most = 0
    do {
      var reader = try ExportReader(
        file: "/proc/self/fd/\(descriptor)", format: format, fields: fields, optional: optional,
        options: options)
      reader.chunk = chunk
      reader.recordLimit = limit
      _ = ReadOutcome(reader) { most = max(most, $0.byteCount) }
    } catch {
      return "a file is refused where bytes are not: \(error)"
    }
    return most > 4 * (limit + chunk) ? "records of \(limit) bytes at most needed a window of \(most)" : nil
  }
}
