internal import Files

extension StoreAddress {
  /// The address with its path shortened, for people.
  package var shown: String {
    switch backend {
    case .sqlite(let path): "sqlite:" + ShownPath.short(path)
    case .postgresql, .redis: description
    }
  }
}
