import CHiredis
import Glibc

/// One connection to Redis or Valkey. Replies arrive in the order of commands.
///
/// hiredis connects and reads replies. This type sends commands itself, because hiredis 0.14 sends with
/// `write`. After the connection is lost, `write` raises SIGPIPE, which would end this process.
///
/// One caller uses a connection at a time, as hiredis requires. Callers on different threads may use the same
/// connection one after another.
@safe
final class RedisConnection: @unchecked Sendable {
  private let address: StoreAddress
  private let context: UnsafeMutablePointer<redisContext>
  /// The number of sent commands whose replies have not been read.
  private(set) var outstanding = 0
  /// Whether the connection was lost.
  private(set) var isLost = false

  /// Connects, authenticates, and selects the database.
  ///
  /// - Parameters:
  ///   - endpoint: The server.
  ///   - password: The password of the endpoint's user, or of the default user; `nil` if there is none.
  ///   - address: The address for messages.
  /// - Throws: `busy` if the server is starting; `unreachable` if no server answers; otherwise `cannotOpen`.
  init(_ endpoint: RedisEndpoint, password: [UInt8]?, _ address: StoreAddress) throws {
    self.address = address
    let limit = timeval(tv_sec: 10, tv_usec: 0)
    guard let opened = unsafe redisConnectWithTimeout(endpoint.host, endpoint.port, limit) else {
      preconditionFailure("cannot allocate a connection")
    }
    unsafe context = opened
    guard unsafe opened.pointee.err == 0 else {
      throw ServingStoreError(
        .unreachable, address: address.description,
        found: unsafe "the connection failed: \(Self.message(opened))",
        nextStep: "check that the server is running and that the address is correct")
    }
    // The timeout applies to each command, both for sending and for receiving.
    _ = unsafe redisSetTimeout(opened, timeval(tv_sec: 30, tv_usec: 0))
    try logIn(endpoint, password)
  }

  deinit {
    unsafe redisFree(context)
  }

  /// Whether the connection can be reused: it awaits no reply, and the server has not closed it.
  var isIdle: Bool {
    guard !isLost, outstanding == 0 else { return false }
    var byte: UInt8 = 0
    let peek = Int32(MSG_PEEK | MSG_DONTWAIT)
    return unsafe recv(context.pointee.fd, &byte, 1, peek) < 0 && errno == EAGAIN
  }

  /// Sends commands without waiting for their replies.
  func send(_ commands: RedisCommand...) throws(ServingStoreError) {
    for command in commands {
      if isLost { throw lost(hasTimedOut: false) }
      guard write(command.bytes.span) else { throw lost(hasTimedOut: errno == EAGAIN) }
      outstanding += 1
    }
  }

  /// Reads the reply to the oldest unanswered command.
  ///
  /// - Throws: The error in the server's reply; `lost`; `cannotOpen` if the server does not answer in time.
  func reply() throws(ServingStoreError) -> RedisReply {
    precondition(outstanding > 0, "no command awaits a reply")
    var found: UnsafeMutableRawPointer?
    if isLost { throw lost(hasTimedOut: false) }
    guard unsafe redisGetReply(context, &found) == REDIS_OK, let found = unsafe found else {
      throw lost(hasTimedOut: unsafe errno == EAGAIN && context.pointee.err == REDIS_ERR_IO)
    }
    outstanding -= 1
    defer { unsafe freeReplyObject(found) }
    return try unsafe converted(found.assumingMemoryBound(to: redisReply.self))
  }

  /// Sends a command and waits for its reply. No other command may be outstanding.
  @discardableResult
  func run(_ command: RedisCommand) throws(ServingStoreError) -> RedisReply {
    precondition(outstanding == 0, "\(outstanding) replies have not been read")
    try send(command)
    return try reply()
  }

  /// Sends a command and waits for its reply. No other command may be outstanding.
  @discardableResult
  func run(_ name: String, _ words: [UInt8]...) throws(ServingStoreError) -> RedisReply {
    var command = RedisCommand(name)
    command.append(words)
    return try run(command)
  }

  /// Reads and discards outstanding replies. The connection may be lost afterwards.
  func drain() {
    while !isLost, outstanding > 0 {
      // An error reply is ignored too, because the caller has failed already.
      _ = try? reply()
    }
  }

  private func write(_ bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count, let base = bytes.baseAddress {
        let count = unsafe Glibc.send(
          context.pointee.fd, base + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        if count > 0 { sent += count } else if errno != EINTR { return false }
      }
      return true
    }
  }

  /// Marks the connection as unusable, and returns the error.
  private func lost(hasTimedOut: Bool) -> ServingStoreError {
    isLost = true
    return ServingStoreError(
      hasTimedOut ? .cannotOpen : .lost, address: address.description,
      found: hasTimedOut ? "the server did not answer within 30 seconds" : "the connection was lost",
      nextStep: "check that the server is running, and try again later")
  }

  private func converted(_ reply: UnsafePointer<redisReply>) throws(ServingStoreError) -> RedisReply {
    switch unsafe reply.pointee.type {
    case REDIS_REPLY_NIL: return .none
    case REDIS_REPLY_INTEGER: return unsafe .integer(Int(reply.pointee.integer))
    case REDIS_REPLY_STRING: return unsafe .bytes(Self.bytes(reply))
    case REDIS_REPLY_STATUS: return unsafe .status(String(decoding: Self.bytes(reply), as: UTF8.self))
    case REDIS_REPLY_ARRAY:
      var elements: [RedisReply] = []
      for index in unsafe 0..<Int(reply.pointee.elements) {
        guard let element = unsafe reply.pointee.element?[index] else { continue }
        try elements.append(unsafe converted(element))
      }
      return .array(elements)
    case REDIS_REPLY_ERROR:
      throw unsafe ServingStoreError(redisError: Self.bytes(reply), address: address)
    default: preconditionFailure("hiredis returned an unknown kind of reply")
    }
  }

  private static func bytes(_ reply: UnsafePointer<redisReply>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: reply.pointee.str, count: Int(reply.pointee.len)))
  }

  /// Returns hiredis's message about a failed connection. The message comes from the C library and contains
  /// no data except possibly a host name.
  private static func message(_ context: UnsafeMutablePointer<redisContext>) -> String {
    unsafe withUnsafeBytes(of: &context.pointee.errstr) { text in
      unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

extension RedisConnection {
  /// Authenticates and selects the database.
  private func logIn(_ endpoint: RedisEndpoint, _ password: [UInt8]?) throws {
    if password != nil || endpoint.user != nil {
      var command = RedisCommand("AUTH")
      if let user = endpoint.user { command.append(user) }
      // An ACL user may have no password. The server then accepts any password, so an empty one is sent.
      command.append([password ?? []])
      try opening("the server rejects the user or the password", command)
    }
    // SELECT is sent even for database 0, because its reply reveals a missing or wrong password.
    try opening(
      "the server rejects database \(endpoint.database)",
      RedisCommand("SELECT", [UInt8](decimal: endpoint.database)))
  }

  /// Runs a command that must succeed before the connection can be used.
  private func opening(_ found: String, _ command: RedisCommand) throws {
    do {
      try run(command)
    } catch {
      if [.busy, .cannotOpen].contains(error.code) { throw error }
      throw ServingStoreError(
        .cannotOpen, address: error.address, found: "\(found) (\(error.found))",
        nextStep: "check the address, and \(RedisPassword.variable) or \(RedisPassword.fileVariable)")
    }
  }
}
