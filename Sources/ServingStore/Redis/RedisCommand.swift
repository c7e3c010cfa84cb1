/// The words of a command in the wire format. Each word has its length before it, so it may contain any bytes.
///
/// Source: the Redis serialization protocol, RESP 2, "Sending commands to a Redis server".
struct RedisCommand: Sendable {
  private(set) var count = 0
  /// The words in the protocol's form, without the line that counts them.
  private(set) var body: [UInt8] = []

  init() {}

  init(_ name: String, _ words: [UInt8]...) {
    append(name)
    for word in words { append(word.span) }
  }

  /// The whole command.
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

  /// Adds the words of another one.
  mutating func append(contentsOf other: RedisCommand) {
    count += other.count
    body.append(contentsOf: other.body)
  }

  /// Forgets the words, and keeps their memory.
  mutating func removeAll() {
    count = 0
    body.removeAll(keepingCapacity: true)
  }
}

extension [UInt8] {
  /// A number as a word of a command.
  init(decimal number: some BinaryInteger) { self = Array(String(number).utf8) }
}
