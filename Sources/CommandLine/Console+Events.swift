internal import Foundation
internal import RunSchemas
package import Text

extension Console {
  /// Prints one event for programs as a line on standard error. The line is a JSON object with `members`, the
  /// time and the name `event`.
  package static func print(event: String, _ members: [String: JSONValue]) {
    let all = members.merging([
      "time": .string(MachineClock.now.description), "event": .string(event),
    ]) { $1 }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? encoder.encode(JSONValue.object(all)) else {
      preconditionFailure("texts and numbers can be encoded as JSON")
    }
    print(whole: String(decoding: line, as: UTF8.self))
  }
}
