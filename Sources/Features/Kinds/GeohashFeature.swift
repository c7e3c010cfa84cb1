internal import Columns
internal import Geohash
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  /// Binds `geohash`: one column for each cell or, with a limit, one for each of the most frequent cells and
  /// one for all other cells.
  func bind(_ feature: GeohashFeature) -> BoundValues {
    let (codes, cells) = candidates.cells(ofPrecision: feature.precision)
    // A cell reveals more about a position than a distance does, so it is never a published reason.
    return bindWords(of: feature, codes: codes, cells, other: feature.otherCells, isPublic: false)
  }
}

extension EntityTable {
  /// The code of each row's cell, and the occupied cells in ascending order.
  fileprivate func cells(ofPrecision precision: Int) -> (codes: [UInt32], cells: [String]) {
    let cells = zip(latitude?.elements ?? [], longitude?.elements ?? []).map { latitude, longitude in
      Coordinate(latitude: latitude, longitude: longitude).map { Geohash($0, precision: precision) }
    }
    let inhabited = Set(cells.compactMap(\.self)).sorted()
    let codes = Dictionary(uniqueKeysWithValues: zip(inhabited, 0 as UInt32..<UInt32(inhabited.count)))
    return (cells.map { $0.flatMap { codes[$0] } ?? CategoryColumn.missing }, inhabited.map(\.description))
  }
}
