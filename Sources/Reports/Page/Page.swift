/// A whole page, before it is rendered as HTML.
struct Page: Sendable {
  /// The assessment of a page or a part of it. The cases are in order from best to worst.
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

    /// The text for readers who do not see the color.
    var word: String {
      switch self {
      case .good: "Good"
      case .unknown: "Unknown"
      case .attention: "Needs attention"
      case .bad: "Wrong"
      }
    }
  }

  /// One of the checks at the top of the page: its subject, its figure, and an explanation.
  struct Check: Sendable {
    var mark: Mark
    var title: String
    /// The figure of the check. If it is a link, the whole check is a link.
    var figure: Words
    var meaning: Words
    /// The fault, in the wording for the verdict; empty if there is no fault.
    var reservation = Words()
    /// The next step for the reader; empty if there is nothing to do.
    var step = Words()
  }

  /// The short answer to a question of readers, and the sentences that explain it.
  struct Answer: Sendable {
    /// The anchor of the answer.
    var id: String
    var mark: Mark
    var question: String
    var answer: String
    var sentences: [Words]
  }

  var title: String
  /// The line above the title, such as `Morning report`.
  var kind: String
  var subtitle: Words
  var mark: Mark
  /// The first question of readers. `answer` is the short answer to it.
  var question: String
  var answer: String
  var verdict: Words
  /// The answers to further questions.
  var answers: [Answer] = []
  var checks: [Check]
  /// Whether the page lists its sections at the top.
  var hasContents = true
  /// The address of the Atom feed with the same runs; `nil` if there is no feed.
  var feed: String?
  var sections: [Section]
  var footer: Words
}
