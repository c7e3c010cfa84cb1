/// One publication under the lock: clean up, load, check, switch, and drop.
struct RedisPublication {
  let lock: RedisLock
  let run: Int
  let asOf: Int64
  let note: GenerationNote
  /// The time for which a dropped generation stays available to readers that still use it.
  let grace: Duration

  private var address: StoreAddress { lock.address }

  /// Performs all steps. If this method throws, the pointer is unchanged, unless the connection was lost
  /// while the pointer was being changed.
  func run(keep: Int, _ load: (GenerationLoader) throws -> Void) throws -> PublishedGeneration {
    try lock.checkEviction()
    try lock.removeLeftovers()
    let held = try RedisGenerations.fetch(lock.connection, lock.keys, address).entries.keys.sorted(by: >)
    let number = (held.first ?? 0) + 1
    // The mark `loading` is set before the first row is added, so that a killed publication never leaves rows
    // without this mark.
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
    // The new generation is served, so a failure is ignored: a later publication removes the keys.
    try? lock.removeRetired(except: dropped, grace: grace)
    return PublishedGeneration(number: number, kept: held.count - dropped.count + 1, tables: entry.tables)
  }

  /// Loads the generation, checks that the store contains it, and calls `beforeServing`.
  private func fill(_ number: Int, _ load: (GenerationLoader) throws -> Void) throws
    -> RedisGenerationEntry
  {
    let sink = RedisSink(lock, generation: number)
    let loader = GenerationLoader(sink, address)
    try load(loader)
    try loader.close()
    try loader.willServe()
    return RedisGenerationEntry(run: run, asOf: asOf, note: note, tables: loader.tables)
  }

  /// Moves the pointer and makes all related changes, in one step.
  ///
  /// If only the reply was lost, the step has succeeded, and the publication must not be reported as failed.
  /// After a failure, this method therefore checks which generation the store serves.
  func serve(_ number: Int, _ entry: RedisGenerationEntry, retiring dropped: [Int]) throws {
    let (keys, json) = (lock.keys, try entry.json())
    do {
      try lock.evaluate(
        RedisScripts.serveNew, keys: [keys.current, keys.generations, keys.retired, keys.loading],
        [[UInt8](decimal: number), json] + dropped.map { [UInt8](decimal: $0) })
    } catch {
      do {
        // After `settle`, earlier commands can no longer take effect.
        _ = try lock.settle()
      } catch {
        throw ServingStoreError(
          .cannotOpen, address: address.description,
          found: "the connection was lost during the switch to generation \(number)",
          nextStep: "run 'nightjar generations' to see whether the store serves it")
      }
      guard try lock.connection.run("GET", keys.current) == .bytes([UInt8](decimal: number)),
        try lock.connection.run("HGET", keys.generations, [UInt8](decimal: number)) == .bytes(json)
      else { throw error }
    }
  }

  /// Removes the loaded rows. If the removal fails, the mark `loading` stays, and the next publication
  /// removes the rows.
  private func abandon(_ number: Int) {
    do {
      if try lock.settle() { try lock.removeLeftovers() }
    } catch {
      // The earlier failure is reported instead.
    }
  }
}
