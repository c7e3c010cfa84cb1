internal import Columns
internal import Files
internal import Geohash
internal import Index
internal import PipelineFile
internal import RunSchemas
internal import ServingStore
internal import Text

/// The published positions and cells, with which an app can query its store for people and things near a
/// place.
struct PublishedPositions {
  private let run: String
  private let pipeline: Pipeline
  private let published: [Pipeline.PublishedPositions]
  private let attributes: [String: [String]]

  init(_ publication: Pipeline.Publication, _ pipeline: Pipeline, run: String) {
    self.run = run
    self.pipeline = pipeline
    published = publication.positions
    attributes = publication.attributes
  }

  /// Adds a table of positions and a table of buckets for each entity, both in the order of cells. A bucket
  /// contains the row counts of one cell. Rows without a position, and rows that `exclude` removes, are in
  /// neither table.
  func load(_ loader: GenerationLoader) throws {
    for positions in published {
      guard let entity = pipeline.entity(positions.entity) else { continue }
      let snapshot = try Snapshot(run + "/snapshot", entities: [entity.schema], interactions: [])
      guard let table = snapshot.entities[entity.name] else { continue }
      let excluded = table.exclusionsByFlag(positions.exclusions, asOf: snapshot.manifest.asOf)
      let rows = try SpatialIndex(run + "/index", entity: entity.name, count: table.count).rows.map(Int.init)
        .filter { excluded[$0] < 0 }
      let places = rows.compactMap { place(table, row: $0) }
      try loader.begin(.positions, entity.name)
      for place in places {
        try loader.add(.position(id: table.ids.bytes(place.row), place.position, cell: place.cell))
      }
      try loader.begin(.buckets, entity.name)
      let categories = (attributes[entity.name] ?? []).filter { table.categories[$0] != nil }
      var start = 0
      for end in places.indices.map({ $0 + 1 })
      where end == places.count || places[end].cell != places[start].cell {
        let bucket = bucket(places[start..<end], table, categories).bytes
        let cell = Array(places[start].cell.description.utf8)
        try loader.add(.document(id: cell.span, json: bucket.span))
        start = end
      }
    }
  }

  private struct PublishedPlace {
    var row: Int
    var position: Coordinate
    var cell: Geohash
  }

  private func place(_ table: EntityTable, row: Int) -> PublishedPlace? {
    guard let latitude = table.latitude?[row], let longitude = table.longitude?[row],
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    return PublishedPlace(
      row: row, position: position, cell: Geohash(position, precision: pipeline.privacy.snapPrecision))
  }

  /// Returns a bucket as JSON: the number of rows in the cell, the center of the cell in degrees, and the
  /// number of rows with each word of the published categories. For example,
  /// `{"entities":3,"latitude":53.35,"longitude":-6.26,"counts":{"size":{"large":1,"small":2}}}`.
  private func bucket(_ places: ArraySlice<PublishedPlace>, _ table: EntityTable, _ categories: [String])
    -> JSONText
  {
    var text = JSONText()
    let center = places.first?.cell.center
    text.append(raw: "{\"entities\":")
    text.append(integer: places.count)
    text.append(raw: ",\"latitude\":")
    text.append(number: center?.latitude ?? .nan)
    text.append(raw: ",\"longitude\":")
    text.append(number: center?.longitude ?? .nan)
    text.append(raw: ",\"counts\":{")
    for (number, name) in categories.enumerated() {
      guard let column = table.categories[name] else { continue }
      text.append(raw: number == 0 ? "" : ",")
      text.append(string: Array(name.utf8).span)
      text.append(raw: ":{")
      var counts: [UInt32: Int] = [:]
      for place in places {
        let code = column.codes[place.row]
        if code != CategoryColumn.missing { counts[code, default: 0] += 1 }
      }
      // The order of codes is the byte order of the words.
      for (place, count) in counts.sorted(by: { $0.key < $1.key }).enumerated() {
        text.append(raw: place == 0 ? "" : ",")
        text.append(string: column.vocabulary.bytes(Int(count.key)))
        text.append(raw: ":")
        text.append(integer: count.value)
      }
      text.append(raw: "}")
    }
    text.append(raw: "}}")
    return text
  }
}
