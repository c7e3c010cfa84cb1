/// One publish, under the lock: clean up, load, check, switch, and drop.
struct RedisPublication {
  let lock: RedisLock
  let run: Int
  let asOf: Int64
  let note: GenerationNote
  /// How long a dropped generation stays for readers that hold it.
  let grace: Duration

  private var address: StoreAddress { lock.address }

  /// Does all of it; what it throws has left the pointer as it was.
  func run(keep: Int, _ load: (GenerationLoader) throws -> Void) throws -> PublishedGeneration {
    try checkEviction()
    try lock.removeLeftovers()
    let held = try RedisGenerations.fetch(lock.connection, lock.keys, address).entries.keys.sorted(by: >)
    let number = (held.first ?? 0) + 1
    // Set before the first row, so that no row exists without this mark.
    try lock.run("SET", [lock.keys.loading], [UInt8](decimal: number))
    let dropped = Array(held.dropFirst(keep - 1))
    let entry: RedisGenerationEntry
    do {
      entry = try fill(number, load)
      try serve(number, entry, retiring: dropped)
    } catch {
      abandon(number)
      throw error
    }
    // The new generation is served: what fails now is done by a later publish.
    try? lock.removeRetired(except: dropped, grace: grace)
    return PublishedGeneration(number: number, kept: held.count - dropped.count + 1, tables: entry.tables)
  }

  /// A server that evicts keys at its memory limit would remove rows from a served generation.
  ///
  /// - Throws: `refused` for such a server. A server that does not answer passes, because some accounts may not ask.
  private func checkEviction() throws {
    // No `catch` with a condition: Swift 6.3.1 crashes on it where the error has a type.
    let told: RedisReply
    switch Result(catching: { () throws(ServingStoreError) in
      try lock.connection.run("INFO", Array("memory".utf8))
    }) {
    case .success(let reply): told = reply
    case .failure(let error) where error.code == .readOnly || error.code == .failed: return
    case .failure(let error): throw error
    }
    let lines = String(decoding: told.bytes ?? [], as: UTF8.self).split(whereSeparator: \.isNewline)
    // The other policies evict nothing, or only keys with an expiry. Here only the lock has one, and scripts check it.
    let policy = lines.first { $0.hasPrefix("maxmemory_policy:") }?.split(separator: ":").last ?? ""
    guard policy.hasPrefix("allkeys"), !lines.contains("maxmemory:0") else { return }
    throw ServingStoreError.refusal(
      address, "the server evicts keys at its memory limit (\(policy)); set maxmemory-policy to noeviction")
  }

  /// Loads the generation and checks that the store holds it.
  private func fill(_ number: Int, _ load: (GenerationLoader) throws -> Void) throws
    -> RedisGenerationEntry
  {
    let sink = RedisSink(lock, generation: number)
    let loader = GenerationLoader(sink, address)
    try load(loader)
    try loader.close()
    return RedisGenerationEntry(run: run, asOf: asOf, note: note, tables: loader.tables)
  }

  /// Moves the pointer, and changes everything related to it, in one step.
  ///
  /// On failure, the reply may have been lost after the step succeeded, so the store is asked what it serves. A publish that is
  /// served must not be reported as failed.
  func serve(_ number: Int, _ entry: RedisGenerationEntry, retiring dropped: [Int]) throws {
    let (keys, json) = (lock.keys, try entry.json())
    do {
      try lock.evaluate(
        RedisScripts.serveNew, keys: [keys.current, keys.generations, keys.retired, keys.loading],
        [[UInt8](decimal: number), json] + dropped.map { [UInt8](decimal: $0) })
    } catch {
      do {
        // After this, no earlier command takes effect any more.
        _ = try lock.settle()
      } catch {
        throw ServingStoreError(
          .cannotOpen, address: address.description,
          found: "the connection was lost at the switch to generation \(number)",
          nextStep: "see with 'nightjar generations' whether it is served")
      }
      guard try lock.connection.run("GET", keys.current) == .bytes([UInt8](decimal: number)),
        try lock.connection.run("HGET", keys.generations, [UInt8](decimal: number)) == .bytes(json)
      else { throw error }
    }
  }

  /// Removes the loaded rows. If that fails, the mark of loading stays, and the next publish removes them.
  private func abandon(_ number: Int) {
    do {
      if try lock.settle() { try lock.removeLeftovers() }
    } catch {
      // The earlier failure is the one to report.
    }
  }
}
