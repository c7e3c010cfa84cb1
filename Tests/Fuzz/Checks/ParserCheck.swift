internal import Readers

/// A parser of untrusted bytes, and the properties that must hold for any input.
///
/// The fuzzers and the tests of the stored seeds run the same checks.
package enum ParserCheck: String, CaseIterable, Sendable {
  case csv, tsv, jsonl, json, firestore, parse, realtime
  /// A compressed CSV file.
  case gzip, zstd
  /// Numbers, integers, instants and flags.
  case scalars
  case pipeline
  case geohash
  case validation

  /// Returns the fault of the parser that `input` reveals, or `nil`.
  package func violation(in input: [UInt8]) -> String? {
    switch self {
    case .csv: delimitedViolation(input, .csv)
    case .tsv: delimitedViolation(input, .tsv)
    case .jsonl: jsonLinesViolation(input)
    case .json: jsonArrayViolation(input)
    case .firestore: pagedViolation(input, .firestore, Self.firestoreFields)
    case .parse: pagedViolation(input, .parse, Self.parseFields)
    case .realtime: realtimeViolation(input)
    case .gzip: compressionViolation(input, .gzip)
    case .zstd: compressionViolation(input, .zstd)
    case .scalars: scalarViolation(input)
    case .pipeline: pipelineViolation(input)
    case .geohash: geohashViolation(input)
    case .validation: validationViolation(input)
    }
  }

  private static let firestoreFields = [
    "id", "a", "createTime", "map.a", "position.latitude", "position.longitude", "name",
  ]
  private static let parseFields = ["objectId", "a", "createdAt", "user.name", "place.latitude", #"a\.b"#]
}
