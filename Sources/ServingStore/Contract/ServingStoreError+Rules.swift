extension ServingStoreError {
  /// Returns the error for rows or settings that break a rule of the store.
  static func refusal(
    _ address: StoreAddress, _ found: String, nextStep: String = "run the pipeline again; \(Self.ifItRemains)"
  ) -> ServingStoreError {
    ServingStoreError(.refused, address: address.description, found: found, nextStep: nextStep)
  }

  /// The advice for an error that only a bug can cause repeatedly.
  static let ifItRemains = "if the error remains, report a bug"

  /// Checks that a store was opened for publishing. If `isDryRun` is true, a store opened for a dry run also
  /// passes.
  static func checkWritable(_ access: StoreAccess, _ address: StoreAddress, isDryRun: Bool = false) throws {
    guard access == .publishing || (isDryRun && access == .dryRun) else {
      throw ServingStoreError(
        .readOnly, address: address.description, found: "the store was opened for reading",
        nextStep: "run the command again; \(Self.ifItRemains)")
    }
  }

  /// Returns the error for a generation that the store does not contain.
  static func unknown(_ generation: Int, _ pipeline: String, _ address: StoreAddress) -> ServingStoreError {
    ServingStoreError(
      .refused, address: address.description,
      found: "the store has no generation \(generation) of '\(pipeline)'",
      nextStep: "choose a generation that 'nightjar generations' lists; the served generation is unchanged")
  }

  /// Checks the arguments of a publication.
  static func checkPublish(pipeline: String, keep: Int, _ access: StoreAccess, _ address: StoreAddress) throws
  {
    try checkWritable(access, address)
    guard keep >= 1 else {
      throw refusal(
        address, "'publish.keep' must be at least 1, not \(keep)", nextStep: "correct 'publish.keep'")
    }
    try checkName(pipeline, what: "pipeline", address)
  }

  /// Checks a name that will be a key in the store. The name must not be empty or contain U+0000.
  static func checkName(_ name: String, what: String, _ address: StoreAddress) throws {
    guard !name.utf8.isEmpty, !name.utf8.contains(0) else {
      throw refusal(
        address, "the \(what) name is empty or contains U+0000",
        nextStep: "correct the name in the pipeline file")
    }
  }
}
