internal import Columns
internal import Concurrency
internal import Glibc
internal import RunSchemas
internal import Text

/// Computes vectors of texts by feature hashing of TF-IDF weights: term frequency times inverse document
/// frequency.
///
/// Let n be the number of texts with at least one word, d the number of texts that contain the word w, and c
/// the number of occurrences of w in a text:
///
///     v[bucket(w)] += sign(w) c (ln((1 + n) / (1 + d)) + 1)
///
/// Each v is then scaled to unit length. Because of the signs, the errors from words that share a bucket
/// cancel out on average. Words are runs of letters, marks and digits, in lower case. The weights are
/// smoothed as if one more text contained every word.
///
/// Sources: Weinberger et al. 2009, doi:10.1145/1553374.1553516, for the hashing; Salton and Buckley 1988,
/// doi:10.1016/0306-4573(88)90021-0, for the weights.
struct HashedWords {
  private let dimensions: Int
  private var textCount = 0
  /// The number of texts that contain a word, by the word's hash.
  private var textsWith: [UInt64: Int] = [:]

  /// Returns the vectors of `texts`, one per row. A text without a word has the zero vector.
  static func vectors(of texts: StringColumn, dimensions: Int) -> CandidateVectors {
    var hashed = HashedWords(dimensions: dimensions)
    // Words are extracted twice, because storing them would take more memory than the texts.
    for row in 0..<texts.count { hashed.count(texts.bytes(row)) }
    var components: [Float] = []
    components.reserveCapacity(texts.count * dimensions)
    for row in 0..<texts.count { components += hashed.vector(of: texts.bytes(row)) }
    return CandidateVectors(dimensions: dimensions, components: components)
  }

  private init(dimensions: Int) { self.dimensions = dimensions }

  private mutating func count(_ text: Span<UInt8>) {
    let words = Self.words(of: text)
    if !words.isEmpty { textCount += 1 }
    for word in Set(words) { textsWith[word, default: 0] += 1 }
  }

  private func vector(of text: Span<UInt8>) -> [Float] {
    var sums = [Double](repeating: 0, count: dimensions)
    // Words are added in ascending order of hash, so that sums do not depend on the order of words in the
    // text.
    let words = Self.words(of: text).sorted()
    var start = 0
    while start < words.count {
      let word = words[start]
      var end = start + 1
      while end < words.count, words[end] == word { end += 1 }
      let rarity = log(Double(1 + textCount) / Double(1 + (textsWith[word] ?? 0))) + 1
      let mix = Mix64.finalized(word)
      let sign = mix & 1 == 0 ? 1.0 : -1
      sums[Int((mix >> 1) % UInt64(dimensions))] += sign * Double(end - start) * rarity
      start = end
    }
    let length = sums.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return sums.map { length == 0 ? 0 : Float($0 / length) }
  }

  /// Returns the hashes of the words of `text`, in text order, with repetitions.
  static func words(of text: Span<UInt8>) -> [UInt64] {
    var bytes = [UInt8](copying: text)
    // ASCII text needs no lookup of Unicode properties.
    let isPlain = bytes.allSatisfy { $0 < 0x80 }
    let ranges: [Range<Int>]
    if isPlain {
      for index in bytes.indices { bytes[index] = bytes[index].lowercased }
      ranges = runs(in: bytes.lazy.map { (isInWord: $0.isLetterOrDigit, count: 1) })
    } else {
      let lowercased = String(decoding: bytes, as: UTF8.self).lowercased()
      ranges = runs(in: lowercased.unicodeScalars.lazy.map { (isInWord: $0.isInWord, count: $0.utf8.count) })
      bytes = Array(lowercased.utf8)
    }
    let span = bytes.span
    var hashes: [UInt64] = []
    hashes.reserveCapacity(ranges.count)
    for range in ranges { hashes.append(Mix64.hash(span.extracting(range))) }
    return hashes
  }

  /// Returns the byte ranges of the words. Each element of `characters` has a flag, which is true inside a
  /// word, and a number of bytes.
  private static func runs(in characters: some Sequence<(isInWord: Bool, count: Int)>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var (start, end) = (0, 0)
    for character in characters {
      if !character.isInWord {
        if end > start { ranges.append(start..<end) }
        start = end + character.count
      }
      end += character.count
    }
    if end > start { ranges.append(start..<end) }
    return ranges
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  fileprivate var lowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a letter, a mark (a combining accent, a vowel sign) or a digit.
  fileprivate var isInWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .enclosingMark, .decimalNumber:
      true
    default: false
    }
  }
}
