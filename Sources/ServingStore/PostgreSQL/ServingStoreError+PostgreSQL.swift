extension ServingStoreError {
  /// Maps an error of PostgreSQL to an error that an operator can act on.
  ///
  /// Source: PostgreSQL's documentation, appendix A, error codes.
  init(sqlState state: String, _ message: String, isLost: Bool, address: StoreAddress) {
    let again = "try again later; the store still serves the previous generation"
    let (code, nextStep): (Code, String) =
      switch state.prefix(2) {
      case _ where isLost: (.lost, "the connection was lost: check that the server runs; \(again)")
      case "08": (.lost, "check that the server runs; \(again)")
      // Classes 40, 55, 57 and 53: deadlock, serialization failure, lock not available, starting or stopping,
      // too many connections.
      case "40": (.busy, again)
      case "55": (.busy, "another process is writing to the store; \(again)")
      case "57" where state == "57014": (.busy, "the server ended a statement that took too long: \(again)")
      case "57": (.lost, "the server is starting or stopping: \(again)")
      case "53" where state == "53100":
        (.full, "free some space and publish again; the store still serves the previous generation")
      case "53" where state == "53300": (.busy, "the server has no free connection: \(again)")
      case "53": (.full, "the server lacks a resource; the store still serves the previous generation")
      case "42" where state == "42501":
        (.readOnly, "grant this account the rights listed in docs/how-to/serve-from-postgresql.md")
      case "25" where state == "25006":
        (.readOnly, "use the address of the primary server, because this server is read-only")
      case "28", "3D": (.cannotOpen, "check the database, the account and its authentication")
      case "22", "23": (.refused, "nothing was published; the store still serves the previous generation")
      case "XX" where state == "XX001" || state == "XX002":
        (.corrupt, "check the server's log, and restore the database from a backup")
      default: (.failed, "nothing was published; the store still serves the previous generation")
      }
    let shown = state.isEmpty ? "" : " (code \(state))"
    self.init(
      code, address: address.description, found: "PostgreSQL reports: \(message)\(shown)", nextStep: nextStep)
  }
}
