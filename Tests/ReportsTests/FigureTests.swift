import Testing

@testable import Reports

@Suite struct FigureTests {
  @Test(
    arguments: [
      (Figure.count(0), "0", "0"), (.count(60_000), "60\u{202F}000", "60000"),
      (.count(-5), "\u{2212}5", "-5"),
      (.share(0), "0\u{A0}%", "0"), (.share(1), "100\u{A0}%", "1"), (.share(0.125), "12.5\u{A0}%", "0.125"),
      (.share(0.0011), "0.11\u{A0}%", "0.0011"), (.share(0.00001), "<\u{A0}0.01\u{A0}%", "1e-05"),
      (.share(0.99999), ">\u{A0}99.9\u{A0}%", "0.99999"), (.limit(0.01), "1\u{A0}%", "0.01"),
      (.metric(0.04654212669), "0.047", "0.04654212669"), (.metric(-0.0001), "0.000", "-0.0001"),
      (.difference(0.0021), "+0.002", "0.0021"), (.difference(-0.0031), "\u{2212}0.003", "-0.0031"),
      (.probability(0.0004), "<\u{A0}0.001", "0.0004"), (.probability(0.0126), "0.013", "0.0126"),
      (.change(12), "+12", "12"),
      (.change(0), "0", "0"), (.points(-0.0123), "\u{2212}1.2\u{A0}points", "-0.0123"),
      (.share(0.0099), "0.99\u{A0}%", "0.0099"), (.share(0.01), "1.0\u{A0}%", "0.01"),
      (.difference(0), "0.000", "0"), (.difference(0.0001), "0.000", "0.0001"),
      (.number(314.41, decimals: 1, unit: "km"), "314.4\u{A0}km", "314.41"),
    ] as [(Figure, String, String)])
  func `a figure has a rounded text and an exact value`(
    _ figure: Figure, _ text: String, _ value: String
  ) {
    #expect(figure.text == text)
    #expect(figure.value == value)
  }

  @Test func `a share of an empty set is undefined`() {
    #expect(Figure.share(0, of: 0) == nil)
    #expect(Figure.share(1, of: 4)?.value == "0.25")
  }

  @Test(arguments: [(0, "0"), (1, "fewer than 10"), (9, "fewer than 10"), (10, "10")])
  func `small numbers of people are not exact`(_ count: Int, _ text: String) {
    #expect(Disclosure.people(count).plain == text)
  }

  @Test func `different names have different file names`() {
    #expect("for_you-2".fileName == "for_you-2")
    let names = ["a b", "a.20b", "a/b", "ä", "..", "A", "\u{1}0", "\u{10}"]
    #expect(Set(names.map(\.fileName)).count == names.count)
    for name in names { #expect(!name.fileName.contains("/") && name.fileName != "..") }
  }
}
