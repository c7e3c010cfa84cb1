extension String {
  /// The text without its case: two texts that differ in case alone, by Unicode's full case folding, have equal ones, as
  /// `==` compares them: by canonical equivalence, so that it does not matter how accents are spelled.
  ///
  /// The standard library has no table of foldings. Going by small letters to capitals and back to small letters joins the
  /// same characters: `ß`, `ẞ` and `SS`, or both small sigmas. The dotless `ı` alone would meet `i` in the capital `I`,
  /// and full folding keeps them apart.
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
