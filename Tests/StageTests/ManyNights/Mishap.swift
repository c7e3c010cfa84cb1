import Foundation
import TestSupport

/// A mishap before or during one night, and the required end of the run.
enum Mishap: CaseIterable {
  /// A night without a mishap.
  case none
  // These exports must not be served.
  case emptyPeople, headlessPeople, halfPeople, emptySwipes, halfSwipes, cutSwipes, staleSwipes,
    swipesInSeconds, noMarker, manyAccountsDangle
  // The same faults in other formats.
  case pageNotFollowed, errorInsteadOfRecords, misspelledCollection, fewerThanCounted, cutDocument,
    backupBeside,
    otherNumberOfRows
  case clockOfLastYear, clockOfNextYear
  // Single accounts or a few rows may do this without ending the run.
  case swipesOnOneself, hugeNumber, longID, nullCharacter, brokenRow, swipesFromTheFuture,
    busyAccountLeaves
  // Faults of the machine.
  case killed, damagedRun, lostStore, oldStore, changedStore
  // Actions of operators.
  case erasure, unchangedExports

  /// The exit status of the first `nightjar run` of the night.
  var status: Int32 {
    switch self {
    case .emptyPeople, .headlessPeople, .halfPeople, .emptySwipes, .halfSwipes, .cutSwipes, .staleSwipes,
      .swipesInSeconds,
      .noMarker, .manyAccountsDangle, .pageNotFollowed, .errorInsteadOfRecords, .misspelledCollection,
      .fewerThanCounted, .cutDocument, .backupBeside, .otherNumberOfRows:
      65
    case .clockOfLastYear: 75
    case .clockOfNextYear: 65
    default: 0
    }
  }

  /// The content of `people.json` and its format, for exports in other formats.
  private var document: (text: String, format: String)? {
    let record = #"{"name":"p/x","fields":{"id":{"stringValue":"x"}}}"#
    return switch self {
    case .pageNotFollowed: ("{\"documents\":[\(record)],\"nextPageToken\":\"x\"}", "firestore")
    case .errorInsteadOfRecords:
      ("[{\"document\":\(record)},{\"error\":{\"code\":8}}]", "firestore")
    case .misspelledCollection: ("{}", "firestore")
    case .fewerThanCounted: (#"{"results":[{"objectId":"x","id":"x"}],"count":3}"#, "parse")
    case .cutDocument: (#"[{"id":"x"},{"id":"#, "json")
    default: nil
    }
  }

  /// The values of the pipeline file for this night.
  var settings: [String] {
    switch self {
    case .backupBeside: ["interactions.swipes.source={ path: swipes, format: csv }"]
    case .otherNumberOfRows: ["interactions.swipes.expect={ complete: { rows_in: swipes.count } }"]
    default: document.map { ["entities.people.source={ path: people.json, format: \($0.format) }"] } ?? []
    }
  }

  /// Returns the faults in the message of a rejected run. The message must name the export.
  func wrongs(in message: String) -> [String] {
    guard !settings.isEmpty else { return [] }
    let export = document == nil ? "swipes" : "people"
    return message.contains(export) ? [] : ["the message does not name \(export): \(message)"]
  }

  /// Changes the exports of `app` in `directory`.
  func spoil(_ app: SimulatedApp, in directory: ScratchDirectory) throws {
    let (people, swipes) = (app.peopleCSV, app.swipesCSV)
    func half(_ text: String) -> String {
      let lines = text.split(separator: "\n")
      return lines.prefix(1 + (lines.count - 1) / 2).joined(separator: "\n") + "\n"
    }
    func append(_ rows: String, to name: String, _ content: String) throws {
      try directory.write(content + rows, to: name)
    }
    let at = Int(app.now.timeIntervalSince1970 * 1000) - 1000
    let id = app.people[0].id
    switch self {
    case .emptyPeople: try directory.write(String(people.prefix { $0 != "\n" }) + "\n", to: "people.csv")
    case .headlessPeople: try directory.write("", to: "people.csv")
    case .halfPeople: try directory.write(half(people), to: "people.csv")
    case .emptySwipes: try directory.write(String(swipes.prefix { $0 != "\n" }) + "\n", to: "swipes.csv")
    case .halfSwipes: try directory.write(half(swipes), to: "swipes.csv")
    case .cutSwipes: try directory.write(String(swipes.dropLast(20)), to: "swipes.csv")
    case .staleSwipes:
      let old = swipes.split(separator: "\n").filter { line in
        line.split(separator: ",").last.flatMap { Int($0) }.map { $0 < at - 3 * 86_400_000 } ?? true
      }
      try directory.write(old.joined(separator: "\n") + "\n", to: "swipes.csv")
    case .swipesInSeconds:
      try directory.write(swipes.replacing("000\n", with: "\n"), to: "swipes.csv")
    case .noMarker: try FileManager.default.removeItem(atPath: directory("_SUCCESS"))
    case .swipesOnOneself:
      try append(String(repeating: "\(id),\(id),right,\(at)\n", count: 520), to: "swipes.csv", swipes)
    case .hugeNumber:
      try append("huge,Media,52.5,13.4,1e100,true,2026-01-01T00:00:00Z\n", to: "people.csv", people)
    case .longID:
      let long = String(repeating: "x", count: 5_000)
      try append("\(long),Media,52.5,13.4,1,false,2026-01-01T00:00:00Z\n", to: "people.csv", people)
    case .nullCharacter:
      try append("null,Me\u{0}dia,52.5,13.4,1,false,2026-01-01T00:00:00Z\n", to: "people.csv", people)
    case .brokenRow:
      try append("broken,Media,north,13.4,1,false,2026-01-01T00:00:00Z\n", to: "people.csv", people)
    case .swipesFromTheFuture:
      try append("\(id),\(app.people[1].id),left,\(at + 40 * 86_400_000)\n", to: "swipes.csv", swipes)
    case .busyAccountLeaves, .manyAccountsDangle:
      // The added rows are a fifth of all rows.
      let count = app.swipes.count / 4
      let accounts = self == .busyAccountLeaves ? 1 : count
      try append(
        (0..<count).map { "left\($0 % accounts),\(id),left,\(at)\n" }.joined(), to: "swipes.csv", swipes)
    case .backupBeside:
      try FileManager.default.createDirectory(
        atPath: directory("swipes"), withIntermediateDirectories: true)
      for name in ["swipes/swipes.csv", "swipes/swipes.csv.bak"] { try directory.write(swipes, to: name) }
    case .otherNumberOfRows: try directory.write("\(app.swipes.count + 1)\n", to: "swipes.count")
    default: if let document { try directory.write(document.text, to: "people.json") }
    }
  }
}
