package import Concurrency
internal import Features
package import Files
internal import Index
internal import Models
package import PipelineFile
internal import Ranking
internal import RunSchemas
internal import Text

/// Evaluates the rankings of a pipeline against the interactions of users after a cut in time.
///
/// The module fits and ranks as of an earlier time with `Models` and `Ranking`. It therefore evaluates the
/// same code that makes the published lists. It does not depend on `ServingStore` or `Publishing`: an
/// evaluation never changes the served lists.
///
/// ```
/// evaluation/metrics.json              every figure, with its users, intervals and definitions
/// evaluation/per_user.csv              a row per ranking, user and method
/// evaluation/scores.csv                a row per later decision, with the score of each method
/// evaluation/trec/<ranking>.<method>.run, <ranking>.qrels
/// ```
package enum EvaluateStage {
  package static let name = "evaluation"

  /// Evaluates all methods on the same users, with models and lists as of the cut.
  ///
  /// The index, the models and the lists of the cut snapshot come from the same code as in a normal run.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - run: The run directory, which contains `snapshot`.
  ///   - previous: The directory of an earlier run whose published lists are also evaluated; `nil` to
  ///     evaluate no published lists.
  ///   - replaces: Whether an existing evaluation is replaced.
  ///   - threads: The number of workers; the result does not depend on it.
  ///   - progress: Names the current part, and counts its users, methods or files.
  ///   - tool: The program's name and version, for the manifest.
  /// - Returns: The manifest of the evaluation. `EvaluationText` prints the results.
  /// - Throws: `NothingToEvaluate` if no ranking can be evaluated; `OtherPipelinesRun` if a run belongs to
  ///   another pipeline; `NotEarlierRun` if `previous` is not earlier than `run`; `FileError` if a file
  ///   cannot be read or written; `MissingLibrary` or `NoMemoryForSolving` if the linear algebra library
  ///   cannot be used; `TooManyColumns` if the pipeline's own model has too many columns;
  ///   `LeastSquaresError`, which indicates a bug.
  package static func run(
    _ pipeline: Pipeline, in run: String, previous: String?, replaces: Bool, threads: Int,
    progress: WorkProgress = WorkProgress(), tool: String
  ) throws -> Manifest {
    let (kind, rankings) = try pipeline.judgeable()
    let snapshot = try Snapshot(
      run + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema), requests: pipeline.requests.map(\.schema),
      holdsEnded: true)
    guard snapshot.manifest.pipeline == pipeline.name else {
      throw OtherPipelinesRun(run, of: snapshot.manifest.pipeline, not: pipeline.name)
    }
    let settings = pipeline.evaluation ?? Pipeline.Evaluation()
    // The earlier run is read first, so that a wrong directory is reported before the whole evaluation runs.
    let before = try previous.map {
      try PreviousRun($0, rankings, kind, snapshot, settings, run: run, pipeline: pipeline)
    }
    try FitStage.prepareToSolve(threads: threads)
    var directory = try StageDirectory(name, in: run, replaces: replaces)
    let work = try WorkDirectory(run + "/.evaluation.work")
    progress.begin(part: "data as of the cut")
    let past = try Past(pipeline, kind, snapshot, settings, in: work.path, tool: tool)

    var documents: [String: JSONValue] = [:]
    var judged: [(RankingEvaluation, CutWorld)] = []
    for ranking in rankings {
      let cut = past.world(for: ranking)
      let methods = try MethodSet(ranking, cut, in: work.path, threads: threads, progress, tool: tool)
      let evaluation = RankingEvaluation(ranking, cut, methods, threads: threads, progress)
      let declared = DeclaredTests(evaluation)
      documents[ranking.name] = evaluation.json(declared, JudgedVerdict(evaluation, declared), progress)
      judged.append((evaluation, cut))
    }
    let document: JSONValue = [
      "version": 1, "pipeline": .string(pipeline.name), "split": past.json,
      "definitions": definitions(of: Metric.all(at: settings.at)),
      "rankings": .object(documents), "previous": before?.json ?? .null,
    ]
    try write(judged, document, Metric.all(at: settings.at), progress, to: &directory)
    try work.remove()
    return try directory.complete(
      Manifest(
        tool: tool, stage: name, pipeline: pipeline.name, configuration: pipeline.configuration,
        asOf: snapshot.manifest.asOf, seed: pipeline.seed, counts: past.json,
        parents: (before?.parents ?? [:]).merging(["snapshot": snapshot.manifest.digest]) { first, _ in first
        }))
  }

  /// Writes all files except the manifest. `progress` counts the files.
  private static func write(
    _ judged: [(RankingEvaluation, CutWorld)], _ document: JSONValue, _ metrics: [Metric],
    _ progress: WorkProgress, to directory: inout StageDirectory
  ) throws(FileError) {
    progress.begin(part: "output")
    progress.begin("files", total: judged.reduce(3) { $0 + $1.0.outcomes.count + 1 })
    for (evaluation, cut) in judged { try writeTrec(evaluation, cut, progress, to: &directory) }
    try directory.write("metrics.json") { (writer) throws(FileError) in try writer.append(document.pretty) }
    progress.add(1)
    try writePerUser(judged, metrics, to: &directory)
    progress.add(1)
    try writeScores(judged, to: &directory)
    progress.add(1)
  }

  private static func writeTrec(
    _ evaluation: RankingEvaluation, _ cut: CutWorld, _ progress: WorkProgress,
    to directory: inout StageDirectory
  ) throws(FileError) {
    let (users, candidates) = (cut.users.ids, cut.candidates.ids)
    let place = "trec/" + evaluation.ranking.name
    for outcome in evaluation.outcomes {
      let text = TrecText.run(
        outcome.lists, tag: outcome.method.rawValue, users: users, candidates: candidates)
      try directory.write("\(place).\(outcome.method.rawValue).run", rows: outcome.lists.candidates.count) {
        (writer) throws(FileError) in try writer.append(text)
      }
      progress.add(1)
    }
    let qrels = TrecText.qrels(
      evaluation.decisions, of: evaluation.finding.users, users: users, candidates: candidates)
    try directory.write(place + ".qrels") { (writer) throws(FileError) in try writer.append(qrels) }
    progress.add(1)
  }

  /// Writes `per_user.csv`: the rows of all rankings, with a column for every slicing that at least one
  /// ranking has.
  private static func writePerUser(
    _ judged: [(RankingEvaluation, CutWorld)], _ metrics: [Metric], to directory: inout StageDirectory
  ) throws(FileError) {
    let slicings = judged.flatMap { $0.0.slicings.map(\.name) }.reduce(into: [] as [String]) { names, name in
      if !names.contains(name) { names.append(name) }
    }
    var text = CSVText()
    text.append(header: PerUserText.header(metrics, slicings: slicings))
    var rows = 0
    for (evaluation, cut) in judged {
      rows += PerUserText(evaluation: evaluation, userIDs: cut.users.ids, slicings: slicings).rows(to: &text)
    }
    let csv = text.bytes
    try directory.write("per_user.csv", rows: rows) { (writer) throws(FileError) in try writer.append(csv) }
  }

  /// Writes `scores.csv`: the rows of all rankings, with a column for every method that at least one ranking
  /// has.
  private static func writeScores(
    _ judged: [(RankingEvaluation, CutWorld)], to directory: inout StageDirectory
  ) throws(FileError) {
    let methods = Method.allCases.filter { method in judged.contains { $0.0.index(of: method) != nil } }
    let texts = judged.map { evaluation, cut in
      ScoresText(
        evaluation: evaluation, userIDs: cut.users.ids, candidateIDs: cut.candidates.ids, methods: methods)
    }
    var header = CSVText()
    header.append(header: ScoresText.header(methods))
    let start = header.bytes
    try directory.write("scores.csv", rows: texts.reduce(0) { $0 + $1.rowCount }) {
      (writer) throws(FileError) in
      try writer.append(start)
      for text in texts {
        try text.forEachPart { (part) throws(FileError) in try writer.append(part.bytes) }
      }
    }
  }

  /// Returns the definition of each metric, including its denominator, by the metric's name.
  private static func definitions(of metrics: [Metric]) -> JSONValue {
    .object(
      Dictionary(
        uniqueKeysWithValues: metrics.map { ($0.name, .string($0.definition)) }
          + definitions.map { ($0.key, .string($0.value)) }))
  }

  private static let definitions = [
    "relevant":
      "a candidate that the user liked after the cut: the user's latest interaction with it is a like",
    "auc":
      "share of pairs of a user's later like and later pass in which the like has the higher score, with ties counted as half; mean over users with both",
    "auc_weighted_mean":
      "mean of AUC over users with a later like and a later pass, weighted by each user's number of later decisions",
    "brier":
      "mean over later decisions of the squared difference between the predicted probability, clamped to [0, 1], and the outcome, 1 for a like and 0 for a pass",
    "slope": "slope of the least-squares line of outcomes on predicted probabilities; 1 means calibrated",
    "coverage": "candidates on at least one list / candidates that the rules allow on at least one list",
    "gini":
      "Gini coefficient of exposure over candidates that the rules allow on at least one list; the exposure of a candidate is the sum of 1 / log2(place + 1) over its places",
    "novelty": "mean over places of -log2((users who decided on the candidate + 1) / (users + 1))",
    "listed_both_ways": "places whose candidate's own list contains the user / all places",
    "interval": "95 %, percentile bootstrap over users",
    "interval_by_cluster": "95 %, percentile bootstrap over clusters of users who share candidates",
    "match_auc":
      "share of pairs of a user's later match and other later decision in which the match has the higher score, with ties counted as half; a decision counts only if the candidate also decided on the user",
    "match_at_1":
      "whether the later decision with the highest score is a match; a decision counts only if the candidate also decided on the user",
    "p_holm":
      "p-value of a two-sided paired t-test, corrected by Holm's method for all tests of this ranking",
    "effect_size": "mean difference / standard deviation of differences (Cohen's d for paired samples)",
  ]
}

/// A hidden directory for temporary files. It is empty at first, and it is removed even if the evaluation
/// fails.
struct WorkDirectory: ~Copyable {
  let path: String

  init(_ path: String) throws(FileError) {
    self.path = path
    try Directories.remove(path)
    try Directories.create(path)
  }

  consuming func remove() throws(FileError) {
    try Directories.remove(path)
  }

  deinit {
    // If the removal fails, only the error that ended the evaluation is reported.
    try? Directories.remove(path)
  }
}
