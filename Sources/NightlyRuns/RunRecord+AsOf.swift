internal import Files
internal import Ingest
internal import PipelineFile
internal import RunSchemas
internal import Text

extension RunRecord {
  /// Records the as-of time of a run that began at `clock` under `rule`. Under `newest`, ingest determines
  /// the as-of time.
  mutating func set(_ rule: Pipeline.AsOf, clock: Instant) {
    switch rule {
    case .moment(let given): (asOf, asOfFrom) = (given, AsOf.Origin.given.rawValue)
    case .clock: (asOf, asOfFrom) = (clock, AsOf.Origin.clock.rawValue)
    case .newest: (asOf, asOfFrom) = (nil, Self.newest)
    }
  }

  /// Records the as-of time of the snapshot in the run directory `directory`.
  mutating func takeAsOf(of directory: String) throws(FileError) {
    let snapshot = try Manifest(of: directory + "/" + Stage.ingest.directory)
    (asOf, asOfFrom) = (snapshot.asOf, snapshot.counts["as_of_from"]?.stringValue)
  }

  /// The arguments that pass the as-of time to the ingest stage. If the as-of time comes from the clock, it
  /// is the time at which the run first began, even after a resumption.
  var asOfArguments: [String] {
    switch asOfFrom {
    case AsOf.Origin.given.rawValue: ["--as-of", asOf?.description ?? "", "--now", started]
    case AsOf.Origin.clock.rawValue: ["--as-of", "clock", "--now", asOf?.description ?? started]
    default: ["--as-of", "newest", "--now", started]
    }
  }

  private static let newest = "newest"
}
