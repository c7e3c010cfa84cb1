// Functions for text on a terminal, where a character takes 0, 1 or 2 columns.

extension Character {
  /// The number of columns of the character on a terminal with a fixed-width font: 0, 1 or 2.
  ///
  /// East Asian wide and full-width characters and emoji take two (Unicode Standard Annex 11). A lone
  /// combining mark or an invisible character takes none. Terminals differ for rare characters.
  package var terminalColumns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if unicodeScalars.contains(where: \.isWide) { return 2 }
    if first.properties.isEmoji, unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return 1
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isWide: Bool {
    switch value {
    case 0..<0x1100: false
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      true
    default: properties.isEmojiPresentation
    }
  }
}

extension String {
  /// The number of columns of the text on a terminal.
  package var terminalColumns: Int {
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.terminalColumns }
  }

  /// Returns the text, padded with spaces at the end to `width` columns.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - terminalColumns))
  }

  /// Returns the text, padded with spaces at the start to `width` columns.
  package func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - terminalColumns)) + self
  }

  /// Returns the text as lines of at most `width` columns, broken at spaces. Lines after the first begin with
  /// `indent` spaces. A word that is too wide for a line, such as a long path, stays whole. A number and the
  /// word after it stay together.
  package func wrapped(to width: Int, indent: Int) -> [String] {
    if terminalColumns <= width { return [self] }
    let start = prefix { $0 == " " }
    var lines = [String(start)]
    var isEmpty = true
    for word in dropFirst(start.count).words {
      let columns = lines[lines.count - 1].terminalColumns
      if !isEmpty, columns + String(word.trimmingSpaces).terminalColumns > width {
        lines[lines.count - 1] = String(lines[lines.count - 1].trimmingSpaces)
        lines.append(String(repeating: " ", count: indent))
      }
      lines[lines.count - 1] += word
      isEmpty = false
    }
    return lines
  }

  /// Returns the text, or its start and an ellipsis if the text is wider than `width` columns. `width` must
  /// be at least 1.
  package func cut(to width: Int) -> String {
    // The number of scalars is limited, because a character with a thousand combining marks is one column
    // wide.
    let scalars = unicodeScalars.prefix(4 * width)
    let isWhole = scalars.endIndex == unicodeScalars.endIndex
    let text = isWhole ? self : String(String.UnicodeScalarView(scalars))
    if isWhole, text.terminalColumns <= width { return self }
    var result = ""
    var columns = 0
    for character in text {
      columns += character.terminalColumns
      if columns > width - 1 { break }
      result.append(character)
    }
    return result + "…"
  }
}

extension [String] {
  /// Returns the lines, each wrapped to `width` columns. A continuation is indented by two more spaces than
  /// its line. If `width` is `nil`, as in a file, the lines are unchanged.
  package func wrapped(to width: Int?) -> [String] {
    guard let width else { return self }
    return flatMap { line in line.wrapped(to: width, indent: line.prefix { $0 == " " }.count + 2) }
  }
}

extension Substring {
  /// The words, each with the spaces after it. A number stays with the word after it, as in "6 merged" and
  /// "1 993 users".
  fileprivate var words: [Substring] {
    var words: [Substring] = []
    var start = startIndex
    for index in indices.dropFirst() where self[index] != " " && self[self.index(before: index)] == " " {
      if self[..<index].dropLast().last.map(\.isWholeNumber) == true { continue }
      words.append(self[start..<index])
      start = index
    }
    return words + [self[start...]]
  }

  fileprivate var trimmingSpaces: Substring {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension String {
  fileprivate var trimmingSpaces: Substring { self[...].trimmingSpaces }
}
