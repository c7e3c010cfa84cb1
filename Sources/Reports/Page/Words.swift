internal import Text

/// A sentence or phrase on a page. Text and figures are separate pieces, so that the page can contain the
/// exact value of each number.
///
/// ```swift
/// let words: Words = "\(.count(12)) of \(.count(60)) users, by \(rule)"
/// ```
///
/// An interpolated `String` is untrusted: `ShownText` escapes its control and direction characters. The
/// template engine escapes HTML.
struct Words: Hashable, Sendable {
  enum Piece: Hashable, Sendable {
    case text(String)
    case figure(Figure)
    case code(String)
    case link(String, to: String)
    /// A time: the text that the page shows, and the time in ISO 8601 format.
    case time(String, exactly: String)
  }

  private(set) var pieces: [Piece] = []
  /// Whether the whole sentence is emphasized.
  private(set) var isStrong = false

  init() {}

  init(_ figure: Figure) { pieces = [.figure(figure)] }

  /// Creates a time that never breaks across lines.
  init(time text: String, exactly value: String) { pieces = [.time(text, exactly: value)] }

  /// Creates a sentence from untrusted text.
  init(data text: String) { pieces = [.text(ShownText.encoded(text))] }

  var isEmpty: Bool { pieces.isEmpty }

  /// Whether the whole sentence is a link.
  var isLink: Bool {
    guard pieces.count == 1, case .link = pieces[0] else { return false }
    return true
  }

  /// Returns this sentence, emphasized if `condition` is true.
  func strong(_ condition: Bool = true) -> Words {
    var words = self
    words.isStrong = condition
    return words
  }

  /// The visible text, without the exact figures.
  var plain: String {
    pieces.map { piece in
      switch piece {
      case .text(let text), .code(let text), .link(let text, _), .time(let text, _): text
      case .figure(let figure): figure.text
      }
    }.joined()
  }

  /// This sentence with a capital first letter, if the sentence begins with text.
  var capitalized: Words {
    var words = self
    if case .text(let text) = words.pieces.first {
      words.pieces[0] = .text(text.prefix(1).uppercased() + text.dropFirst())
    }
    return words
  }

  static func + (left: Words, right: Words) -> Words {
    var words = left
    words.pieces += right.pieces
    return words
  }

  static func += (left: inout Words, right: Words) { left.pieces += right.pieces }
}

extension Words: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    var words = Words()

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { words.pieces.append(.text(literal)) }
    }

    mutating func appendInterpolation(_ figure: Figure) { words.pieces.append(.figure(figure)) }
    mutating func appendInterpolation(_ text: String) { words += Words(data: text) }
    mutating func appendInterpolation(_ other: Words) { words += other }

    mutating func appendInterpolation(code text: String) {
      words.pieces.append(.code(ShownText.encoded(text)))
    }

    /// Appends a link to `address`. The program must have generated the address; it must not come from data.
    mutating func appendInterpolation(_ text: String, to address: String) {
      words.pieces.append(.link(ShownText.encoded(text), to: address))
    }

    /// Appends a count with its noun, such as `1 user` or `12 users`.
    mutating func appendInterpolation(_ count: Int, _ singular: String, _ plural: String? = nil) {
      appendInterpolation(.count(count))
      appendLiteral("\u{A0}" + (count == 1 ? singular : plural ?? singular + "s"))
    }
  }

  init(stringInterpolation: StringInterpolation) { self = stringInterpolation.words }
  init(stringLiteral value: String) { pieces = value.isEmpty ? [] : [.text(value)] }
}

extension [Words] {
  /// Returns the elements, joined by `separator`.
  func joined(separator: Words) -> Words {
    var words = Words()
    for (index, next) in enumerated() { words += index == 0 ? next : separator + next }
    return words
  }
}
