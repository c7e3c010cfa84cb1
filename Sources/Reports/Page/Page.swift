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

    /// The assessment as text, for readers who cannot see the color.
    var word: String {
      switch self {
      case .good: "Good"
      case .unknown: "Unknown"
      case .attention: "Needs attention"
      case .bad: "Bad"
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
    /// The fault as a clause of the verdict. The verdict uses this clause only if the check needs attention
    /// or is bad.
    var reservation = Words()
    /// The next step for the reader; empty without a step. The page does not show the step of a good check.
    var step = Words()
  }

  /// A question of readers, its short answer, and the sentences that explain the answer.
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
  /// The main question of readers. `answer` is its short answer, and `verdict` explains the answer.
  var question: String
  var answer: String
  var verdict: Words
  /// Further questions with their answers.
  var answers: [Answer] = []
  var checks: [Check]
  /// Whether the page lists its sections at the top.
  var hasContents = true
  /// The address of the Atom feed with the same runs; `nil` if there is no feed.
  var feed: String?
  var sections: [Section]
  var footer: Words
}
