/// A command in the wire format. Each word is preceded by its length, so a word may contain any bytes.
///
/// Source: the Redis serialization protocol, RESP 2, "Sending commands to a Redis server".
struct RedisCommand: Sendable {
  private(set) var count = 0
  /// The encoded words, without the first line, which contains their number.
  private(set) var body: [UInt8] = []

  init() {}

  init(_ name: String, _ words: [UInt8]...) {
    append(name)
    for word in words { append(word.span) }
  }

  /// The complete encoded command.
  var bytes: [UInt8] { Array("*\(count)\r\n".utf8) + body }

  mutating func append(_ word: Span<UInt8>) {
    count += 1
    body.append(UInt8(ascii: "$"))
    body.append(contentsOf: String(word.count).utf8)
    body.append(contentsOf: [0x0D, 0x0A])
    unsafe word.withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
    body.append(contentsOf: [0x0D, 0x0A])
  }

  mutating func append(_ word: String) { append(Array(word.utf8).span) }

  mutating func append(_ words: [[UInt8]]) {
    for word in words { append(word.span) }
  }

  /// Appends the words of another command.
  mutating func append(contentsOf other: RedisCommand) {
    count += other.count
    body.append(contentsOf: other.body)
  }

  /// Removes all words, but keeps the memory.
  mutating func removeAll() {
    count = 0
    body.removeAll(keepingCapacity: true)
  }
}

extension [UInt8] {
  /// Creates a word of a command from a number.
  init(decimal number: some BinaryInteger) { self = Array(String(number).utf8) }
}
