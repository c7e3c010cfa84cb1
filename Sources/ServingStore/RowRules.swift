internal import Text

/// The rules that every row keeps, whichever the store.
struct RowRules: ~Copyable {
  private let address: StoreAddress
  private var documents = DocumentCheck()

  init(_ address: StoreAddress) {
    self.address = address
  }

  func checkID(_ id: Span<UInt8>) throws {
    guard !id.isEmpty else { throw ServingStoreError.refusal(address, "an id is empty") }
    guard (try? UTF8Span(validating: id)) != nil else {
      throw ServingStoreError.refusal(address, "an id is not UTF-8")
    }
  }

  mutating func checkJSON(_ text: Span<UInt8>, _ what: String) throws {
    guard documents.accepts(text) else {
      throw ServingStoreError.refusal(address, "\(what) is not JSON in UTF-8")
    }
  }

  /// Texts that readers get as C strings somewhere on their way: U+0000 would end them.
  func checkText(_ text: Span<UInt8>, _ what: String) throws {
    guard (try? UTF8Span(validating: text)) != nil, text.firstIndex(of: 0) == nil else {
      throw ServingStoreError.refusal(address, "\(what) is not UTF-8 without U+0000")
    }
  }
}
