extension ServingStoreError {
  /// Maps an error of PostgreSQL to an error that an operator can act on.
  ///
  /// Source: PostgreSQL's documentation, appendix A, error codes.
  init(sqlState state: String, _ message: String, isLost: Bool, address: StoreAddress) {
    let again = "try again later; what was served still is"
    let (code, nextStep): (Code, String) =
      switch state.prefix(2) {
      case _ where isLost: (.lost, "the connection was lost: check that the server runs; \(again)")
      case "08": (.lost, "check that the server runs; \(again)")
      // Classes 40, 55, 57 and 53: deadlock, serialization failure, lock not available, starting or stopping,
      // too many connections.
      case "40": (.busy, again)
      case "55": (.busy, "another process is writing to it: \(again)")
      case "57" where state == "57014": (.busy, "the server ended a statement that took too long: \(again)")
      case "57": (.lost, "the server is starting or stopping: \(again)")
      case "53" where state == "53100": (.full, "free some space and publish again; what was served still is")
      case "53" where state == "53300": (.busy, "the server has no connection left: \(again)")
      case "53": (.full, "the server has run out of a resource; what was served still is")
      case "42" where state == "42501":
        (.readOnly, "grant this account the rights listed in docs/how-to/serve-from-postgresql.md")
      case "25" where state == "25006": (.readOnly, "name the primary server: this one takes no writes")
      case "28", "3D": (.cannotOpen, "check the database, the account and how it proves who it is")
      case "22", "23": (.refused, "nothing was published; what was served still is")
      case "XX" where state == "XX001" || state == "XX002":
        (.corrupt, "look at the server's log; restore it from a backup")
      default: (.failed, "nothing was published; what was served still is")
      }
    let shown = state.isEmpty ? "" : " (code \(state))"
    self.init(
      code, address: address.description, found: "PostgreSQL says: \(message)\(shown)", nextStep: nextStep)
  }
}
