import Concurrency
import Foundation
import PipelineFile
import TestSupport

@testable import Ingest

/// People who check in, and rows that belong to these people.
enum CheckInNight {
  /// Returns a pipeline file over CSV exports. `expiry` is a line in the section of the check-ins.
  static func yaml(expiry: String = "", people: String = "", limit: String = "1") -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    later_limit: 1
    reject_limit: \(limit)
    privacy: { snap_positions_to: 12 }
    entities:
      people:
        source: { path: people.csv }
        id: id
        created: created
        attributes: { name: { type: text, required: true } }
    \(people)
      notes:
        source: { path: notes.csv }
        id: id
        created: created
        owner: { from: by, entity: people }
    check_ins:
      visits:
        source: { path: visits.csv }
        id: id
        user: { from: who, entity: people }
        at: at
        position: { latitude: lat, longitude: lon }
    \(expiry)
        attributes:
          place: { type: text, required: true }
          mood: { type: category }
    """
  }

  static func files(people: String, visits: String = "", notes: String = "") -> [String: String] {
    [
      "people.csv": "id,created,name\n" + people, "visits.csv": "id,who,at,lat,lon,place,mood\n" + visits,
      "notes.csv": "id,created,by\n" + notes,
    ]
  }
}

/// A row of the export of visits.
struct Visit {
  var id: String
  var who: String
  var at: Int64
  var latitude: Int
  var place: String
  var mood: String

  var line: String { "\(id),\(who),\(at),\(latitude),7,\(place),\(mood)\n" }

  /// Returns `count` visits of ten people and one unknown id. Many have equal times, some are later
  /// than 1000, and some have no place.
  static func random(_ count: Int, seed: UInt64) -> [Visit] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { index in
      Visit(
        id: "v\(Int.random(in: 0..<1000, using: &random))-\(index)",
        who: Bool.random(using: &random) ? "p\(Int.random(in: 0..<11, using: &random))" : "p3",
        at: Int64.random(in: 1...60, using: &random) * 20, latitude: Int.random(in: -80...80, using: &random),
        place: Int.random(in: 0..<12, using: &random) == 0 ? "" : "place \(index)",
        mood: ["", "gay", "grey"].randomElement(using: &random) ?? "")
    }
  }
}
