internal import Geohash
internal import PipelineFile
internal import Text

extension Section {
  /// Shows a map for each entity with positions. The cells of a map are coarse, so that they do not reveal
  /// where a person is.
  ///
  /// - Throws: `FileError` if the index or the snapshot cannot be read.
  static func map(_ run: ReportedRun) throws -> Section {
    var blocks: [Block] = []
    let entities = run.pipeline.entities.filter(\.hasPosition)
    for entity in entities {
      let cells = try CoarseCells(
        "\(run.directory)/index/\(entity.name)/buckets.csv", snapped: run.pipeline.privacy.snapPrecision)
      guard !cells.shown.isEmpty else {
        blocks.append(
          .note(
            """
            The map of \(entity.name) is hidden, because even the largest cells contain fewer than \
            \(.count(Disclosure.leastPeople)) \(entity.name) each.
            """))
        continue
      }
      let map = try CellMap(
        entity: entity.name, cells: cells, places: PlaceNames(run, entity, cells: cells))
      blocks.append(.figure(map.figure))
      if map.omitted.cells > 0 {
        blocks.append(
          .paragraph(
            "The map omits \(map.omitted.cells, "large cell") with \(.share(Double(map.omitted.entities) / Double(cells.total))) of all positions. With them, the other cells would be too small to see."
          ))
      }
      if cells.hidden.cells > 0 {
        // With fewer than ten rows, the share would reveal their exact number.
        let share: Words =
          cells.hidden.entities < Disclosure.leastPeople
          ? "" : ", \(.share(Double(cells.hidden.entities) / Double(cells.total))) of all positions"
        blocks.append(
          .paragraph(
            "The map omits \(cells.hidden.cells, "cell") with fewer than \(.count(Disclosure.leastPeople)) \(entity.name)\(share)."
          ))
      }
    }
    if entities.isEmpty { blocks.append(.note("No entity of this pipeline has a position.")) }
    return Section(id: "map", title: "Map", blocks: blocks)
  }
}

/// A map of cells as rectangles, without a base map.
private struct CellMap {
  let entity: String
  let cells: CoarseCells
  let places: PlaceNames
  private let drawn: [CoarseCells.Cell]

  init(entity: String, cells: CoarseCells, places: PlaceNames) {
    (self.entity, self.cells, self.places, drawn) = (entity, cells, places, cells.drawn)
  }

  /// The cells that the table lists but the map does not draw, and the number of rows in them.
  var omitted: (cells: Int, entities: Int) {
    let all = cells.shown.reduce(0) { $0 + $1.count }
    return (cells.shown.count - drawn.count, all - drawn.reduce(0) { $0 + $1.count })
  }

  /// The maximum number of rows of the map's table.
  private static let mostRows = 25

  private var table: Table {
    let rows = cells.shown.prefix(Self.mostRows)
    let which: Words =
      rows.count < cells.shown.count
      ? "the \(.count(rows.count)) fullest of \(cells.shown.count, "cell"); the CSV file contains all"
      : "all cells, fullest first"
    var table = Table(
      "\(entity): \(which)", [.text("Cell"), .text("Center"), .number("Count"), .number("Share")])
    for cell in rows {
      table.add(
        "\(code: cell.geohash.description)", .init(data: Self.place(cell.geohash.center)),
        .init(.count(cell.count)),
        .init(.share(cell.count, of: cells.total)))
    }
    return table
  }

  /// Returns a position such as `52.5° N, 13.4° E`. For cells of tens of kilometers, a tenth of a degree is
  /// precise enough.
  private static func place(_ place: Coordinate) -> String {
    let north = "\(abs(place.latitude).fixed(1))° \(place.latitude < 0 ? "S" : "N")"
    return north + ", \(abs(place.longitude).fixed(1))° \(place.longitude < 0 ? "W" : "E")"
  }

  /// The precisions of the cells, such as `4` or `2 to 4`.
  private var precisions: Words {
    let drawn = drawn.map(\.geohash.precision)
    guard let coarsest = drawn.min(), let finest = drawn.max() else { return "" }
    let all = coarsest...finest
    return all.count == 1
      ? "\(.count(all.lowerBound))" : "\(.count(all.lowerBound)) to \(.count(all.upperBound))"
  }

  var figure: ChartFigure {
    var data = ChartData("cell", "count", "south", "west", "north", "east")
    for cell in cells.shown {
      let box = cell.box
      data.add(
        .string(cell.geohash.description), .integer(cell.count), .number(box.south), .number(box.west),
        .number(box.north), .number(box.east))
    }
    let fullest = drawn.first?.count ?? 0
    let except: Words = omitted.cells == 0 ? "" : ", except \(omitted.cells, "large cell")"
    let names: Words =
      places.attribute.map {
        " The place names are values of \($0). Each name marks the cell that contains the most \(entity) with that value."
      } ?? ""
    return ChartFigure(
      name: "map-" + entity.fileName, title: "\(entity) by cells of precision \(precisions)",
      description: """
        A map without coasts or borders, with north at the top. A rectangle shows each cell with at least \
        \(.count(Disclosure.leastPeople)) \(entity)\(except); darker cells contain more, up to \(.count(fullest)).\(names)
        """,
      data: data,
      chart: MapChart(
        cells: drawn.map { ($0.box, $0.count) },
        names: places.names.map { ($0.word, $0.place.boundingBox) }), table: table)
  }
}
