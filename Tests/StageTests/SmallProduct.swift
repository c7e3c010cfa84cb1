import Foundation
import Glibc
import TestSupport

/// A product of eight people in its own directory. Tests may change its files.
final class SmallProduct: Sendable {
  let directory: ScratchDirectory

  var pipelineFile: String { directory("small.yaml") }
  var work: String { directory("var") }

  init() throws {
    directory = try ScratchDirectory()
    try directory.write(Self.pipeline, to: "small.yaml")
    try directory.write(Self.people, to: "people.csv")
    try directory.write(Self.swipes, to: "swipes.csv")
  }

  /// The path of run `number`.
  func run(_ number: Int) -> String { "\(work)/small/runs/\(number)" }

  /// Replaces the only occurrence of `text` in the file `name`.
  func replace(_ text: String, by other: String, in name: String = "small.yaml") throws {
    let content = try String(contentsOfFile: directory(name), encoding: .utf8)
    let parts = content.components(separatedBy: text)
    precondition(parts.count == 2, "'\(text)' occurs \(parts.count - 1) times in \(name)")
    try directory.write(parts.joined(separator: other), to: name)
  }

  /// Arguments that read the swipes from standard input.
  static let swipesFromInput = [
    "--set", "interactions.swipes.source.path=\"-\"", "--set", "interactions.swipes.source.format=csv",
  ]

  /// Returns a pipe for standard input without content and without an end. Ingest waits until it is
  /// killed.
  func endlessPipe() throws -> (path: String, writer: FileHandle) {
    let path = directory("endless")
    let made = mkfifo(path, 0o600)
    precondition(made == 0, "cannot create a pipe at \(path)")
    // The pipe is opened for reading and writing, so neither this process nor the child waits for
    // the other end.
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    return (path, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
  }

  /// Runs `nightjar run` for this product.
  func run(_ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", ["run", pipelineFile, "--work", work] + arguments)
  }

  static let pipeline = """
    pipeline: small
    seed: 7
    privacy: { snap_positions_to: 6 }
    reject_limit: 10 %
    entities:
      people:
        source: { path: people.csv }
        id: id
        updated: changed
        position: { latitude: lat, longitude: lon }
        attributes:
          field: { type: category }
          years: { type: number }
          gone: { type: flag }
    interactions:
      swipes:
        source: { path: swipes.csv }
        user: from
        candidate: to
        at: at
        value: { from: answer, map: { right: 1, left: -1 } }
    model:
      learns_from: swipes
      features:
        - category: field
        - position
        - number: years
      compat: createml
    rankings:
      partners:
        users: people
        candidates: people
        within_km: 50
        exclude: [self, interacted, vetoed, gone]
        order_by: score
        minimum_score: 0
        top: 10
      matches: { mutual: swipes }
    publish:
      store: "sqlite:serving.sqlite"
      keep: 3
      attributes: { people: [field] }
    as_of: newest

    """

  /// Ids and positions that occur nowhere else, so a test can find them in a message.
  static let ids = ["adaXQ", "benXQ", "cleoXQ", "dinaXQ", "emilXQ", "fritzXQ", "gretaXQ", "hugoXQ"]

  /// Returns the ids and the starts of coordinates that occur in `text`. A message must contain
  /// none.
  ///
  /// Times and durations are ignored, because a number of seconds can look like a longitude.
  static func secrets(in text: String) -> [String] {
    let reported = text.replacing(/\d{4}-\d\d-\d\dT[0-9:.]+Z|\d+\.\d+ s\b/, with: "")
    return (ids + ["52.4", "52.5", "13.3", "13.4"]).filter { reported.contains($0) }
  }

  static let people = """
    id,field,lat,lon,years,gone,changed
    adaXQ,Technology,52.51231,13.38761,12,false,2024-01-01T00:00:00Z
    benXQ,Finance,52.52342,13.39872,3,false,2024-01-01T00:00:00Z
    cleoXQ,Technology,52.53453,13.40983,,false,2024-01-01T00:00:00Z
    dinaXQ,Media,52.54564,13.41094,7,false,2024-01-01T00:00:00Z
    emilXQ,Finance,52.50675,13.42105,20,true,2024-01-01T00:00:00Z
    fritzXQ,,52.49786,13.43216,1,false,2024-01-01T00:00:00Z
    gretaXQ,Media,,,5,false,2024-01-01T00:00:00Z
    hugoXQ,Technology,52.48897,13.44327,9,false,2024-01-01T00:00:00Z

    """
  static let swipes = """
    from,to,answer,at
    adaXQ,benXQ,right,2024-03-01T10:00:00Z
    adaXQ,cleoXQ,left,2024-03-01T10:01:00Z
    benXQ,adaXQ,right,2024-03-01T11:00:00Z
    benXQ,dinaXQ,right,2024-03-02T10:00:00Z
    cleoXQ,adaXQ,right,2024-03-02T11:00:00Z
    dinaXQ,benXQ,left,2024-03-03T10:00:00Z
    dinaXQ,hugoXQ,right,2024-03-03T11:00:00Z
    fritzXQ,adaXQ,right,2024-03-04T10:00:00Z
    fritzXQ,dinaXQ,right,2024-03-04T11:00:00Z
    gretaXQ,adaXQ,right,2024-03-05T10:00:00Z
    hugoXQ,dinaXQ,right,2024-03-05T11:00:00Z
    hugoXQ,fritzXQ,left,2024-03-06T10:00:00Z

    """
}
