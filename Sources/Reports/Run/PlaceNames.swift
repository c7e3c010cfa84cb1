internal import Columns
internal import Files
internal import Geohash
internal import PipelineFile
internal import RunSchemas

/// The names of places on a map. The names are the words of a category, such as a county, if the rows with
/// the same word are close together.
struct PlaceNames: Sendable {
  /// The name of the category; `nil` if no category names places.
  private(set) var attribute: String?
  /// The words with their places, most frequent word first.
  private(set) var names: [(word: String, place: Geohash)] = []

  /// The minimum share of the variance of positions that the words must explain. Words that are unrelated to
  /// places explain at most about a tenth, because each word has at least ten rows.
  private static let leastExplained = 0.9

  /// Finds the category whose words best explain the positions of the rows of `entity`.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - entity: An entity with positions.
  ///   - cells: The cells of the map.
  /// - Throws: `FileError` if the snapshot cannot be read.
  init(_ run: ReportedRun, _ entity: Pipeline.Entity, cells: CoarseCells) throws(FileError) {
    let directory = "\(run.directory)/snapshot/entities/\(entity.name)/"
    let categories = entity.attributes.filter { $0.type == .category }
    guard !categories.isEmpty else { return }
    let latitudes = try Column<Double>(directory + "latitude.npy")
    let longitudes = try Column<Double>(directory + "longitude.npy", count: latitudes.count)
    let positions = zip(latitudes.elements, longitudes.elements).map {
      Coordinate(latitude: $0, longitude: $1)
    }
    var most = Self.leastExplained
    for category in categories {
      let column = try CategoryColumn("\(directory)attributes/\(category.name)", count: positions.count)
      var groups = [[Coordinate]](repeating: [], count: column.vocabulary.count)
      for (code, position) in zip(column.codes.elements, positions) where code != CategoryColumn.missing {
        if let position { groups[Int(code)].append(position) }
      }
      let frequent = groups.indices.filter { groups[$0].count >= Disclosure.leastPeople }
      let explained = Self.explained(frequent.map { groups[$0] })
      guard frequent.count > 1, explained >= most else { continue }
      (most, attribute) = (explained, category.name)
      names = frequent.sorted { (groups[$1].count, $0) < (groups[$0].count, $1) }.compactMap { code in
        Self.place(of: groups[code], cells).map { (column.vocabulary.string(code), $0) }
      }
    }
  }

  /// Returns the share of the variance of positions that the groups explain, from 0 to 1; 0 if the positions
  /// do not vary. The local function `scatter` converts positions to unit vectors, and returns the sum of
  /// their squared distances from their mean.
  static func explained(_ groups: [[Coordinate]]) -> Double {
    func scatter(_ positions: [Coordinate]) -> Double {
      let (count, vectors) = (Double(positions.count), positions.map(UnitVector.init))
      let (x, y, z) = (
        vectors.reduce(0) { $0 + $1.x }, vectors.reduce(0) { $0 + $1.y }, vectors.reduce(0) { $0 + $1.z }
      )
      return count > 0 ? count - (x * x + y * y + z * z) / count : 0
    }
    let all = scatter(groups.flatMap(\.self))
    return all > 0 ? 1 - groups.reduce(0) { $0 + scatter($1) } / all : 0
  }

  /// Returns the place of a word, which is a cell of the finest precision of the map. The function selects
  /// the map cell with the most positions of the word; among cells with equally many, it selects the first by
  /// geohash. The place contains the mean of the word's positions in this map cell. The result is `nil` if
  /// every map cell has fewer than ten positions of the word.
  private static func place(of positions: [Coordinate], _ cells: CoarseCells) -> Geohash? {
    let fullest = cells.divided(positions).filter { $0.value.count >= Disclosure.leastPeople }
      .min { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    guard let near = fullest?.value else { return nil }
    // No cell crosses the antimeridian, so the mean of the longitudes lies between them.
    let mean = Coordinate(
      latitude: near.reduce(0) { $0 + $1.latitude } / Double(near.count),
      longitude: near.reduce(0) { $0 + $1.longitude } / Double(near.count))
    return mean.map { Geohash($0, precision: cells.finest) }
  }
}
