extension RedisLock {
  /// Rejects a server that evicts keys at its memory limit, because an eviction could remove rows from a
  /// served generation.
  ///
  /// - Throws: `refused` for such a server; errors of the connection. A server that rejects the command INFO
  ///   is accepted, because the account may lack the right to run it.
  func checkEviction() throws {
    // This code avoids a `catch` with a condition, because the compiler of Swift 6.3.1 crashes on such a
    // `catch` of typed errors.
    let answer: RedisReply
    switch Result(catching: { () throws(ServingStoreError) in
      try connection.run("INFO", Array("memory".utf8))
    }) {
    case .success(let reply): answer = reply
    case .failure(let error) where error.code == .readOnly || error.code == .failed: return
    case .failure(let error): throw error
    }
    let lines = String(decoding: answer.bytes ?? [], as: UTF8.self).split(whereSeparator: \.isNewline)
    // The other policies evict no keys, or only keys with an expiry. Only the lock has an expiry, and every
    // script checks the lock.
    let policy = lines.first { $0.hasPrefix("maxmemory_policy:") }?.split(separator: ":").last ?? ""
    guard policy.hasPrefix("allkeys"), !lines.contains("maxmemory:0") else { return }
    throw ServingStoreError.refusal(
      address, "the server evicts keys at its memory limit (maxmemory-policy is \(policy))",
      nextStep: "set maxmemory-policy to noeviction")
  }
}
