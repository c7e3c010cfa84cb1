internal import DuckDB
internal import RunSchemas

/// Writes rows to DuckDB as CSV. Every text is quoted, and an empty field is NULL.
struct ParquetRows: ~Copyable {
  private let process: DuckDBProcess
  private var buffer: [UInt8] = []
  private var isAtRowStart = true
  private(set) var count = 0
  private static let capacity = 1 << 18
  private static let quote = UInt8(ascii: "\"")

  init(to process: DuckDBProcess) {
    self.process = process
    buffer.reserveCapacity(Self.capacity)
  }

  mutating func append(_ text: Span<UInt8>) {
    separate()
    buffer.append(Self.quote)
    for index in text.indices {
      if text[index] == Self.quote { buffer.append(Self.quote) }
      buffer.append(text[index])
    }
    buffer.append(Self.quote)
  }

  mutating func append(_ text: String) {
    append(Array(text.utf8).span)
  }

  /// Appends the shortest decimal that parses to the same double. NaN becomes NULL.
  mutating func append(_ number: Double) {
    separate()
    if !number.isNaN { buffer += Array(number.description.utf8) }
  }

  mutating func append(_ number: Int64) {
    separate()
    buffer += Array(String(number).utf8)
  }

  mutating func append(_ flag: Bool) {
    append(flag ? 1 as Int64 : 0)
  }

  mutating func appendNothing() {
    separate()
  }

  mutating func endRow() throws(DuckDBError) {
    buffer.append(UInt8(ascii: "\n"))
    isAtRowStart = true
    count += 1
    if buffer.count >= Self.capacity { try flush() }
  }

  mutating func flush() throws(DuckDBError) {
    try process.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func separate() {
    if !isAtRowStart { buffer.append(UInt8(ascii: ",")) }
    isAtRowStart = false
  }
}
