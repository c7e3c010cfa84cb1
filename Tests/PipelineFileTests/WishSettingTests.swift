import Testing

@testable import PipelineFile

/// Conditions on numbers, dates, flags and words, wishes of users, and the order of catalogs.
@Suite struct WishSettingTests {
  static let yaml = """
    pipeline: p
    entities:
      seekers:
        source: { path: s.csv }
        id: id
        attributes:
          budget: { type: number }
          town: { type: category }
          towns: { type: tags }
          latest: { type: date }
          quiet: { type: flag }
      rooms:
        source: { path: r.csv }
        id: id
        attributes:
          price: { type: number }
          town: { type: category, names: { Cork: Corcaigh, Kerry: ~ } }
          floor: { type: category }
          pets: { type: tags }
          free: { type: date }
          smoking: { type: flag }
          title: { type: text }
    interactions:
      likes:
        source: { path: l.csv }
        user: { from: s, entity: seekers }
        candidate: { from: r, entity: rooms }
        at: t
        value: v
    computed:
      rooms: { likes: { count_of: likes } }
    rankings:
      list:
        users: seekers
        candidates: rooms
        for: [not quiet, { budget: { at_least: 100 } }]
        only: [{ price: { at_most: 500 } }]
        wishes: [{ price: { at_most: budget } }]
        all_of: { user: towns, candidate: pets }
        exclude: [smoking]
      board: { catalog: rooms, by: town, order_by: [price asc, free desc] }

    """

  private func changed(_ old: String, _ new: String) -> String {
    precondition(Self.yaml.contains(old), "'\(old)' is not in the file")
    return Self.yaml.replacing(old, with: new, maxReplacements: 1)
  }

  @Test func `conditions keep the order of the file`() throws {
    let file = try pipeline(Self.yaml)
    let list = try #require(file.rankings.first)
    #expect(list.audience == [.notFlagged("quiet"), .within("budget", 100...(.infinity))])
    #expect(
      list.exclusions == [
        .unless(.within("price", -.infinity...500)),
        .unwished(.init(candidate: "price", relation: .atMost, user: "budget")),
        .unwished(.init(candidate: "pets", relation: .allOf, user: "towns")), .flagged("smoking"),
      ])
    #expect(
      file.catalogs.first?.order
        == [.attribute("price", isDescending: false), .attribute("free", isDescending: true)])
  }

  private static let day = 1_796_083_200_000.0

  @Test(
    arguments: [
      ("{ price: { at_least: -1, at_most: -0.5 } }", [.within("price", -1...(-0.5))]),
      ("{ price: { at_least: 5, at_most: 5 } }", [.within("price", 5...5)]),
      ("{ likes: { at_least: 1 } }", [.within("likes", 1...(.infinity))]),
      ("{ free: { at_most: 2026-12-01 } }", [.within("free", -.infinity...day)]),
      (
        "{ free: { at_least: '2026-12-01T01:00:00.001+01:00', at_most: 2026-12-02 } }",
        [.within("free", day + 1...day + 86_400_000)]
      ),
      ("[smoking]", [.flagged("smoking")]), ("not smoking", [.notFlagged("smoking")]),
      ("{ pets: { not: cat } }", [.noneOf("pets", ["cat"])]),
      ("{ pets: { not: [cat, dog] } }", [.noneOf("pets", ["cat", "dog"])]),
      (
        "[{ pets: [cat, dog] }, { pets: { not: dog } }]",
        [.oneOf("pets", ["cat", "dog"]), .noneOf("pets", ["dog"])]
      ),
      // The two spellings of é are different words.
      (
        "[{ pets: \"\\u00e9\" }, { pets: \"e\\u0301\" }, { pets: { not: [\"e\\u0300\"] } }]",
        [.oneOf("pets", ["\u{e9}"]), .oneOf("pets", ["e\u{301}"]), .noneOf("pets", ["e\u{300}"])]
      ),
      ("{ town: [CORCAIGH, Kerry] }", [.oneOf("town", ["Cork", "Kerry"])]),
      ("{ floor: 3, town: { not: cork } }", [.oneOf("floor", ["3"]), .noneOf("town", ["Cork"])]),
      (
        "[{ price: { at_most: 500 } }, { price: { at_least: 500 } }]",
        [.within("price", -.infinity...500), .within("price", 500...(.infinity))]
      ),
    ] as [(String, [Pipeline.Condition])])
  func `a condition is read`(text: String, conditions: [Pipeline.Condition]) throws {
    let yaml = changed("only: [{ price: { at_most: 500 } }]", "only: \(text)")
    #expect(
      try pipeline(yaml).rankings.first?.exclusions.prefix(conditions.count)
        == ArraySlice(conditions.map { .unless($0) }))
  }

  @Test(
    arguments: [
      (
        "{ price: { at_least: budget, at_most: budget } }",
        [
          .init(candidate: "price", relation: .atLeast, user: "budget"),
          .init(candidate: "price", relation: .atMost, user: "budget"),
        ]
      ),
      ("{ likes: { at_least: budget } }", [.init(candidate: "likes", relation: .atLeast, user: "budget")]),
      ("[{ free: { at_most: latest } }]", [.init(candidate: "free", relation: .atMost, user: "latest")]),
      ("{ town: town }", [.init(candidate: "town", relation: .anyOf, user: "town")]),
      ("{ town: towns }", [.init(candidate: "town", relation: .anyOf, user: "towns")]),
      ("{ town: { any_of: towns } }", [.init(candidate: "town", relation: .anyOf, user: "towns")]),
      (
        "[{ pets: { not: towns } }, { town: { not: town } }]",
        [
          .init(candidate: "pets", relation: .noneOf, user: "towns"),
          .init(candidate: "town", relation: .noneOf, user: "town"),
        ]
      ),
      (
        "{ pets: { all_of: towns, not: town } }",
        [
          .init(candidate: "pets", relation: .allOf, user: "towns"),
          .init(candidate: "pets", relation: .noneOf, user: "town"),
        ]
      ),
    ] as [(String, [Pipeline.Wish])])
  func `a wish is read`(text: String, wishes: [Pipeline.Wish]) throws {
    let yaml = changed("wishes: [{ price: { at_most: budget } }]", "wishes: \(text)")
      .replacing("    all_of: { user: towns, candidate: pets }\n", with: "")
    #expect(
      try pipeline(yaml).rankings.first?.exclusions
        == [.unless(.within("price", -.infinity...500))] + wishes.map { .unwished($0) } + [
          .flagged("smoking")
        ])
  }

  @Test(arguments: [
    ("newest", [Pipeline.OrderKey.newest]),
    ("[newest, price]", [.newest, .attribute("price", isDescending: false)]),
    ("likes desc", [.attribute("likes", isDescending: true)]),
  ])
  func `an order of a catalog is read`(text: String, order: [Pipeline.OrderKey]) throws {
    let yaml = changed("order_by: [price asc, free desc]", "order_by: \(text)")
      .replacing(
        "  rooms:\n    source: { path: r.csv }\n",
        with: "  rooms:\n    source: { path: r.csv }\n    created: c\n")
    #expect(try pipeline(yaml).catalogs.first?.order == order)
  }

  @Test func `a catalog has the newest first by default`() throws {
    let yaml = changed(", order_by: [price asc, free desc]", "")
    let error = try #require(mistake(yaml))
    #expect(
      "\(error)".contains("'created: FIELD'") && "\(error)".contains("order_by: [price asc]"), "\(error)")
    let created = yaml.replacing(
      "source: { path: r.csv }\n", with: "source: { path: r.csv }\n    created: c\n")
    #expect(try pipeline(created).catalogs.first?.order == [.newest])
  }

  struct Mistake: CustomTestStringConvertible, Sendable {
    var key = "only"
    var value: String
    /// The texts that the message must contain.
    var words: [String]
    var testDescription: String { "\(key): \(value)" }
  }

  private static let lines = [
    "for": "[not quiet, { budget: { at_least: 100 } }]", "only": "[{ price: { at_most: 500 } }]",
    "wishes": "[{ price: { at_most: budget } }]", "order_by": "[price asc, free desc]",
    "all_of": "{ user: towns, candidate: pets }",
  ]

  @Test(arguments: [
    Mistake(value: "[{ price: 500 }]", words: ["at_most", "braces"]),
    Mistake(value: "[{ price: [0, 500] }]", words: ["at_most"]),
    Mistake(value: "[{ price: { max: 500 } }]", words: ["'max'", "alid here: at_least, at_most"]),
    Mistake(value: "[{ price: { at_mots: 500 } }]", words: ["nearest valid key is 'at_most'"]),
    Mistake(value: "[{ price: {} }]", words: ["neither"]),
    Mistake(value: "[{ price: { at_most: cheap } }]", words: ["must be a number", "'cheap'"]),
    Mistake(value: "[{ price: { at_most: .inf } }]", words: ["must be a number"]),
    Mistake(value: "[{ price: { at_most: nan } }]", words: ["must be a number"]),
    Mistake(value: "[{ price: { at_most: ~ } }]", words: ["must be a number, not an empty value"]),
    Mistake(value: "[{ price: { at_most: 2026-12-01 } }]", words: ["must be a number"]),
    Mistake(value: "[{ price: { at_least: 5, at_most: 4.9 } }]", words: ["no value meets"]),
    Mistake(
      value: "[{ price: { at_least: 5 } }, { price: { at_most: 4 } }]",
      words: ["no row of 'rooms'"]),
    Mistake(value: "[{ price: { at_least: 5 } }, { price: { at_least: 5 } }]", words: ["repeats an earlier"]),
    Mistake(value: "[{ free: { at_most: 500 } }]", words: ["a date such as 2026-12-01"]),
    Mistake(value: "[{ free: { at_most: '1796083200000' } }]", words: ["a date such as"]),
    Mistake(value: "[{ free: { at_most: 2026-02-30 } }]", words: ["'2026-02-30'"]),
    Mistake(value: "[{ free: { at_most: soon } }]", words: ["'soon'"]),
    Mistake(
      value: "[{ free: { at_least: 2026-12-02, at_most: 2026-12-01 } }]", words: ["no value meets"]),
    Mistake(value: "[{ free: [2026-12-01] }]", words: ["at_least"]),
    Mistake(value: "[{ prise: { at_most: 5 } }]", words: ["nearest name is 'price'", "likes"]),
    Mistake(value: "[{ title: x }]", words: ["category, tags, number or date attribute", "of 'rooms'"]),
    Mistake(value: "[{ smoking: false }]", words: ["is a flag", "'not smoking'"]),
    Mistake(value: "[not smokin]", words: ["'not smoking'"]),
    Mistake(value: "[not]", words: ["unknown flag", "of 'rooms'"]),
    Mistake(value: "[not not smoking]", words: ["unknown flag", "of 'rooms'"]),
    Mistake(value: "[not price]", words: ["unknown flag", "of 'rooms'"]),
    Mistake(value: "[smoking, not smoking]", words: ["no row of 'rooms'"]),
    Mistake(value: "[not smoking, smoking]", words: ["no row of 'rooms'"]),
    Mistake(value: "[{ pets: { not: [] } }]", words: ["names no word"]),
    Mistake(value: "[{ pets: { not: { not: cat } } }]", words: ["must be text"]),
    Mistake(value: "[{ pets: { nto: cat } }]", words: ["'nto'", "'not'"]),
    Mistake(value: "[{ pets: {} }]", words: ["'not'"]),
    Mistake(
      value: "[{ pets: [cat, dog] }, { pets: { not: [dog, cat, eel] } }]",
      words: ["no row of 'rooms'"]),
    Mistake(value: "[{ pets: { not: cat } }, { pets: cat }]", words: ["no row of 'rooms'"]),
    Mistake(value: "[{ pets: [dog, cat] }, { pets: [cat, dog, cat] }]", words: ["repeats an earlier"]),
    Mistake(
      value: "[{ town: Corc }]", words: ["unknown name 'Corc'", "nearest name is 'Cork'", "Cork, Kerry"]),
    Mistake(value: "[{ town: { not: [Cork, Clare] } }]", words: ["'Clare'"]),
    Mistake(value: "[{}]", words: ["names no attribute"]),
    Mistake(value: "[[smoking]]", words: ["must be text"]),
    Mistake(key: "for", value: "[{ price: { at_most: 5 } }]", words: ["of 'seekers'", "budget"]),
    Mistake(key: "for", value: "[quiet, not quiet]", words: ["no row of 'seekers'"]),
    Mistake(key: "wishes", value: "[{ price: budget }]", words: ["at_most", "braces"]),
    Mistake(
      key: "wishes", value: "[{ price: { at_most: 500 } }]",
      words: ["number attribute", "of 'seekers'", "'only'", "budget"]),
    Mistake(
      key: "wishes", value: "[{ price: { at_most: latest } }]", words: ["number attribute", "of 'seekers'"]),
    Mistake(
      key: "wishes", value: "[{ free: { at_most: budget } }]",
      words: ["date attribute", "of 'seekers'", "latest"]),
    Mistake(key: "wishes", value: "[{ price: { at_most: bugdet } }]", words: ["nearest name is 'budget'"]),
    Mistake(key: "wishes", value: "[{ price: {} }]", words: ["neither"]),
    Mistake(
      key: "wishes", value: "[{ town: Cork }]",
      words: ["category or tags attribute", "of 'seekers'", "'only'"]),
    Mistake(
      key: "wishes", value: "[{ town: budget }]", words: ["category or tags attribute", "of 'seekers'"]),
    Mistake(key: "wishes", value: "[{ town: [town, towns] }]", words: ["must be text"]),
    Mistake(key: "wishes", value: "[{ town: { all_of: towns } }]", words: ["'all_of'", "any_of, not"]),
    Mistake(key: "wishes", value: "[{ pets: { all_of: town } }]", words: ["tags attribute", "of 'seekers'"]),
    Mistake(key: "wishes", value: "[{ pets: { none: towns } }]", words: ["any_of, all_of, not"]),
    Mistake(key: "wishes", value: "[{ pets: {} }]", words: ["names no attribute"]),
    Mistake(
      key: "wishes", value: "[{ pets: { any_of: towns, not: towns } }]", words: ["contradicts another wish"]),
    Mistake(
      key: "wishes", value: "[{ pets: towns }, { pets: { not: towns } }]", words: ["no candidate meets"]),
    Mistake(
      key: "wishes", value: "[{ pets: towns }, { pets: { any_of: towns } }]", words: ["repeats an earlier"]),
    Mistake(
      key: "wishes", value: "[{ smoking: quiet }]",
      words: ["category, tags, number or date attribute", "of 'rooms'"]),
    Mistake(key: "wishes", value: "[{ twon: town }]", words: ["nearest name is 'town'"]),
    Mistake(key: "wishes", value: "[town]", words: ["must be a mapping"]),
    Mistake(key: "wishes", value: "[]", words: ["1 to 100"]),
    Mistake(key: "wishes", value: "{}", words: ["1 to 100"]),
    Mistake(key: "wishes", value: "~", words: ["mapping"]),
    Mistake(
      key: "all_of", value: "{ user: town, candidate: pets }", words: ["tags attribute", "of 'seekers'"]),
    Mistake(key: "order_by", value: "[score]", words: ["newest"]),
    Mistake(key: "order_by", value: "distance", words: ["unknown order key 'distance'"]),
    Mistake(key: "order_by", value: "[price, price desc]", words: ["occurs twice"]),
    Mistake(key: "order_by", value: "[price down]", words: ["asc, desc"]),
    Mistake(key: "order_by", value: "[town]", words: ["free, likes, price"]),
    Mistake(key: "order_by", value: "[]", words: ["1 to 8"]),
    Mistake(key: "order_by", value: "[price, newest]", words: ["needs creation times"]),
  ])
  func `a mistake is reported on its line`(example: Mistake) throws {
    let old = "\(example.key): \(try #require(Self.lines[example.key]))"
    let error = try #require(mistake(changed(old, "\(example.key): \(example.value)")), "it was taken")
    for words in example.words { #expect("\(error)".contains(words), "\(error)") }
    let line = try #require(Self.yaml.split(separator: "\n").firstIndex { $0.contains(old) })
    #expect(error.place.hasPrefix("p.yaml:\(line + 1):"), "\(error)")
  }

  @Test func `a wish may occur only once, in any spelling`() throws {
    let error = try #require(
      mistake(changed("wishes: [{ price: { at_most: budget } }]", "wishes: { pets: { all_of: towns } }")))
    #expect(error.reason.contains("already"), "\(error)")
  }

  @Test func `too many conditions are rejected`() throws {
    let many = (0...100).map { "{ floor: \"\($0)\" }" }.joined(separator: ", ")
    let error = try #require(mistake(changed("only: [{ price: { at_most: 500 } }]", "only: [\(many)]")))
    #expect(error.reason.contains("at most 100"), "\(error)")
  }
}
