internal import CLinux
internal import Glibc
internal import Readers

/// Reads one export in all ways that must give the same rows, and keeps the result.
struct ExportCheck {
  /// The outcome of reading the export through one window.
  let whole: ReadOutcome
  /// The first violation of an invariant, or `nil`.
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
      fatalError("no reader accepts the options of the check: \(error)")
    }
    let whole = Self.read(reader, chunk: bytes.count + 1)
    self.whole = whole
    let isByLine = [.jsonl, .firestore, .parse].contains(format)
    violation =
      whole.violation(checksExcerpts: !isByLine)
      ?? Self.windowViolation(reader, whole, bytes, isCompressed)
      ?? Self.shortRecordViolation(reader)
      ?? (isCompressed ? nil : Self.listViolation(whole, bytes, format, fields, options))
      ?? (isCompressed ? nil : Self.memoryViolation(bytes, format, fields, optional, options))
  }

  private static func read(_ reader: ExportReader, chunk: Int, recordLimit: Int? = nil) -> ReadOutcome {
    var reader = reader
    reader.chunk = chunk
    if let recordLimit { reader.recordLimit = recordLimit }
    return ReadOutcome(reader)
  }

  /// Reads through small windows, whose ends split characters, quotation marks and line ends. One
  /// window size depends on the input, so a fuzzer tries all sizes.
  private static func windowViolation(
    _ reader: ExportReader, _ whole: ReadOutcome, _ bytes: [UInt8], _ isCompressed: Bool
  ) -> String? {
    let varied = 2 + Int(bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } % 29)
    for chunk in [1, varied, 64] {
      let windowed = read(reader, chunk: chunk)
      if whole.error?.code == .invalidUTF8 || windowed.error?.code == .invalidUTF8 {
        // A window is validated as UTF-8 before it is parsed. The window size therefore decides
        // which of two errors is found first.
        if whole.error != nil, windowed.error != nil { continue }
      }
      // The window size decides how many bytes are expanded ahead. This changes the first error and
      // the number of rows before it.
      if isCompressed, whole.error != nil, windowed.error != nil, whole.agrees(with: windowed) { continue }
      guard windowed == whole else {
        return "through a window of \(chunk) bytes it reads otherwise: \(windowed.difference(from: whole))"
      }
    }
    return nil
  }

  /// If lists are requested, values that are not arrays or objects must stay the same, for any
  /// window size. Firestore's arrays are then parsed, so more records can have a fault.
  private static func listViolation(
    _ whole: ReadOutcome, _ bytes: [UInt8], _ format: ExportFormat, _ fields: [String],
    _ options: ExportOptions
  ) -> String? {
    guard [.json, .jsonl, .firestore, .parse, .realtime].contains(format) else { return nil }
    let lists = Dictionary(fields.map { ($0, ";") }) { first, _ in first }
    guard
      let reader = try? ExportReader(
        bytes: bytes, name: "x", format: format, fields: fields, lists: lists, options: options)
    else { return "lists are refused" }
    let listed = read(reader, chunk: bytes.count + 1)
    if let violation = listed.violation(checksExcerpts: false) { return "with lists: \(violation)" }
    let windowed = read(reader, chunk: 1)
    guard windowed == listed || (windowed.error != nil && listed.error != nil) else {
      return "through a small window lists read otherwise: \(windowed.difference(from: listed))"
    }
    guard listed.rows.count == whole.rows.count else { return "with lists there are other records" }
    for (row, plain) in zip(listed.rows, whole.rows) {
      if format == .firestore, row.fault != nil { continue }
      guard row.fault == plain.fault else { return "with lists another fault: \(row) against \(plain)" }
      for (cell, plain) in zip(row.cells, plain.cells) where cell != plain && plain != .structure {
        return "with lists \(plain) became \(cell)"
      }
    }
    return nil
  }

  /// Limits records to a few bytes. The window may change which records are too long, but every
  /// byte must be accounted for.
  private static func shortRecordViolation(_ reader: ExportReader) -> String? {
    for (chunk, limit) in [(1, 1), (4, 16), (7, 40)] {
      let outcome = read(reader, chunk: chunk, recordLimit: limit)
      if let violation = outcome.violation(checksExcerpts: false) {
        return "with records of \(limit) bytes at most: \(violation)"
      }
    }
    return nil
  }

  /// Reads from a file, because a larger window requests more bytes at once.
  private static func memoryViolation(
    _ bytes: [UInt8], _ format: ExportFormat, _ fields: [String], _ optional: Set<String>,
    _ options: ExportOptions
  ) -> String? {
    let (chunk, limit) = (16, 64)
    // Smaller files fit into the largest allowed window, so they cannot exceed it.
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
