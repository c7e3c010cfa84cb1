internal import Text

/// How reasons begin in JSON, up to their numbers, made once: a million lists have tens of millions of them.
///
/// The words are the same as in `FeatureSpace.reasons`.
package struct ReasonLabels: Sendable {
  /// All texts one after the other; text i ends at `ends[i]`.
  private var bytes: [UInt8] = []
  private var ends: [UInt32] = []
  /// By feature: the number of its first text, which is the name alone; then with each word that its values have.
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

  /// The number of the text for a reason.
  package func number(of reason: Contribution) -> UInt32 {
    first[reason.feature] + reason.word
  }

  /// The text with a number, as in `{"feature":"field=arts","contribution":`.
  @_lifetime(borrow self)
  package func text(_ number: UInt32) -> Span<UInt8> {
    let start = number == 0 ? 0 : Int(ends[Int(number) - 1])
    return bytes.span.extracting(start..<Int(ends[Int(number)]))
  }
}

/// A published reason before it has a name.
package struct Contribution: Sendable {
  /// Index in the space.
  package var feature: Int
  /// 0 where the value has no word, else one more than the index of the word among `FeatureShape.words`.
  package var word: UInt32 = 0
  package var amount: Double

  package init(feature: Int, word: UInt32 = 0, amount: Double) {
    self.feature = feature
    self.word = word
    self.amount = amount
  }
}
