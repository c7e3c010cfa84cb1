internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas
package import Text

/// The differences between two runs: settings, counts of each stage, quality, and lists. It contains no ids.
package struct RunDifference: Sendable {
  /// A setting or a figure that differs.
  package struct Change: Hashable, Sendable {
    /// `settings`, or the name of the stage.
    package var part: String
    /// The path of the value in the pipeline file, or in the counts of the stage's manifest. A path in the
    /// counts omits the names of groups.
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
    /// The numbers of users with a non-empty list: in both runs, only in the first run, and only in the
    /// second run.
    package var users: Users
    /// The mean rank-biased overlap of a user's two lists, over the users with a list in both runs; `nil`
    /// without such users.
    package var overlap: Double?

    /// Numbers of users with a non-empty list.
    package struct Users: Hashable, Sendable {
      package var both = 0
      package var lost = 0
      package var gained = 0
    }
  }

  /// The pipelines and as-of times of both runs, for a heading.
  package let titles: (before: String, after: String)
  package let changes: [Change]
  package let lists: [ListChange]

  /// Compares the runs in two directories.
  ///
  /// - Parameters:
  ///   - before: The run directory with the earlier values.
  ///   - after: The run directory with the later values.
  /// - Throws: `FileError` if a run lacks its snapshot or one of its lists, or is damaged;
  ///   `PipelineFileError` if the program cannot read the version of a run's pipeline file.
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
    lists = try runs.0.rankings.filter { ranking in
      runs.1.rankings.contains { ($0.name, $0.users) == (ranking.name, ranking.users) }
    }.map { try Self.change($0, before, after) }
  }

  private static func change(_ ranking: Pipeline.Ranking, _ before: String, _ after: String) throws
    -> ListChange
  {
    func ids(_ run: String, _ entity: String) throws -> StringColumn {
      try StringColumn("\(run)/snapshot/entities/\(entity)/id")
    }
    let users = (try ids(before, ranking.users), try ids(after, ranking.users))
    let candidates = try ids(after, ranking.candidates)
    // All candidates are rows of the later run, so that equal candidates have equal numbers.
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
  /// The counts of all stages, and the means of the evaluation.
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
      // With a single named model and no other, the total equals the count of that model, so it is omitted.
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

  /// Adds only the whole numbers in `counts`, because other numbers describe settings or models.
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

  /// The omitted members: times of rows, which change in every run, and numbers of pairs, which depend on the
  /// numbers of people.
  private static let ignored: Set = ["newest", "candidates"]
  /// Members that only group other members. Paths omit their names.
  private static let groups: Set = ["sources", "entities", "by_name", "lists"]
}

extension RunDifference {
  /// The differences as text, as one JSON object, or as comma-separated values of settings and figures.
  ///
  /// - Parameter format: The format.
  /// - Returns: The lines.
  package func lines(_ format: ResultFormat) -> [String] {
    switch format {
    case .json: return [String(decoding: json.pretty, as: UTF8.self)]
    case .csv:
      var text = CSVText()
      text.append(header: ["part", "figure", "before", "after"])
      for change in changes + lists.flatMap(\.changes) {
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
    if changes.isEmpty { return ["Settings, counts and quality are the same."] }
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
    if lists.isEmpty { return ["The runs have no lists in common."] }
    var table = TextTable(
      [.left, .right, .right, .right], header: ["list", "users in both", "lost", "gained", "overlap"])
    for list in lists {
      let users = [list.users.both, list.users.lost, list.users.gained]
      table.append([list.ranking] + users.map(\.grouped), [list.overlap?.fixed(3) ?? "-"])
    }
    return table.lines(indent: 0, width: width)
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
    ])
  }
}

extension RunDifference.ListChange {
  /// The rows for the figures of this `ListChange`. Each figure is in the column of the later value.
  fileprivate var changes: [RunDifference.Change] {
    [
      ("users_in_both", .integer(users.both)), ("users_lost", .integer(users.lost)),
      ("users_gained", .integer(users.gained)), ("overlap", overlap.map { .number($0) }),
    ].map { RunDifference.Change("lists", "\(ranking).\($0.0)", nil, $0.1) }
  }
}
