import Columns
import Files
import PipelineFile
import RunSchemas
import Synchronization
import TestSupport
import Text

@testable import Reports

/// A run directory that contains only the files that a test writes.
struct RunByHand {
  /// The pipeline file. Its reject limit is 20 %, so half of the limit is above the warning
  /// threshold of 5 %.
  var yaml = Self.yaml()
  var asOf = Instant(milliseconds: 1_700_000_000_000)
  var asOfFrom: JSONValue = "newest_interaction"
  var sources: JSONValue = ["swipes": ["read": 100, "kept": 100]]
  var inputs: [FileDigest] = []
  /// The counts of entities from index.
  var entities: JSONValue = [:]
  /// The counts of rank, by list.
  var lists: JSONValue = ["near": Self.list(users: 100, full: 80, empty: 0)]
  /// The counts of fit, or `nil` if the pipeline has no model.
  var models: JSONValue?
  /// The results of an evaluation by ranking, or `nil` if there is no evaluation.
  var judged: JSONValue?
  var split: JSONValue = ["leaks": .array([]), "groups": .array([["cut_ms": 1000]])]
  var record: ReportedRun.RunFacts? = .init(number: 2, started: nil, generations: [])
  let scratch: ScratchDirectory

  /// Creates a run in a directory that exists until the tests end, because a report reads files
  /// when it needs them.
  init() throws {
    let scratch = try ScratchDirectory(untilExit: true)
    self.scratch = scratch
    Self.kept.withLock { $0.append(scratch) }
  }

  private static let kept = Mutex<[ScratchDirectory]>([])

  /// The same pipeline file without attributes of people.
  var withoutAttributes: String {
    yaml.replacing("    attributes: { city: { type: category }, age: { type: number } }\n", with: "")
  }

  static func yaml(rejectLimit: String = "0.2", rankings: [String] = ["near"], more: String = "") -> String {
    """
    pipeline: small
    reject_limit: \(rejectLimit)
    entities:
      people:
        source: { path: people.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { city: { type: category }, age: { type: number } }
    interactions:
      swipes:
        source: { path: swipes.csv }
        user: who
        candidate: whom
        at: at
        value: { from: way, map: { r: 1, l: -1 } }
    rankings:
    \(rankings.map { "  \($0): { users: people, candidates: people, top: 10, order_by: distance, exclude: [self] }" }.joined(separator: "\n"))
    \(more)
    """
  }

  /// Returns the counts of rank for one list.
  static func list(users: Int, full: Int, empty: Int, shortfall: JSONValue = [:]) -> JSONValue {
    [
      "users": [
        "total": .integer(users), "full_lists": .integer(full), "empty_lists": .integer(empty),
        "shortfall": shortfall,
      ],
      "candidates": [
        "counted_users": .integer(users), "pairs": 200, "out_of_reach": 20, "excluded": ["self": 100],
        "not_above_minimum": 5, "beyond_top": 25, "listed": 50,
      ],
    ]
  }

  /// Reads the run as a report does.
  func run() throws -> ReportedRun {
    let pipeline = try Pipeline(yaml: yaml, file: "small.yaml")
    func manifest(_ stage: String, _ counts: JSONValue, inputs: [FileDigest] = []) throws {
      let manifest = Manifest(
        tool: "nightjar 0", stage: stage, pipeline: pipeline.name, configuration: pipeline.configuration,
        asOf: asOf, seed: 0, inputs: inputs, counts: counts)
      try scratch.write(manifest.json, to: stage + "/manifest.json")
    }
    try manifest("snapshot", ["sources": sources, "as_of_from": asOfFrom], inputs: inputs)
    try manifest("index", ["entities": entities])
    try manifest("rankings", ["lists": lists])
    if let models { try manifest("models", models) }
    if let judged {
      let metrics: JSONValue = ["rankings": judged, "split": split, "definitions": [:]]
      try scratch.write(metrics.pretty, to: "evaluation/metrics.json")
    }
    return try ReportedRun(scratch.path, record: record)
  }

  /// Writes the category `city` for all people. The arguments are the number of people per word.
  func writeCities(_ cities: [(word: String?, people: Int)]) throws {
    let vocabulary = cities.compactMap(\.word)
    let codes = cities.flatMap { city in
      Array(
        repeating: city.word.flatMap { vocabulary.firstIndex(of: $0) }.map { UInt32($0) }
          ?? CategoryColumn.missing, count: city.people)
    }
    var directory = try StageDirectory("attributes", in: scratch("snapshot/entities/people"))
    try CategoryColumn.write(codes, in: vocabulary.map { Array($0.utf8) }, to: "city", in: &directory)
    try complete(directory)
  }
}

extension RunByHand {
  /// Writes the positions and the category `city` of all people.
  func writePeople(_ people: [(city: String?, latitude: Double, longitude: Double)]) throws {
    let words = Set(people.compactMap(\.city)).sorted()
    let codes = people.map { person in
      person.city.flatMap { words.firstIndex(of: $0) }.map { UInt32($0) } ?? CategoryColumn.missing
    }
    var directory = try StageDirectory("people", in: scratch("snapshot/entities"))
    try Column.write(people.map(\.latitude), to: "latitude.npy", in: &directory)
    try Column.write(people.map(\.longitude), to: "longitude.npy", in: &directory)
    try CategoryColumn.write(
      codes, in: words.map { Array($0.utf8) }, to: "attributes/city", in: &directory)
    try complete(directory)
  }

  /// Writes the times of swipes in milliseconds.
  func writeTimes(_ times: [Int64]) throws {
    var directory = try StageDirectory("swipes", in: scratch("snapshot/interactions"))
    try Column.write(times, to: "at.npy", in: &directory)
    try complete(directory)
  }

  private func complete(_ directory: consuming StageDirectory) throws {
    _ = try directory.complete(
      Manifest(
        tool: "", stage: "", pipeline: "", configuration: .null, asOf: asOf, seed: 0, counts: [:]))
  }
}

/// The results of an evaluation in the form of `metrics.json`.
enum Found {
  static func estimate(
    _ mean: Double?, users: Int = 50, _ interval: ClosedRange<Double>? = nil,
    byCluster: ClosedRange<Double>? = nil
  ) -> JSONValue {
    var values: [String: JSONValue] = [
      "users": .integer(users), "mean": mean.map { .number($0) } ?? .null,
      "interval": Self.interval(interval),
    ]
    if let byCluster { values["interval_by_cluster"] = Self.interval(byCluster) }
    return .object(values)
  }

  private static func interval(_ interval: ClosedRange<Double>?) -> JSONValue {
    interval.map { .array([.number($0.lowerBound), .number($0.upperBound)]) } ?? .null
  }

  static func test(
    _ method: String, _ metric: String, difference: Double, p: Double, users: Int = 50,
    byCluster: ClosedRange<Double>? = nil
  ) -> JSONValue {
    [
      "method": .string(method), "metric": .string(metric), "difference": .number(difference),
      "p_holm": .number(p), "users": .integer(users), "effect_size": .number(0.5),
      "interval_by_cluster": Self.interval(byCluster),
    ]
  }

  /// Returns an evaluated ranking with two methods: the order of the pipeline and a random order.
  static func ranking(
    area: JSONValue = estimate(0.7, 0.65...0.74), gain: JSONValue = estimate(0.3, 0.25...0.34),
    otherArea: JSONValue = estimate(0.5, 0.45...0.54), otherGain: JSONValue = estimate(0.1, 0.05...0.14),
    areaDifference: JSONValue = estimate(0.2, 0.1...0.3),
    gainDifference: JSONValue = estimate(0.2, 0.1...0.3),
    verdict: String = "useful", clusters: JSONValue = .null,
    tests: [JSONValue] = [
      test("random", "ndcg@10", difference: 0.2, p: 0.001),
      test("random", "auc", difference: 0.2, p: 0.001),
    ], lists: JSONValue = [:], calibration: JSONValue = .null, more: [String: JSONValue] = [:]
  ) -> JSONValue {
    let figures: JSONValue = [
      "verdict": .string(verdict), "clusters": clusters, "tests": .array(tests),
      "method_order": .array(["pipeline", "random"]),
      "methods": [
        "pipeline": [
          "title": "the pipeline's own ranking", "finding": ["ndcg@10": gain, "ndcg@3": gain],
          "ordering": ["auc": area], "lists": lists, "calibration": calibration,
        ],
        "random": [
          "title": "random order", "finding": ["ndcg@10": otherGain, "ndcg@3": otherGain],
          "ordering": ["auc": otherArea], "lists": lists, "calibration": .null,
        ],
      ],
      "differences": ["random": ["ndcg@10": gainDifference, "auc": areaDifference]],
    ]
    return .object(figures.members.merging(more) { _, new in new })
  }

  static func judged(_ figures: JSONValue, name: String = "near") -> JudgedRanking {
    JudgedRanking(name: name, figures: figures)
  }
}

extension Words {
  /// The visible text with plain spaces and minus signs. Emphasized text is between asterisks.
  var shown: String {
    let text = plain.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
      .replacing("\u{2212}", with: "-")
    return isStrong ? "*\(text)*" : text
  }
}

extension Table.Cell {
  var shown: String { below.isEmpty ? words.shown : "\(words.shown) (\(below.shown))" }
}

extension Table {
  /// One line per row.
  var shown: [String] { rows.map { $0.map(\.shown).joined(separator: " | ") } }
}

extension Block {
  /// A line per paragraph and row.
  var shown: [String] {
    switch self {
    case .paragraph(let words), .heading(let words), .note(let words): [words.shown]
    case .list(let items): items.map(\.shown)
    case .table(let table): [table.caption.shown] + table.shown
    case .figure(let figure): [figure.title.shown] + figure.table.shown
    case .details(_, let blocks): blocks.flatMap(\.shown)
    case .definitions(let items): items.map { "\($0.term.shown): \($0.meaning.shown)" }
    }
  }
}

extension Section {
  var shown: [String] { blocks.flatMap(\.shown) }
}
