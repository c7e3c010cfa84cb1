internal import Foundation

/// Describes why a JSON file of a run cannot be decoded: another version of Nightjar wrote the file, or the
/// file is damaged.
package enum DecodingFault {
  /// The advice for the user, which applies to both causes.
  package static let adviceForRuns =
    "Use the version that made this run, or delete the run's directory and start a new run."

  /// Describes `error` in a clause for messages. The clause names the JSON key, but no Swift type.
  package static func text(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "the key '\(path(context.codingPath + [key]))' is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      context.codingPath.isEmpty
        ? "its outermost value has the wrong type"
        : "the value of '\(path(context.codingPath))' has the wrong type"
    case DecodingError.dataCorrupted(let context):
      context.codingPath.isEmpty ? "it is not JSON" : "the value of '\(path(context.codingPath))' is invalid"
    default: error.localizedDescription
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
