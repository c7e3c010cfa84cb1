import Foundation

/// One line of a list. The decoder is independent of the code that wrote the line.
package struct ServedLine: Decodable, Equatable {
  package struct Recommendation: Decodable, Equatable {
    package struct Reason: Decodable, Equatable {
      package var feature: String
      package var contribution: Double
    }

    package var rank: Int
    package var candidate: String
    package var score: Double?
    package var distance_km: Double?
    package var reasons: [Reason]
  }

  package var user: String
  package var recommendations: [Recommendation]
  package var shortfall: String?
}

extension StageFixture {
  /// Returns the lines of the list `name` in order.
  package func list(_ name: String) throws -> [ServedLine] {
    try bytes("rankings/\(name)/part-00000.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { try JSONDecoder().decode(ServedLine.self, from: $0) }
  }
}
