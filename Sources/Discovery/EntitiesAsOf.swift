internal import Columns
internal import Features
internal import RunSchemas

/// The rows of an entity as they were at a time before the as-of time of their snapshot.
///
/// A trial must not use later positions. For example, a home that was computed from later check-ins is near
/// the candidates that the user likes later.
struct EntitiesAsOf: Sendable {
  /// Whether each row existed at its time.
  let exists: [Bool]
  /// The positions at these times; `nil` if the entity has no positions.
  let positions: Positions?

  /// Reads the version of each row that was in force at the row's time.
  ///
  /// - Parameters:
  ///   - table: The current rows.
  ///   - usesLaterProfiles: Whether to use the current position of a row whose versions are all later. If
  ///     false, the position of such a row is unknown.
  ///   - time: The time for each row, in milliseconds since 1970 UTC.
  init(_ table: EntityTable, usesLaterProfiles: Bool, at time: (_ row: Int) -> Int64) {
    guard Self.change(table) else {
      exists = [Bool](repeating: true, count: table.count)
      positions = table.latitude == nil ? nil : Positions(table)
      return
    }
    let versions = (0..<table.count).map { table.version(of: $0, at: time($0)) }
    exists = versions.map { $0 != .notYet }
    guard let latitude = table.latitude, let longitude = table.longitude else {
      positions = nil
      return
    }
    func values(_ current: Column<Double>, _ earlier: Column<Double>?) -> [Double] {
      versions.indices.map { row in
        switch versions[row] {
        case .current: current[row]
        case .earlier(let index): earlier?[index] ?? .nan
        case .unknown: usesLaterProfiles ? current[row] : .nan
        case .notYet: .nan
        }
      }
    }
    positions = Positions(
      latitudes: values(latitude, table.earlier?.latitude),
      longitudes: values(longitude, table.earlier?.longitude))
  }

  /// Returns whether rows of `table` can differ from their current versions at earlier times.
  static func change(_ table: EntityTable) -> Bool { table.created != nil || table.updated != nil }
}
