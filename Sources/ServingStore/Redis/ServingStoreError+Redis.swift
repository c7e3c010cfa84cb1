extension ServingStoreError {
  /// The error code with which this program's scripts reply if the lock is no longer held.
  static let lostLock = "LOSTLOCK"

  /// Maps an error of Redis to an error that an operator can act on.
  ///
  /// Only the first word of the reply, the code, is repeated. The rest may quote a command's arguments, which
  /// contain personal data.
  ///
  /// Source: the error prefixes in `server.c` of Redis 7.0, and Redis' documentation of commands and of
  /// clusters.
  init(redisError line: [UInt8], address: StoreAddress) {
    // Redis 6 adds a second hyphen to errors that a script returns.
    let word = String(decoding: line.drop { $0 == UInt8(ascii: "-") }.prefix { $0 != 0x20 }, as: UTF8.self)
    let isCode = word.utf8.count <= 24 && word.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    let again = "try again later; what was served still is"
    let (code, meaning, nextStep): (Code, String, String) =
      switch word {
      case "OOM":
        (
          .full, "its memory limit is reached",
          "raise maxmemory, or keep fewer generations; what was served still is"
        )
      case "MISCONF":
        (
          .full, "it cannot save to its disk, and takes no writes",
          "look at its log; what was served still is"
        )
      case "LOADING": (.busy, "it is starting", again)
      case "BUSY": (.busy, "a script runs that does not end", again)
      case "TRYAGAIN": (.busy, "the cluster moves keys between its nodes", again)
      case "CLUSTERDOWN": (.busy, "the cluster is down", again)
      case "MASTERDOWN": (.busy, "the replica has lost its primary", again)
      case Self.lostLock:
        (
          .busy, "the lock was lost while publishing",
          "see who else publishes, and try again; what was served still is"
        )
      case "READONLY":
        (.readOnly, "this server is a replica", "name the primary server: this one takes no writes")
      case "NOPERM":
        (
          .readOnly, "this account may not do that",
          "grant it the rights listed in docs/how-to/serve-from-redis.md"
        )
      case "NOAUTH", "WRONGPASS":
        (
          .cannotOpen, "it wants another user or password",
          "set \(RedisPassword.variable) or \(RedisPassword.fileVariable), and check the user in the address"
        )
      case "MOVED", "ASK":
        (
          .failed, "another node of the cluster has the pipeline",
          "name the node that has the slot of {PIPELINE}"
        )
      default:
        (.failed, "no more is repeated: people may be in it", "look at the server; nothing was published")
      }
    self.init(
      code, address: address.description, found: "Redis says: \(isCode ? word : "an error") (\(meaning))",
      nextStep: nextStep)
  }
}
