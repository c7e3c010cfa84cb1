/// A whole page, before it is rendered as HTML.
struct Page: Sendable {
  /// The reliability of a section, from best to worst.
  enum Mark: String, Comparable, Sendable {
    case good, unknown, attention, bad

    static func < (left: Mark, right: Mark) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .good: 0
      case .unknown: 1
      case .attention: 2
      case .bad: 3
      }
    }

    /// The text for readers who cannot see the color.
    var word: String {
      switch self {
      case .good: "Good"
      case .unknown: "Unknown"
      case .attention: "Needs attention"
      case .bad: "Wrong"
      }
    }
  }

  /// One of the first checks on the page: its subject, its figure, and the meaning.
  struct Check: Sendable {
    var mark: Mark
    var title: String
    var figure: Words
    var meaning: Words
  }

  var title: String
  /// The line above the title, such as `Morning report`.
  var kind: String
  var subtitle: Words
  var mark: Mark
  /// The question that most readers have, in short, and the short answer.
  var question: String
  var answer: String
  var verdict: Words
  var checks: [Check]
  var sections: [Section]
  var footer: Words
}
