import Concurrency
import Foundation
import Glibc

@testable import ServingStore

/// A server on the loopback interface that answers each command with a scripted reply. A real server is in a
/// state such as loading for only a moment, so a test could not rely on it.
final class ScriptedRedis: Sendable {
  private let port: Int32
  private let listening: Int32
  private let received: Guarded<[String]>

  /// The names of all received commands, in order.
  var commands: [String] { received.withLock { $0 } }

  var endpoint: RedisEndpoint { RedisEndpoint(host: "127.0.0.1", port: port) }
  var address: StoreAddress { StoreAddress(endpoint) }

  /// Starts the server, which stops when this value is released.
  ///
  /// - Parameter reply: Returns the reply to a command in the wire format. It receives the command's name and
  ///   the number of earlier commands with this name.
  /// - Throws: `Failure` if the server cannot listen.
  init(_ reply: @escaping @Sendable (_ command: String, _ number: Int) -> String) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isListening else { throw Failure() }
    let names = Guarded<[String]>([])
    (port, listening, received) = (Int32(UInt16(bigEndian: address.sin_port)), descriptor, names)
    Thread.detachNewThread {
      while true {
        let connection = accept(descriptor, nil, nil)
        if connection < 0 { break }
        Thread.detachNewThread { Self.answer(connection, names, reply) }
      }
      close(descriptor)
    }
  }

  /// Ends the thread that accepts connections.
  deinit { _ = shutdown(listening, Int32(SHUT_RDWR)) }

  private static func answer(
    _ connection: Int32, _ received: Guarded<[String]>, _ reply: (String, Int) -> String
  ) {
    defer { close(connection) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(connection, &buffer, 4096, 0)
      if count <= 0 { return }
      bytes += buffer[..<count]
      while let name = takeCommand(from: &bytes) {
        let number = received.withLock { names -> Int in
          names.append(name)
          return names.count { $0 == name } - 1
        }
        let text = Array(reply(name, number).utf8)
        _ = send(connection, text, text.count, Int32(MSG_NOSIGNAL))
      }
    }
  }

  /// Removes the first command, and returns its name; `nil` if no command is complete.
  private static func takeCommand(from bytes: inout [UInt8]) -> String? {
    var rest = bytes[...]
    guard let count = takeNumber(from: &rest) else { return nil }
    var words: [String] = []
    for _ in 0..<count {
      guard let length = takeNumber(from: &rest), rest.count >= length + 2 else { return nil }
      words.append(String(decoding: rest.prefix(length), as: UTF8.self))
      rest = rest.dropFirst(length + 2)
    }
    bytes = Array(rest)
    return words.first
  }

  /// Removes a line with a number after its first character, such as `*3`.
  private static func takeNumber(from bytes: inout ArraySlice<UInt8>) -> Int? {
    guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
    let line = bytes[..<end].dropFirst().dropLast()
    bytes = bytes[(end + 1)...]
    return Int(String(decoding: line, as: UTF8.self))
  }
}
