internal import Columns
internal import Geohash
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  /// Binds `geohash`: one column for each cell. With a limit, all cells except the most frequent ones share
  /// one column.
  func bind(_ feature: GeohashFeature) -> BoundValues {
    let (codes, cells) = candidates.cells(ofPrecision: feature.precision)
    // A cell reveals more about a position than a distance does, so cells are never published reasons.
    return bindWords(of: feature, codes: codes, cells, other: feature.otherCells, isPublic: false)
  }
}

extension EntityTable {
  /// Returns the code of each row's cell, and the occupied cells in ascending order.
  fileprivate func cells(ofPrecision precision: Int) -> (codes: [UInt32], cells: [String]) {
    let cells = zip(latitude?.elements ?? [], longitude?.elements ?? []).map { latitude, longitude in
      Coordinate(latitude: latitude, longitude: longitude).map { Geohash($0, precision: precision) }
    }
    let inhabited = Set(cells.compactMap(\.self)).sorted()
    let codes = Dictionary(uniqueKeysWithValues: zip(inhabited, 0 as UInt32..<UInt32(inhabited.count)))
    return (cells.map { $0.flatMap { codes[$0] } ?? CategoryColumn.missing }, inhabited.map(\.description))
  }
}
