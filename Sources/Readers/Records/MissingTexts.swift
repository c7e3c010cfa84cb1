/// The texts that mean a missing value in an export, such as `NA`, in addition to the empty text. They are
/// compared as bytes.
struct MissingTexts: Sendable {
  private let texts: [[UInt8]]

  init(_ texts: [String]) {
    self.texts = texts.map { Array($0.utf8) }.filter { !$0.isEmpty }
  }

  /// Whether the set is empty.
  var isEmpty: Bool { texts.isEmpty }

  /// Whether `text` means a missing value. Most exports define no such texts, and then this costs one
  /// comparison.
  @inline(__always)
  func contains(_ text: Span<UInt8>) -> Bool {
    texts.isEmpty ? false : isAny(text)
  }

  private func isAny(_ text: Span<UInt8>) -> Bool {
    texts.contains { candidate in
      guard candidate.count == text.count else { return false }
      for index in text.indices where candidate[index] != text[index] { return false }
      return true
    }
  }
}
