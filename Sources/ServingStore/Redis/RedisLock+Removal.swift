extension RedisLock {
  /// The number of keys that are removed at once.
  private static let slice = 500
  /// The number of slots of the server's hash table that one SCAN step visits.
  private static let step = [UInt8](decimal: 1_000)

  /// Removes the keys of all rows of a generation. The caller must hold the lock.
  ///
  /// - Complexity: O(n) in the n keys of the whole database. The server handles other clients between steps.
  func removeRows(of generation: Int) throws {
    let (prefix, pattern) = (keys.rows(of: generation), keys.pattern(of: generation))
    var cursor = [UInt8](decimal: 0)
    repeat {
      // Only removals renew the lock. If most keys belong to other programs, many steps find no key to
      // remove.
      if isDue { try renew() }
      let reply = try connection.run(
        "SCAN", cursor, Array("MATCH".utf8), pattern, Array("COUNT".utf8), Self.step)
      guard let parts = reply.elements, parts.count == 2, let next = parts[0].bytes,
        let found = parts[1].elements
      else { preconditionFailure("SCAN did not return a cursor and keys") }
      // The pattern should match only keys with this prefix. This second check protects the keys of other
      // programs.
      let rows = found.compactMap(\.bytes).filter { $0.starts(with: prefix) }
      for start in stride(from: 0, to: rows.count, by: Self.slice) {
        try run("UNLINK", Array(rows[start..<min(start + Self.slice, rows.count)]))
      }
      cursor = next
    } while cursor != [UInt8](decimal: 0)
  }

  /// Removes the partial generation that a failed or killed publication left.
  func removeLeftovers() throws {
    let mark = try connection.run("GET", keys.loading)
    guard mark != .none else { return }
    guard let number = mark.integer, number > 0 else {
      throw RedisGenerations.damage(
        "the key 'loading' does not contain the number of a generation", address)
    }
    // A publication removes the mark in the step that serves its generation, so only a damaged mark can name
    // a kept generation. The rows of a kept generation are not removed.
    if try connection.run("HEXISTS", keys.generations, [UInt8](decimal: number)) == .integer(0) {
      try removeRows(of: number)
    }
    try run("DEL", [keys.loading])
  }

  /// Removes generations that were retired before the current publication, and at least `grace` ago. Readers
  /// may still use other retired generations.
  ///
  /// While a generation is being removed, its time in the set of retired generations is -1. A reader that
  /// misses a key can therefore report the cause.
  func removeRetired(except new: [Int], grace: Duration) throws {
    guard let time = try connection.run("TIME").elements, time.count == 2, let seconds = time[0].integer,
      let microseconds = time[1].integer
    else { preconditionFailure("TIME did not return two numbers") }
    let latest = seconds * 1_000 + microseconds / 1_000 - Int(grace / .milliseconds(1))
    let found = try connection.run(
      "ZRANGEBYSCORE", keys.retired, Array("-inf".utf8), [UInt8](decimal: latest))
    for number in found.elements?.compactMap(\.integer) ?? [] where !new.contains(number) {
      let member = [UInt8](decimal: number)
      // If a publication failed halfway through its last step, for example because the account lacks a right,
      // a retired generation may still be kept.
      guard try connection.run("HEXISTS", keys.generations, member) == .integer(0) else {
        try run("ZREM", [keys.retired], member)
        continue
      }
      try run("ZADD", [keys.retired], [UInt8](decimal: -1), member)
      try removeRows(of: number)
      try run("ZREM", [keys.retired], member)
    }
  }
}
