import Testing

@testable import PipelineFile

/// Several words can mean one name, regardless of their case and of how their accents are encoded.
@Suite struct CanonicalNameTests {
  private func names(_ yaml: String) throws -> Pipeline.CanonicalNames {
    let pipeline = try pipeline(
      """
      pipeline: p
      entities:
        dogs:
          source: { path: dogs.csv }
          id: id
          attributes: { county: { type: category, names: \(yaml) } }
      """)
    return try #require(pipeline.entity("dogs")?.attribute("county")?.names)
  }

  @Test(arguments: [
    ("Cork", "Cork"), ("cork", "Cork"), ("CORK", "Cork"), ("cOrK", "Cork"), ("Corcaigh", "Cork"),
    ("CORCAIGH", "Cork"), ("co. cork", "Cork"), ("County Cork", nil), ("Cork ", nil), (" Cork", nil),
    ("Corks", nil), ("", nil), ("Dublin", "Dublin"), ("Baile Átha Cliath", "Dublin"),
    ("baile átha cliath", "Dublin"), ("BAILE A\u{301}THA CLIATH", "Dublin"),
    ("baile a\u{301}tha cliath", "Dublin"), ("Baile Atha Cliath", nil), ("Straße", "Straße"),
    ("STRASSE", "Straße"), ("STRAẞE", "Straße"), ("ΟΔΟΣ", "οδός"), ("Οδος", "οδός"), ("οδοσ", "οδός"),
    ("ﬁn", "FIN"), ("fin", "FIN"), ("fın", nil), ("Kelvin", "\u{212A}elvin"),
  ]) func `each word means at most one name`(word: String, name: String?) throws {
    let names = try names(
      #"{ Cork: [Corcaigh, "Co. Cork"], Dublin: Baile Átha Cliath, Straße: ~, οδός: οδος, FIN: ~, "\#u{212A}elvin": [] }"#
    )
    // The test compares bytes, because the name must be spelled as in the pipeline file.
    #expect(names.name(of: word).map { Array($0.utf8) } == name.map { Array($0.utf8) })
  }

  @Test func `a list has names without other words`() throws {
    let names = try names("[small, Large]")
    #expect(names.name(of: "SMALL") == "small" && names.name(of: "large") == "Large")
    #expect(names.name(of: "medium") == nil)
  }

  @Test func `a repeated synonym of one name is allowed`() throws {
    #expect(try names("{ Cork: [cork, CORK, Corcaigh, corcaigh] }").name(of: "corcaigh") == "Cork")
  }

  @Test func `a name has the length limit of a word of an export, and a synonym may be longer`() throws {
    let longest = String(repeating: "é", count: 128)
    #expect(try names("{ \(longest): [\(longest + longest)] }").name(of: longest + longest) == longest)
    let error = #expect(throws: PipelineFileError.self) { _ = try names("[\(longest)n]") }
    #expect(error?.reason.contains("has 257 bytes, but must have at most 256") == true)
    let null = #expect(throws: PipelineFileError.self) { _ = try names(#"["a\0b"]"#) }
    #expect(null?.reason.contains("U+0000") == true)
  }

  @Test func `only categories have names`() {
    let error = mistake(
      changed("name:\n        type: text", "name:\n        type: text\n        names: [a]"))
    #expect(error?.reason.contains("only for categories") == true)
  }

  /// Lines of every kind from Unicode's CaseFolding.txt (full case folding).
  @Test(arguments: [
    ("A", "a"), ("µ", "μ"), ("ß", "ss"), ("İ", "i\u{307}"), ("ŉ", "ʼn"), ("ſ", "s"), ("ǰ", "ǰ"), ("ΐ", "ΐ"),
    ("ς", "σ"), ("ϐ", "β"), ("և", "եւ"), ("ẞ", "ss"), ("ᾳ", "αι"), ("ῼ", "ωι"), ("Ω", "ω"), ("K", "k"),
    ("ﬃ", "ffi"),
    ("ﬓ", "մն"), ("Ａ", "ａ"), ("𐐀", "𐐨"), ("𞤀", "𞤢"), ("\u{13E0}", "\u{ABB0}"), ("ᏸ", "Ᏸ"), ("ი", "ი"),
    ("Ი", "ი"),
    ("ǅ", "ǆ"),
  ]) func `texts that differ only in case have the same folding`(left: String, right: String) {
    #expect(left.caseFolded == right.caseFolded)
    #expect((left + "x").caseFolded == (right + "X").caseFolded)
  }

  @Test func `folding twice changes nothing, and letters without case stay`() {
    #expect("ı".caseFolded != "i".caseFolded)
    #expect("日本語 123 – ó".caseFolded == "日本語 123 – ó")
    for value in 0...0x1FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let folded = String(scalar).caseFolded
      if folded.caseFolded != folded { Issue.record("\(value)") }
    }
  }
}
