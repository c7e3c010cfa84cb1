extension ServingStoreError {
  /// The error code with which this program's scripts reply if the lock is no longer held.
  static let lostLock = "LOSTLOCK"

  /// The advice for an account that lacks a right.
  static let grantRights =
    "as an administrator, give this account the rights under 'Grant the rights' in docs/how-to/serve-from-redis.md"

  /// Maps an error of Redis to an error that an operator can act on.
  ///
  /// Only the first word of the reply, the code, is repeated. The rest may quote a command's arguments, which
  /// contain personal data.
  ///
  /// Source: the error prefixes in `server.c` of Redis 7.0, and the Redis documentation of commands and of
  /// clusters.
  init(redisError line: [UInt8], address: StoreAddress) {
    // Redis 6 adds a second hyphen to errors that a script returns.
    let word = String(decoding: line.drop { $0 == UInt8(ascii: "-") }.prefix { $0 != 0x20 }, as: UTF8.self)
    let isCode = word.utf8.count <= 24 && word.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    let again = "try again later"
    let (code, meaning, nextStep): (Code, String, String) =
      switch word {
      case "OOM":
        (
          .full, "its memory limit is reached",
          "raise the server's maxmemory, or lower 'publish.keep'"
        )
      case "MISCONF":
        (
          .full, "it cannot save to its disk and rejects writes",
          "check the server's disk and log, and \(again)"
        )
      case "LOADING": (.busy, "it is starting", again)
      case "BUSY": (.busy, "a script has been running for too long", again)
      case "TRYAGAIN": (.busy, "the cluster is moving keys between its nodes", again)
      case "CLUSTERDOWN": (.busy, "the cluster is down", again)
      case "MASTERDOWN": (.busy, "the replica has lost its primary", again)
      case Self.lostLock:
        (
          .busy, "this process lost the lock of the store",
          "check whether another process is writing to the store, and \(again)"
        )
      case "READONLY":
        (
          .readOnly, "this server is a replica",
          "use the address of the primary server, because this server is read-only"
        )
      case "NOPERM": (.readOnly, "this account lacks a right", Self.grantRights)
      case "WRONGTYPE": (.corrupt, "a key has the wrong type", RedisGenerations.restoration)
      case "NOAUTH", "WRONGPASS":
        (
          .cannotOpen, "it requires another user or password",
          "set \(RedisPassword.variable) or \(RedisPassword.fileVariable), and check the user in the address"
        )
      case "MOVED", "ASK":
        (
          .failed, "the keys of the pipeline are on another node of the cluster",
          "use the address of that node"
        )
      default:
        (
          .failed, "the full message is hidden because it may contain personal data",
          "check the server's log, and run the command again"
        )
      }
    self.init(
      code, address: address.description, found: "Redis reports: \(isCode ? word : "an error") (\(meaning))",
      nextStep: nextStep)
  }
}
