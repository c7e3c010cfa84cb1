internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas
package import Text

/// The differences between two runs in settings, stage counts, quality and lists. The differences contain no
/// ids.
package struct RunDifference: Sendable {
  /// A setting or a figure that differs.
  package struct Change: Hashable, Sendable {
    /// The part of the run: `settings`, the name of a stage, or `lists` in the CSV output.
    package var part: String
    /// The path of the value in the pipeline file or in the counts of the stage's manifest. A path in the
    /// counts omits keys that only group other keys, such as `sources`. The path of a figure of the
    /// evaluation is `<ranking>.<metric>`.
    package var figure: String
    /// The value in the first run; `nil` if that run has no such value.
    package var before: JSONValue?
    /// The value in the second run; `nil` if that run has no such value.
    package var after: JSONValue?

    init(_ part: String, _ figure: String, _ before: JSONValue?, _ after: JSONValue?) {
      (self.part, self.figure, self.before, self.after) = (part, figure, before, after)
    }
  }

  /// The change of the lists of a ranking.
  package struct ListChange: Hashable, Sendable {
    package var ranking: String
    /// The numbers of users with a non-empty list.
    package var users: Users
    /// The mean rank-biased overlap of a user's two lists, from 0 to 1, over the users with a non-empty list
    /// in both runs; `nil` if there are no such users.
    package var overlap: Double?

    /// The numbers of users whose list is non-empty in both runs, only in the first run (`lost`), and only in
    /// the second run (`gained`).
    package struct Users: Hashable, Sendable {
      package var both = 0
      package var lost = 0
      package var gained = 0
    }
  }

  /// A ranking whose lists are not compared: only one of the runs has its lists, or it has other users or
  /// candidates.
  package struct UncomparedList: Hashable, Sendable {
    package var ranking: String
    /// The candidates and users of the ranking in the first run, such as `jobs for workers`; `nil` if that
    /// run has no lists of this ranking.
    package var before: String?
    /// The same in the second run.
    package var after: String?
  }

  /// The pipeline, the directory name and the as-of time of each run, for a heading.
  package let titles: (before: String, after: String)
  package let changes: [Change]
  package let lists: [ListChange]
  /// The rankings that are not in `lists`, in the order of the pipeline files.
  package let uncompared: [UncomparedList]

  /// Compares the runs in two directories.
  ///
  /// - Parameters:
  ///   - before: The directory of the first run.
  ///   - after: The directory of the second run.
  /// - Throws: `FileError` if a run lacks its snapshot or one of its lists, or is damaged;
  ///   `PipelineFileError` if this version of the program does not support a run's pipeline file.
  package init(from before: String, to after: String) throws {
    let runs = (try ComparedRun(before), try ComparedRun(after))
    titles = (runs.0.title, runs.1.title)
    let settings = SettingDifference.all(runs.0.snapshot.configuration, runs.1.snapshot.configuration)
    let names = Set(runs.0.figures.keys).union(runs.1.figures.keys)
    changes =
      settings.map {
        Change("settings", $0.name, $0.one.map { .string($0) }, $0.other.map { .string($0) })
      }
      + names.sorted().filter { runs.0.figures[$0] != runs.1.figures[$0] }
      .map { Change($0.stage.rawValue, $0.path, runs.0.figures[$0], runs.1.figures[$0]) }
    let (first, second) = (runs.0.rankings, runs.1.rankings)
    func entities(_ name: String, in rankings: [Pipeline.Ranking]) -> String? {
      rankings.first { $0.name == name }.map { "\($0.candidates) for \($0.users)" }
    }
    lists = try first.filter { entities($0.name, in: first) == entities($0.name, in: second) }
      .map { try Self.change($0, before, after) }
    let onlySecond = second.map(\.name).filter { entities($0, in: first) == nil }
    uncompared = (first.map(\.name) + onlySecond).compactMap { name in
      let list = UncomparedList(
        ranking: name, before: entities(name, in: first), after: entities(name, in: second))
      return list.before == list.after ? nil : list
    }
  }

  private static func change(_ ranking: Pipeline.Ranking, _ before: String, _ after: String) throws
    -> ListChange
  {
    func ids(_ run: String, _ entity: String) throws -> StringColumn {
      try StringColumn("\(run)/snapshot/entities/\(entity)/id")
    }
    let users = (try ids(before, ranking.users), try ids(after, ranking.users))
    let candidates = try ids(after, ranking.candidates)
    // The candidates of both runs become row numbers of the second run. A candidate therefore has the same
    // number in both lists.
    let first = try PublishedLists(ranking.name, in: before, users: users.0, candidates: candidates).lists
    let second = try PublishedLists(ranking.name, in: after, users: users.1, candidates: candidates).lists
    var change = ListChange(ranking: ranking.name, users: .init())
    var overlaps = 0.0
    var isCompared = [Bool](repeating: false, count: users.1.count)
    for (row, list) in first.enumerated() where !list.isEmpty {
      guard let place = users.1.row(of: Array(copying: users.0.bytes(row))), !second[place].isEmpty else {
        change.users.lost += 1
        continue
      }
      isCompared[place] = true
      change.users.both += 1
      overlaps += rankBiasedOverlap(list.distinctCandidates, second[place].distinctCandidates)
    }
    change.users.gained = second.indices.count { !second[$0].isEmpty && !isCompared[$0] }
    change.overlap = change.users.both == 0 ? nil : overlaps / Double(change.users.both)
    return change
  }
}

/// The figures of one run.
private struct ComparedRun {
  struct Name: Hashable, Comparable {
    var stage: Stage
    var path: String

    static func < (left: Name, right: Name) -> Bool {
      let places = [left, right].map { Stage.allCases.firstIndex(of: $0.stage) ?? 0 }
      return (places[0], left.path) < (places[1], right.path)
    }
  }

  let snapshot: Manifest
  let title: String
  let rankings: [Pipeline.Ranking]
  /// The counts of ingest, index, fit and rank, and the means of the evaluation.
  private(set) var figures: [Name: JSONValue] = [:]

  init(_ directory: String) throws {
    snapshot = try Manifest(of: directory + "/" + Stage.ingest.directory)
    let name = Directories.resolved(directory).split(separator: "/").last.map(String.init) ?? directory
    title = "\(snapshot.pipeline), run \(name), as of \(snapshot.asOf)"
    let pipeline = try Pipeline(of: snapshot, file: directory + "/snapshot/manifest.json")
    rankings = Directories.exists("\(directory)/\(Stage.rank.directory)") ? pipeline.rankings : []
    for stage in [Stage.ingest, .index, .fit, .rank]
    where Directories.exists("\(directory)/\(stage.directory)") {
      var counts = try Manifest(of: "\(directory)/\(stage.directory)").counts.members
      // With one named model and no unnamed model, the total repeats the count of the named model, so the
      // total is omitted.
      if stage == .fit, counts["by_name"]?.members.count == 1, counts["method"] == nil {
        counts["models"] = nil
      }
      add(.object(counts), stage)
    }
    for ranking in try RunQuality(of: directory)?.rankings ?? [] {
      for figure in ranking.figures {
        figures[Name(stage: .evaluate, path: "\(ranking.name).\(figure.metric.lowercased())")] = .number(
          figure.mean)
      }
    }
  }

  /// Adds the whole numbers in `counts` to `figures`. Other numbers describe settings or models, so they are
  /// skipped.
  private mutating func add(_ counts: JSONValue, _ stage: Stage, _ path: [String] = [], depth: Int = 0) {
    for (key, value) in counts.members where !Self.ignored.contains(key) {
      let isGroup = depth == 0 ? Self.groups.contains(key) : stage == .rank && key == "users"
      let name = isGroup ? path : path + [key]
      if case .integer = value {
        figures[Name(stage: stage, path: name.joined(separator: "."))] = value
      } else {
        add(value, stage, name, depth: depth + 1)
      }
    }
  }

  /// The keys to skip. `newest` contains the times of the newest rows, which change in every run.
  /// `candidates` contains counts of pairs, which change with the numbers of users and candidates.
  private static let ignored: Set = ["newest", "candidates"]
  /// Keys that only group other keys. Paths omit them.
  private static let groups: Set = ["sources", "entities", "by_name", "lists"]
}

extension RunDifference {
  /// Formats the differences as text, as one JSON object, or as comma-separated values of settings and
  /// figures.
  ///
  /// - Parameter format: The output format.
  /// - Returns: The lines of the output. The JSON object is a single element.
  package func lines(_ format: ResultFormat) -> [String] {
    switch format {
    case .json: return [String(decoding: json.pretty, as: UTF8.self)]
    case .csv:
      var text = CSVText()
      text.append(header: ["part", "figure", "before", "after"])
      for change in changes + lists.flatMap(\.changes) + uncompared.map(\.change) {
        text.append(plain: change.part)
        for field in [change.figure, Self.text(change.before), Self.text(change.after)] {
          text.append(text: field)
        }
        text.endRow()
      }
      return text.rows
    case .text(let width):
      return ["from  \(titles.before)", "to    \(titles.after)", ""] + table(width) + [""] + listTable(width)
    }
  }

  private func table(_ width: Int?) -> [String] {
    if changes.isEmpty { return ["Both runs have the same settings, counts and quality."] }
    var table = TextTable(
      [.left, .left, .right, .right], header: ["part", "figure", "before", "after", "change"],
      cutsTexts: false)
    for change in changes {
      let (before, after) = (change.before, change.after)
      var difference: [String] = []
      if case .integer(let first)? = before, case .integer(let second)? = after {
        difference = [(second > first ? "+" : "") + (second - first).grouped]
      } else if case .number(let first)? = before, case .number(let second)? = after {
        difference = [(second > first ? "+" : "") + (second - first).fixed(3)]
      }
      table.append([change.part, change.figure, Self.shown(before), Self.shown(after)], difference)
    }
    return table.lines(indent: 0, width: width)
  }

  private func listTable(_ width: Int?) -> [String] {
    let others = uncompared.map(\.sentence)
    if lists.isEmpty { return ["The runs have no lists in common."] + others }
    var table = TextTable(
      [.left, .right, .right, .right], header: ["list", "users in both", "lost", "gained", "overlap"])
    for list in lists {
      let users = [list.users.both, list.users.lost, list.users.gained]
      table.append([list.ranking] + users.map(\.grouped), [list.overlap?.fixed(3) ?? "-"])
    }
    return table.lines(indent: 0, width: width) + others
  }

  private static func shown(_ value: JSONValue?) -> String {
    switch value {
    case .integer(let number)?: number.grouped
    case .number(let number)?: number.fixed(3)
    default: value == nil ? "-" : text(value)
    }
  }

  private static func text(_ value: JSONValue?) -> String {
    switch value {
    case .integer(let number)?: String(number)
    case .number(let number)?: "\(number)"
    default: value?.stringValue ?? ""
    }
  }

  private var json: JSONValue {
    .object([
      "before": .string(titles.before), "after": .string(titles.after),
      "changes": .array(
        changes.map { change in
          .object([
            "part": .string(change.part), "figure": .string(change.figure),
            "before": change.before ?? .null, "after": change.after ?? .null,
          ])
        }),
      "lists": .array(
        lists.map { list in
          .object([
            "list": .string(list.ranking), "users_in_both": .integer(list.users.both),
            "users_lost": .integer(list.users.lost), "users_gained": .integer(list.users.gained),
            "overlap": list.overlap.map { .number($0) } ?? .null,
          ])
        }),
      "lists_not_compared": .array(uncompared.map(\.json)),
    ])
  }
}

extension RunDifference.ListChange {
  /// The rows of the CSV output for this ranking. Each figure compares both runs, so it is in the column
  /// `after`, and the column `before` is empty.
  fileprivate var changes: [RunDifference.Change] {
    [
      ("users_in_both", .integer(users.both)), ("users_lost", .integer(users.lost)),
      ("users_gained", .integer(users.gained)), ("overlap", overlap.map { .number($0) }),
    ].map { RunDifference.Change("lists", "\(ranking).\($0.0)", nil, $0.1) }
  }
}

extension RunDifference.UncomparedList {
  /// The row of the CSV output. Its columns `before` and `after` contain the candidates and users.
  fileprivate var change: RunDifference.Change {
    RunDifference.Change("lists", ranking, before.map { .string($0) }, after.map { .string($0) })
  }

  fileprivate var json: JSONValue {
    .object([
      "list": .string(ranking), "before": before.map { .string($0) } ?? .null,
      "after": after.map { .string($0) } ?? .null,
    ])
  }

  /// The reason why the lists are not compared.
  fileprivate var sentence: String {
    switch (before, after) {
    case (let before?, let after?):
      "The lists of '\(ranking)' are not compared: they changed from \(before) to \(after)."
    case (_, nil): "The lists of '\(ranking)' are not compared: only the first run has them."
    case (nil, _): "The lists of '\(ranking)' are not compared: only the second run has them."
    }
  }
}
