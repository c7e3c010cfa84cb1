extension String {
  /// The case-folded text. Two texts have equal results if they differ only in case according to Unicode's
  /// full case folding. `==` compares the results by canonical equivalence, so different encodings of an
  /// accent are equal.
  ///
  /// The standard library has no table of case foldings. Converting to lowercase, uppercase and back to
  /// lowercase makes the same characters equal, such as `ß`, `ẞ` and `SS`, or both forms of sigma. The only
  /// exception is the dotless `ı`, which stays unchanged here. The conversion would turn it into `i` by way
  /// of the capital `I`, but full case folding distinguishes `ı` from `i`.
  var caseFolded: String {
    var folded = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      guard scalar != "ı" else {
        folded.append(scalar)
        continue
      }
      for small in scalar.properties.lowercaseMapping.unicodeScalars {
        for capital in small.properties.uppercaseMapping.unicodeScalars {
          folded.append(contentsOf: capital.properties.lowercaseMapping.unicodeScalars)
        }
      }
    }
    return String(folded)
  }
}
