import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import System
import Testing
import Text

@testable import Ingest

/// Counts, rules and messages of an ingest, without exports.
struct IngestValuesTests {
  private static let counts: IngestCounts = {
    var counts = IngestCounts()
    (counts.read, counts.kept, counts.later, counts.replaced, counts.erased) = (1000, 512, 64, 32, 16)
    (counts.ignored, counts.leftOut, counts.leftOutByAll, counts.expired) = (8, 400, 300, 7)
    (counts.updatedLater, counts.unended, counts.newest, counts.newestOfFourth) = (5, 2, 86_400_000, 1000)
    counts.rules = [
      .duplicateID: 128, .badTime: 100, .badNumber: 50, .unknownUser: 40, .unknownOwner: 30,
      .selfInteraction: 20,
    ]
    counts.written = [.badTime: 9]
    counts.absentFields = ["b", "a"]
    return counts
  }()

  @Test func `each count has its place in the manifest`() {
    let expected: [String: JSONValue] = [
      "read": 1000, "kept": 512, "merged": 160, "later": 64,
      "rejected": ["bad_time": 100, "bad_number": 50],
      "dangling": ["unknown_user": 40, "unknown_owner": 30], "not_allowed": ["self_interaction": 20],
      "left_out": 400, "left_out_by_all": 300, "expired": 7, "ignored": 8,
      "newest": [
        "milliseconds": 86_400_000, "utc": "1970-01-02T00:00:00Z", "milliseconds_of_fourth_user": 1000,
      ],
      "files": ["without_last_line_break": 2], "erased": 16, "updated_later": 5,
      "rejects_written": ["bad_time": 9], "absent_fields": .array(["b", "a"]),
    ]
    let json = Self.counts.json
    for (key, value) in expected { #expect(json[key] == value, "\(key)") }
    #expect(Set(json.members.keys) == Set(expected.keys))
    let none: JSONValue = [
      "read": 0, "kept": 0, "merged": 0, "later": 0, "rejected": [:], "dangling": [:], "not_allowed": [:],
    ]
    #expect(IngestCounts().json == none)
  }

  @Test func `every row belongs to exactly one sum`() {
    var counts = Self.counts
    #expect(counts.merged == 160)
    #expect(counts.rows(.rejected) == 150 && counts.rows(.dangling) == 70 && counts.rows(.notAllowed) == 20)
    #expect(counts.isBalanced)
    counts.read += 1
    #expect(!counts.isBalanced)
    // Rows that a condition left out were not read, and a row may be updated later and be kept.
    counts.read -= 1
    (counts.leftOut, counts.leftOutByAll, counts.expired, counts.updatedLater) = (nil, nil, nil, nil)
    #expect(counts.isBalanced)
    counts.ignored = nil
    #expect(!counts.isBalanced)
    counts.read -= 8
    #expect(counts.isBalanced)
  }

  @Test func `erased rows do not count in a share`() {
    var counts = IngestCounts()
    #expect(counts.share(.rejected) == 0)
    (counts.read, counts.erased, counts.rules) = (110, 10, [.badTime: 29, .unknownUser: 7])
    #expect(counts.share(.rejected) == 0.29 && counts.share(.dangling) == 0.07)
    #expect(counts.share(.dangling, besides: 4) == 0.03 && counts.share(.dangling, besides: 7) == 0)
    #expect(counts.share(.notAllowed) == 0)
  }

  @Test func `each rule has one outcome`() {
    let dangling: Set<IngestRule> = [.unknownUser, .unknownCandidate, .unknownOwner]
    let notAllowed: Set<IngestRule> = [.selfInteraction, .underAge, .ageUnknown]
    for rule in IngestRule.allCases {
      let expected: RuleOutcome? =
        rule == .duplicateID
        ? nil : dangling.contains(rule) ? .dangling : notAllowed.contains(rule) ? .notAllowed : .rejected
      #expect(rule.outcome == expected, "\(rule)")
    }
    for rule in RecordFault.Rule.allCases { #expect(IngestRule(rule).rawValue == rule.rawValue) }
  }

  @Test func `the unknown ids with the most rows are counted together`() {
    var ids = RowsByAccount()
    #expect(RowsByAccount.exempt == 3 && ids.rows(ofMostFrequent: 3) == 0)
    for (id, rows) in [("a", 5), ("b", 2), ("", 50), ("c", 9), ("d", 1)] {
      for _ in 0..<rows { ids.add(id) }
    }
    #expect((0...5).map { ids.rows(ofMostFrequent: $0) } == [0, 9, 14, 16, 17, 17])
    #expect((0...5).map { ids.rows(ofMostFrequent: $0, beyond: 2) } == [0, 7, 10, 10, 10, 10])
    #expect(ids.beyondFirst == 13)
    var part = RowsByAccount()
    for id in ["b", "e", "b", "b", "b", "b", "b", "b", "b"] { part.add(id) }
    ids.add(part)
    #expect((0...5).map { ids.rows(ofMostFrequent: $0) } == [0, 10, 19, 24, 25, 26])
  }

  @Test(arguments: [
    (CheckedExpectation.drop, "rows.drop_at_most", true), (CheckedExpectation.newest, "newest_row", true),
    (CheckedExpectation.lineBreak, "last_line_break", true),
    (CheckedExpectation.fewest, "rows.at_least", false),
    ("unique", "unique", false),
  ])
  func `an option accepts only the loss of rows`(key: String, name: String, isDrop: Bool) {
    var check = CheckedExpectation(
      source: "likes", expectation: key, expected: "at least 3", found: "2", outcome: .violated)
    #expect(key == name && check.isDrop == isDrop)
    #expect(check.description == "likes: expected \(name) at least 3, found 2.")
    check.advice = "Export again."
    #expect(check.description == "likes: expected \(name) at least 3, found 2. Export again.")
  }

  @Test func `all violations are in one message`() {
    let check = CheckedExpectation(
      source: "likes", expectation: "x", expected: "1", found: "2", outcome: .violated, advice: "Do it.")
    var error = ExpectationsViolated(violations: [check])
    #expect(error.exitStatus == .badData)
    #expect(
      error.description == "the exports violate 1 expectation; no snapshot was written:"
        + "\n  likes: expected x 1, found 2. Do it.")
    error = ExpectationsViolated(violations: [check, check], rejectsFile: "r.csv")
    #expect(
      error.description
        == "the exports violate 2 expectations; no snapshot was written, and the rejects are in 'r.csv':"
        + "\n  likes: expected x 1, found 2. Do it.\n  likes: expected x 1, found 2. Do it.")
  }

  private static func exceeded(
    _ key: RowLimitExceeded.Key, _ outcome: RuleOutcome, former: Double? = nil, unit: String? = nil,
    rejectsFile: String? = nil
  ) -> RowLimitExceeded {
    RowLimitExceeded(
      source: "likes", file: "likes.csv", key: key, limit: 0.1, outcome: outcome, read: 8,
      rules: ["b": 1, "c": 2, "a": 1], former: former, unit: unit, rejectsFile: rejectsFile)
  }

  @Test(
    arguments: [
      (
        exceeded(.rejectLimit, .rejected),
        "rejected (2 c, 1 a, 1 b), and reject_limit is 10.0 %. "
          + "Correct the export, or raise reject_limit in the pipeline file."
      ),
      (
        exceeded(.rejectLimit, .rejected, unit: "'t' as seconds", rejectsFile: "r.csv"),
        "rejected (2 c, 1 a, 1 b), and reject_limit is 10.0 %. "
          + "Most times are plausible if you read 't' as seconds: set 'unit' of this field in the pipeline file. "
          + "No snapshot was written. See 'r.csv'; then correct the export, "
          + "or raise reject_limit in the pipeline file."
      ),
      (
        exceeded(.danglingLimit, .dangling),
        "dangling (2 c, 1 a, 1 b), and dangling_limit is 10.0 %. "
          + "Export all entities to which the rows refer, or raise dangling_limit in the pipeline file."
      ),
      (
        exceeded(.danglingRise, .dangling, former: 0.125),
        "dangling (2 c, 1 a, 1 b), up from 12.5 % in the last complete run. dangling_rise allows a rise by 10.0 % "
          + "of the rows, and ignores the rows of the 3 accounts with the most such rows, or of the 3 most "
          + "frequent unknown ids. "
          + "Export all entities to which the rows refer, pass --accept-drop once, or raise dangling_rise in the pipeline file."
      ),
    ] as [(RowLimitExceeded, String)])
  func `a message about a limit lists the rules, the most frequent first`(
    error: RowLimitExceeded, rest: String
  ) {
    #expect(error.exitStatus == .badData)
    #expect(error.description == "likes: 4 of 8 rows of 'likes.csv' (50.0 %) are " + rest)
  }

  @Test(
    arguments: [
      (1, 1, "1 of 1 row of 'likes.csv' (100.0 %) is rejected (1 a), "),
      (1, 1_000, "1 of 1 000 rows of 'likes.csv' (0.1 %) is rejected (1 a), "),
      (60_000, 80_000, "60 000 of 80 000 rows of 'likes.csv' (75.0 %) are rejected (60 000 a), "),
    ])
  func `a message about a limit has grouped numbers and the right noun`(
    rejected: Int, read: Int, start: String
  ) {
    var error = Self.exceeded(.rejectLimit, .rejected)
    (error.read, error.rules) = (read, ["a": rejected])
    #expect(error.description.hasPrefix("likes: " + start), "\(error)")
  }

  /// Returns a source of 100 rows, and its pipeline. `erased` of the rows belong to erased people.
  private static func source(
    _ rules: [IngestRule: Int], erased: Int = 0, later: Int = 0, updatedLater: Int? = nil
  ) throws -> (Pipeline, ReadSource) {
    let yaml = Night.yaml(limit: "1 %").replacing("dangling_limit: 1", with: "dangling_limit: 50 %")
    let pipeline = try Pipeline(yaml: yaml, file: "p.yaml")
    var counts = IngestCounts()
    (counts.read, counts.erased, counts.rules) = (100, erased, rules)
    (counts.later, counts.updatedLater) = (later, updatedLater)
    let source = pipeline.interactions[0].source
    return (pipeline, ReadSource(name: "likes", source: source, counts: counts, rejects: RejectLog()))
  }

  private static let before: JSONValue = [
    "read": 110, "erased": 10, "dangling": ["unknown_user": 15, "unknown_owner": 5],
    "rejected": ["bad_time": 50],
  ]
  private static let oldBefore: JSONValue = ["read": 100, "rejected": ["unknown_user": 20, "bad_time": 50]]
  private static let emptyBefore: JSONValue = ["read": 10, "erased": 10, "dangling": ["unknown_user": 5]]
  private static let unreadBefore: JSONValue = ["dangling": ["unknown_user": 1]]

  @Test(
    arguments: [
      ([.badTime: 1], 0, nil, nil), ([.badTime: 2], 0, nil, .rejectLimit),
      ([.badTime: 1], 10, nil, .rejectLimit),
      ([.badTime: 2, .unknownUser: 90], 0, nil, .rejectLimit), ([.selfInteraction: 90], 0, nil, nil),
      ([.unknownUser: 50], 0, nil, nil), ([.unknownUser: 51], 0, nil, .danglingLimit),
      ([.unknownUser: 50], 10, nil, .danglingLimit), ([.unknownOwner: 30], 0, before, nil),
      ([.unknownOwner: 31], 0, before, .danglingRise), ([.unknownUser: 28], 10, before, .danglingRise),
      ([.unknownUser: 30], 0, oldBefore, nil), ([.unknownUser: 31], 0, oldBefore, .danglingRise),
      ([.unknownUser: 40], 0, emptyBefore, nil), ([.unknownUser: 40], 0, unreadBefore, nil),
    ] as [([IngestRule: Int], Int, JSONValue?, RowLimitExceeded.Key?)])
  func `the first exceeded limit of a source is found`(
    rules: [IngestRule: Int], erased: Int, before: JSONValue?, key: RowLimitExceeded.Key?
  ) throws {
    let (pipeline, source) = try Self.source(rules, erased: erased)
    let error = source.exceededLimit(in: pipeline, previous: before)
    #expect(error?.key == key)
    #expect(error == nil || (error?.read == 100 - erased && error?.file == "likes.csv"))
    #expect(error?.former == (key == .danglingRise ? 0.2 : nil))
  }

  @Test(
    arguments: [
      (0, nil, 0, 0, false), (1, nil, 0, 0, true), (29, nil, 0, 0.29, false), (30, nil, 0, 0.29, true),
      (1, 1, 0, 0.01, true), (0, 1, 0, 0.01, false), (9, nil, 10, 0.1, false), (10, nil, 10, 0.1, true),
    ] as [(Int, Int?, Int, Double, Bool)])
  func `rows and entities that are later count together`(
    later: Int, updatedLater: Int?, erased: Int, limit: Double, isError: Bool
  ) throws {
    let (_, source) = try Self.source([:], erased: erased, later: later, updatedLater: updatedLater)
    let clock = Instant(milliseconds: 0)
    let asOf = AsOf(.clock, interactions: [], checkIns: [], requests: [], clock: clock)
    let error = LaterLimitExceeded(source, limit: limit, asOf)
    #expect((error != nil) == isError)
    let sum = later + (updatedLater ?? 0)
    let start = "likes: \(sum) of \(100 - erased) rows of 'likes.csv' ("
    #expect(error == nil || error?.description.hasPrefix(start) == true)
  }

  @Test(arguments: [false, true]) func `only accounts with many rows are remembered`(inParts: Bool) {
    var rows = RowsByAccount()
    for _ in 0..<2 { rows.add(0, 5) }
    for number in 1..<UInt64(2 * RowsByAccount.limit) {
      var part = RowsByAccount()
      if inParts { part.add(number) } else { rows.add(number) }
      if inParts { rows.add(part) }
    }
    #expect(rows.rows(ofMostFrequent: 1) == 10 && rows.rows(ofMostFrequent: .max) == 10)
    // An account whose first row comes after this moment is still found.
    rows.add(7, 20)
    #expect(rows.rows(ofMostFrequent: .max) == 30)
  }

  @Test(
    arguments: [
      ([], 0), ([0, 1, 1, 0, 1, 1], 0), ([2], 1), ([5, 0, 2, 1], 5), ([3, 9, 1, 4, 2, 7], 17),
      ([4, 4, 4, 4, 4], 9),
    ] as [([UInt32], Int)])
  func `three accounts count as one row each`(rows: [UInt32], beyond: Int) {
    #expect(RowsByAccount.beyondFirst(rows) == beyond)
    var byAccount = RowsByAccount()
    for (account, count) in rows.enumerated() { byAccount.add(UInt64(account), Int(count)) }
    #expect(byAccount.beyondFirst == beyond)
  }

  @Test func `an as-of time is named by its origin`() {
    let words: [(AsOf.Origin, String, String)] = [
      (.given, "given", "as given"), (.newestInteraction, "newest_interaction", "the newest interaction"),
      (.newestCheckIn, "newest_check_in", "the newest check-in"),
      (.newestRequest, "newest_request", "the newest request or answer"),
      (.clock, "clock", "the machine's clock"),
    ]
    for (origin, key, text) in words { #expect(origin.rawValue == key && origin.words == text) }
  }

  @Test func `a unit is named if most times fit it`() {
    var log = RejectLog()
    log.open("f")
    func add(_ field: String, _ units: [TimeUnit], _ number: Int) {
      let rejected = RowRejected(rule: .implausibleTime, field: field, value: "1", plausibleUnits: units)
      log.add(rejected, file: 0, number: number, unit: .line)
    }
    #expect(log.unitOfMost(of: 0)?.field == nil)
    add("b", [.nanoseconds, .seconds], 1)
    add("b", [.nanoseconds, .seconds], 2)
    add("c", [.microseconds], 3)
    add("c", [.microseconds], 4)
    add("c", [.milliseconds], 5)
    // The first field by name, and the first unit in the order of units.
    #expect(log.unitOfMost(of: 3)?.field == "b" && log.unitOfMost(of: 3)?.unit == .seconds)
    #expect(log.unitOfMost(of: 4)?.field == nil)
    // Rows without a time do not count.
    #expect(log.unitOfMost(of: 9, without: ["c": 6])?.field == "c")
    var part = RejectLog()
    part.open("f")
    let more = RowRejected(rule: .implausibleTime, field: "c", value: "1", plausibleUnits: [.microseconds])
    part.add(more, file: 0, number: 9, unit: .line)
    log.add(part, file: 0)
    #expect(log.unitOfMost(of: 5)?.field == "c" && log.unitOfMost(of: 5)?.unit == .microseconds)
    #expect(log.counts == [.implausibleTime: 6] && log.lastRejected(in: 0) == 9)
  }

  @Test func `the last rejected row of a file does not dangle`() {
    var log = RejectLog()
    for name in ["f", "g"] { log.open(name) }
    #expect(log.lastRejected(in: 0) == nil)
    let rows: [(IngestRule, Int, Int)] = [
      (.badTime, 0, 7), (.badNumber, 0, 5), (.unknownUser, 0, 9), (.selfInteraction, 0, 10),
      (.duplicateID, 0, 11), (.badTime, 1, 20),
    ]
    for (rule, file, number) in rows {
      log.add(RowRejected(rule: rule, field: "x", value: "v"), file: file, number: number, unit: .line)
    }
    #expect(log.lastRejected(in: 0) == 7 && log.lastRejected(in: 1) == 20)
    // Only the unknown user's row dangles.
    #expect(log.rowsOfFewAccounts(.dangling, beyond: 0) == 1)
    #expect(log.shown(RowPlace(file: 1, unit: .element, number: 3)) == "g, element 3")
  }

  @Test func `the values of rejects of people who may be erased are hidden`() {
    let rejected = RowRejected(rule: .badTime, field: "t", value: "v", plausibleUnits: [.seconds])
    let bad = RowRejected(rule: .badID, field: "id", value: "v")
    func parts(_ rejected: RowRejected) -> [String] {
      [rejected.rule.rawValue, rejected.field, rejected.value] + rejected.plausibleUnits.map(\.rawValue)
    }
    #expect(parts(rejected.withoutValue(where: true)) == ["bad_time", "t", "", "seconds"])
    #expect(parts(rejected.withoutValue(where: false)) == ["bad_time", "t", "v", "seconds"])
    #expect(parts(rejected.withoutID(where: true)) == ["bad_time", "t", "v", "seconds"])
    #expect(parts(bad.withoutID(where: true)) == ["bad_id", "id", ""])
    #expect(parts(bad.withoutID(where: false)) == ["bad_id", "id", "v"])
  }

  @Test(arguments: [
    ("a.csv", false), ("a.csv.gz", true), ("a.csv.zst", true), ("a.gz.csv", false), ("gz", false),
  ])
  func `a compressed export is recognized by its name`(path: String, isCompressed: Bool) {
    #expect(ExportSizes.isCompressed(path) == isCompressed)
  }

  @Test(
    arguments: [
      ("a;b", ";", ["a", "b"]), (";a;;bc;", ";", ["a", "bc"]), ("", ";", []), (";;", ";", []),
      ("a", ";", ["a"]),
      ("a; b;c", "; ", ["a", "b;c"]), ("aXXXb", "XX", ["a", "Xb"]), ("aX", "XX", ["aX"]),
      ("aXX", "XX", ["a"]),
      ("é;e", "é", [";e"]),
    ] as [(String, String, [String])])
  func `a text is divided at each separator, and empty parts are left out`(
    text: String, separator: String, parts: [String]
  ) {
    let found = Array(text.utf8).pieces(between: Array(separator.utf8))
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == parts)
  }

  @Test(
    arguments: [
      (1024, nil, nil), (1025, IngestRule.idTooLong, nil), (1024, .nullCharacter, 0),
      (1024, .nullCharacter, 1023),
      (1025, .idTooLong, 0), (1, .nullCharacter, 0), (1, nil, nil),
    ] as [(Int, IngestRule?, Int?)])
  func `an id has at most 1024 bytes and no null character`(count: Int, rule: IngestRule?, null: Int?) {
    var id = [UInt8](repeating: 97, count: count)
    if let null { id[null] = 0 }
    let found = TextLimits.fault(ofID: id.span)
    #expect(found == rule)
    var word = [UInt8](repeating: 97, count: TextLimits.bytesOfWord)
    let longest = TextLimits.fault(ofWord: word.span)
    word.append(97)
    let longer = TextLimits.fault(ofWord: word.span)
    word.removeLast(2)
    word[0] = 0
    let withNull = TextLimits.fault(ofWord: word.span)
    #expect(longest == nil && longer == .wordTooLong && withNull == .nullCharacter)
  }
}
