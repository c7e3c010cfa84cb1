extension ServingStoreError {
  /// What was loaded breaks a rule of the store.
  static func refusal(_ address: StoreAddress, _ found: String) -> ServingStoreError {
    ServingStoreError(
      .refused, address: address.description, found: found,
      nextStep: "nothing was published; what was served still is")
  }

  /// Checks a name that will be a key of the store: not empty, without U+0000.
  static func checkName(_ name: String, what: String, _ address: StoreAddress) throws {
    guard !name.utf8.isEmpty, !name.utf8.contains(0) else {
      throw refusal(address, "the \(what) name is empty or holds U+0000")
    }
  }
}
