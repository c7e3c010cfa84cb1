import Files
import PipelineFile
import Publishing
import StageFixture
import Text

/// A run with two lists, matches and a catalog. The candidates of one list are not people. There are three
/// people, and two of them share a cell. They have two published categories and a computed number.
struct ParksNight {
  let fixture: StageFixture
  let night: PublishedNight

  var pipeline: Pipeline { fixture.pipeline }

  init() throws {
    fixture = try StageFixture(
      yaml: Self.yaml,
      files: [
        "users.csv": """
        id,field,level,experience,lat,lon
        a,Art,high,3,53.3001,-6.3001
        b,Art,low,4,53.3002,-6.3002
        c,Data,low,7,53.40,-6.30

        """,
        "dogs.csv": "id,lat,lon,at,county\nx,53.3,-6.3,1,Mayo\ny,53.3,-6.3,2,Mayo\nz,53.3,-6.3,3,Cork\n",
        "swipes.csv": "who,whom,at,way\na,b,1,right\nb,a,2,right\na,c,3,left\nc,a,4,right\n",
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    night = try PublishedNight(fixture.pipeline, run: fixture.run)
  }

  /// Publishes the run to the store and returns the report.
  func publish() throws -> JSONValue? {
    try StoresPublication(night, force: false, threads: 1) { _, _ in }.publish().first?.report
  }

  /// Changes the manifest of a stage. The manifests of later stages still name the former digest.
  func edit(_ stage: String, _ change: (inout Manifest) -> Void) throws {
    let directory = fixture.run + "/" + stage
    var manifest = try Manifest(of: directory)
    change(&manifest)
    try Directories.replace(directory + "/manifest.json", with: manifest.json)
  }

  /// Records in a later stage that it was made from the current snapshot.
  func adopt(_ stage: String) throws {
    let digest = try Manifest(of: fixture.run + "/snapshot").digest
    try edit(stage) { $0.parents["snapshot"] = digest }
  }

  private static let yaml = """
    pipeline: parks
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
          level: { type: category }
          experience: { type: number }
      dogs:
        source: { path: dogs.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        created: at
        attributes: { county: { type: category } }
    interactions:
      swipes:
        source: { path: swipes.csv }
        user: { from: who, entity: users }
        candidate: { from: whom, entity: users }
        at: at
        value: { from: way, map: { right: 1, left: -1 } }
    computed: { users: { fans: { count_of: swipes } } }
    model: { learns_from: swipes, features: [{ number: experience }], compat: createml }
    rankings:
      near: { users: users, candidates: users, within_km: 100, exclude: [self], order_by: distance, top: 3 }
      walks: { users: users, candidates: dogs, within_km: 100, order_by: distance, top: 3 }
      kinds: { catalog: dogs, by: county, order_by: newest }
      matches: { mutual: swipes }
    publish:
      store: "sqlite:serving.sqlite"
      attributes: { users: [field, level, fans] }
      positions: { users: {} }
    """
}
