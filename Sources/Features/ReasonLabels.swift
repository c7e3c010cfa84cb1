internal import Text

/// The JSON text of each possible reason, up to the value of its contribution. The texts are built only once,
/// because a million lists contain tens of millions of reasons.
///
/// Reasons have the same names as in `FeatureSpace.reasons`.
package struct ReasonLabels: Sendable {
  /// All texts, concatenated; text i ends at `ends[i]`.
  private var bytes: [UInt8] = []
  private var ends: [UInt32] = []
  /// The index of each feature's first text. This text contains only the name of the feature. One text for
  /// each word of the feature follows.
  private var first: [UInt32] = []

  package init(_ space: FeatureSpace) {
    for feature in space.features {
      first.append(UInt32(ends.count))
      for word in [nil] + feature.shape.words {
        var text = JSONText()
        text.append(raw: "{\"feature\":")
        text.append(string: Array((feature.name + (word.map { "=" + $0 } ?? "")).utf8).span)
        text.append(raw: ",\"contribution\":")
        bytes += text.bytes
        ends.append(UInt32(bytes.count))
      }
    }
  }

  /// Returns the number of a reason's text. `text` returns the text with this number.
  package func number(of reason: Contribution) -> UInt32 {
    first[reason.feature] + reason.word
  }

  /// Returns the text with the number `number`, such as `{"feature":"field=arts","contribution":`.
  @_lifetime(borrow self)
  package func text(_ number: UInt32) -> Span<UInt8> {
    let start = number == 0 ? 0 : Int(ends[Int(number) - 1])
    return bytes.span.extracting(start..<Int(ends[Int(number)]))
  }
}

/// A published reason that identifies its feature by index instead of by name.
package struct Contribution: Sendable {
  /// The index of the feature in the space.
  package var feature: Int
  /// The index of the value's word in `FeatureShape.words` plus 1; 0 if the value has no word.
  package var word: UInt32 = 0
  package var amount: Double

  package init(feature: Int, word: UInt32 = 0, amount: Double) {
    self.feature = feature
    self.word = word
    self.amount = amount
  }
}
