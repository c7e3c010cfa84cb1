import Files
import PipelineFile
import Publishing
import ServingStore
import StageFixture
import Text

/// A run with six people. Two are in one cell, one is alone, one is far away, one is deleted, and
/// one has no position.
struct TinyNight {
  static let people = [
    "a,Art,3,53.3001,-6.3001,", "b,Art,,53.3002,-6.3002,", "c,Data,7,53.40,-6.30,", "d,,2,10,10,",
    "e,Art,1,53.3003,-6.3003,true", "f,Data,5,,,",
  ]
  let fixture: StageFixture
  let night: PublishedNight

  var pipeline: Pipeline { fixture.pipeline }

  /// Runs the stages.
  ///
  /// - Parameters:
  ///   - people: Rows of `users.csv`.
  ///   - store: The value of `publish.store`.
  ///   - shown: Further lines of the ranking `near`.
  /// - Throws: The error of the stage that failed.
  init(people: [String] = Self.people, store: String = "sqlite:serving.sqlite", shown: String = "")
    throws
  {
    fixture = try StageFixture(
      yaml: Self.yaml.replacing("STORE", with: store).replacing("    SHOWN\n", with: shown),
      files: [
        "users.csv": (["id,field,experience,lat,lon,deleted"] + people).joined(separator: "\n") + "\n",
        "swipes.csv": "who,whom,at,way\na,b,1,right\nb,a,2,right\na,c,3,left\nc,d,4,right\n",
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    night = try PublishedNight(fixture.pipeline, run: fixture.run)
  }

  /// Publishes the run to every store and returns the reports.
  func publish(force: Bool = false) throws -> [JSONValue] {
    try StoresPublication(night, force: force, threads: 1) { _, _ in }.publish().map(\.report)
  }

  /// Returns the result of `body` for the generation that the first store serves.
  func served(_ body: (any ServedGeneration) throws -> [String]) throws -> [String] {
    let store = try pipeline.storeAddress(nil).open(for: .reading)
    return try pipeline.servedLines(of: store, body)
  }

  private static let yaml = """
    pipeline: tiny
    as_of: newest
    plausible: [1, 9999]
    seed: 7
    privacy: { snap_positions_to: 5 }
    entities:
      users:
        source: { path: users.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes:
          field: { type: category }
          experience: { type: number }
          deleted: { type: flag }
    interactions:
      swipes:
        source: { path: swipes.csv }
        user: who
        candidate: whom
        at: at
        value: { from: way, map: { right: 1, left: -1 } }
    model: { learns_from: swipes, features: [{ number: experience }], compat: createml }
    rankings:
      near:
        users: users
        candidates: users
        within_km: 100
        exclude: [self, deleted]
        order_by: distance
        top: 3
        SHOWN
      matches: { mutual: swipes }
    publish:
      store: STORE
      keep: 2
      guards: { users_drop_at_most: 0.1 }
      attributes: { users: [field, experience] }
      positions: { users: { exclude: [deleted] } }
    """
}
