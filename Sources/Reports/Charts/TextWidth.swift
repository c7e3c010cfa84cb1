internal import Text

/// An estimate of the width of text, for the layout of charts. The reader's font is unknown, so the estimate
/// is large enough for wide fonts such as DejaVu Sans.
enum TextWidth {
  /// Returns the width of `text` in CSS pixels.
  static func of(_ text: String) -> Double {
    ShownText.encoded(text).unicodeScalars.reduce(0) { $0 + share($1) } * Canvas.textSize
  }

  /// Returns `text` if it fits into `width` CSS pixels, otherwise its beginning and its end with an ellipsis
  /// between them. Names often differ only at their ends.
  static func cut(_ text: String, to width: Double) -> String {
    if of(text) <= width { return text }
    var kept = text.count
    while kept > 0 {
      kept -= 1
      let shown = text.prefix(kept - kept / 2) + "…" + text.suffix(kept / 2)
      if of(String(shown)) <= width { return String(shown) }
    }
    return "…"
  }

  /// Returns the width of a scalar as a share of the text size.
  private static func share(_ scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", "'", "|", ".", ",", ":", ";", " ", "!", "(", ")", "[", "]", "f", "t", "r", "-",
      "/",
      "\u{A0}", "\u{202F}":
      0.42
    case "m", "w", "M", "W", "%", "@", "…", "—": 1
    case "A"..."Z": 0.8
    // The scripts up to U+05FF have letters about as wide as Latin letters.
    case "\0"..."\u{5FF}": 0.66
    // All other characters count as wide, like East Asian characters and emoji.
    default: 1.4
    }
  }
}
