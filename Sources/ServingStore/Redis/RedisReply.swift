/// A server's reply to a command. Error replies are thrown as errors instead.
enum RedisReply: Equatable, Sendable {
  case none
  case integer(Int)
  case bytes([UInt8])
  /// A word such as `OK` or `QUEUED`.
  case status(String)
  case array([RedisReply])

  /// The bytes; `nil` for any other reply.
  var bytes: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }

  /// The elements; `nil` for any other reply.
  var elements: [RedisReply]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The number, whether it is an integer or text; `nil` for any other reply.
  var integer: Int? {
    switch self {
    case .integer(let number): number
    case .bytes(let bytes): Int(String(decoding: bytes, as: UTF8.self))
    case .none, .status, .array: nil
    }
  }
}
