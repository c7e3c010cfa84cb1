internal import Readers

/// A parser of bytes that strangers wrote, and what must hold of it whatever they are.
///
/// The fuzzer's programs and the tests that read the kept seeds run the same checks.
package enum ParserCheck: String, CaseIterable, Sendable {
  case csv, tsv, jsonl, json, firestore, parse, realtime
  /// A compressed CSV file.
  case gzip, zstd
  /// Numbers, integers, instants and flags.
  case scalars
  case pipeline
  case geohash
  case validation

  /// The parser's error that `input` reveals, or `nil`.
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
