extension ServingStoreError {
  /// The advice if the server rejects the login.
  static let wrongLogin = "check the database and the user in the address, and the password of the user"

  /// Maps an error of PostgreSQL to an error that an operator can act on.
  ///
  /// Source: PostgreSQL's documentation, appendix A, error codes.
  init(sqlState state: String, _ message: String, isLost: Bool, address: StoreAddress) {
    let again = "try again later"
    let (code, nextStep): (Code, String) =
      switch state.prefix(2) {
      case _ where isLost: (.lost, "the connection was lost; check that the server is running, and \(again)")
      case "08": (.lost, "check that the server is running, and \(again)")
      // Class 40 contains deadlocks and serialization failures. Class 55 contains locks that are not
      // available. Class 57 contains canceled statements, and servers that are starting or stopping. Class 53
      // contains full disks and too many connections.
      case "40": (.busy, "another transaction changes the same rows; \(again)")
      case "55": (.busy, "another process is using the store; \(again)")
      case "57" where state == "57014": (.busy, "the server canceled a statement; \(again)")
      case "57": (.lost, "the server is starting or stopping; \(again)")
      case "53" where state == "53100": (.full, "free space on the server's disk, and run the command again")
      case "53" where state == "53300": (.busy, "the server has no free connection; \(again)")
      case "53": (.full, "the server lacks memory or another resource; check its log, and \(again)")
      case "42" where state == "42501":
        (
          .readOnly,
          "as an administrator, run the statements under 'Create the accounts' in "
            + "docs/how-to/serve-from-postgresql.md for this account"
        )
      case "25" where state == "25006":
        (.readOnly, "use the address of the primary server, because this server is read-only")
      case "28", "3D": (.cannotOpen, Self.wrongLogin)
      case "22", "23": (.refused, "run the command again; \(Self.ifItRemains)")
      case "XX" where state == "XX001" || state == "XX002":
        (.corrupt, "check the server's log, and restore the database from a backup")
      default: (.failed, "check the server's log, and run the command again")
      }
    let shown = state.isEmpty ? "" : " (code \(state))"
    self.init(
      code, address: address.description, found: "PostgreSQL reports: \(message)\(shown)", nextStep: nextStep)
  }
}
