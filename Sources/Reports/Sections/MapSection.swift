internal import Geohash
internal import PipelineFile
internal import Text

extension Section {
  /// The locations of people and things, in coarse cells.
  ///
  /// - Throws: `FileError` if the index cannot be read.
  static func map(_ run: ReportedRun) throws -> Section {
    var blocks: [Block] = []
    let entities = run.pipeline.entities.filter(\.hasPosition)
    for entity in entities {
      let cells = try CoarseCells(
        "\(run.directory)/index/\(entity.name)/buckets.csv", snapped: run.pipeline.privacy.snapPrecision)
      if entities.count > 1 { blocks.append(.heading(Words(data: entity.name))) }
      guard !cells.shown.isEmpty else {
        blocks.append(
          .note(
            """
            The map of \(entity.name) is hidden, because even the coarsest cells contain fewer than \(.count(Disclosure.leastPeople)).
            """))
        continue
      }
      let map = CellMap(entity: entity.name, cells: cells)
      blocks.append(.figure(map.figure))
      if cells.hidden.cells > 0 {
        // A share would reveal the exact number of so few entities.
        let share: Words =
          cells.hidden.entities < Disclosure.leastPeople
          ? Disclosure.people(cells.hidden.entities) + " in total"
          : "\(.share(Double(cells.hidden.entities) / Double(cells.total))) of all positions"
        blocks.append(
          .paragraph(
            "The map omits \(cells.hidden.cells, "cell") with fewer than \(.count(Disclosure.leastPeople)) \(entity.name) each (\(share))."
          ))
      }
    }
    if entities.isEmpty { blocks.append(.note("No entity of this pipeline has a position.")) }
    return Section(id: "map", title: "Where people are", blocks: blocks)
  }
}

/// A map of cells as rectangles, without a base map.
private struct CellMap {
  let entity: String
  let cells: CoarseCells

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

  /// A position such as `52.5° N, 13.4° E`. For cells of some ten kilometers, a tenth of a degree is precise
  /// enough.
  private static func place(_ place: Coordinate) -> String {
    let north = "\(abs(place.latitude).fixed(1))° \(place.latitude < 0 ? "S" : "N")"
    return north + ", \(abs(place.longitude).fixed(1))° \(place.longitude < 0 ? "W" : "E")"
  }

  var figure: ChartFigure {
    var data = ChartData("cell", "count", "south", "west", "north", "east")
    for cell in cells.shown {
      let box = cell.geohash.boundingBox
      data.add(
        .string(cell.geohash.description), .integer(cell.count), .number(box.south), .number(box.west),
        .number(box.north), .number(box.east))
    }
    let boxes = cells.shown.map(\.geohash.boundingBox)
    let frame = MapFrame(boxes)
    let fullest = cells.shown.first?.count ?? 0
    return ChartFigure(
      name: "map-" + entity.fileName,
      title: "\(entity) by cells of precision \(.count(cells.precision))",
      description: """
        A map without coasts or borders, with north at the top. A rectangle shows each cell with at least \
        \(.count(Disclosure.leastPeople)); darker cells contain more, up to \(.count(fullest)).
        """,
      data: data,
      marks: { _ in
        func degrees(_ field: String, _ title: String, _ domain: ClosedRange<Double>) -> JSONValue {
          Mark.field(
            field, "quantitative",
            [
              "scale": [
                "domain": .array([.number(domain.lowerBound), .number(domain.upperBound)]),
                "zero": .boolean(false),
                "nice": .boolean(false),
              ],
              "axis": ["title": .string(title), "format": "~f", "tickCount": 6],
            ])
        }
        return [
          "mark": [
            "type": "rect", "color": .string(ChartColor.first.rawValue),
            "stroke": .string(ChartColor.paper.rawValue),
            "strokeWidth": .number(0.5),
          ],
          "encoding": [
            "x": degrees("west", "degrees east", frame.longitudes), "x2": ["field": "east"],
            "y": degrees("south", "degrees north", frame.latitudes), "y2": ["field": "north"],
            // The scale is logarithmic, because a few cells hold most people.
            "fillOpacity": Mark.field(
              "count", "quantitative",
              [
                "scale": ["type": "log", "range": .array([.number(0.22), 1])],
                "legend": .null,
              ]),
          ],
        ]
      }, table: table, height: { frame.height(width: $0.width) })
  }
}

/// The part of the world that a map shows, and the map's height for a width.
struct MapFrame {
  let longitudes: ClosedRange<Double>
  let latitudes: ClosedRange<Double>

  init(_ boxes: [BoundingBox]) {
    let (west, east) = (boxes.map(\.west).min() ?? -180, boxes.map(\.east).max() ?? 180)
    let (south, north) = (boxes.map(\.south).min() ?? -90, boxes.map(\.north).max() ?? 90)
    longitudes = west...max(east, west + 0.01)
    latitudes = south...max(north, south + 0.01)
  }

  /// The height at which a kilometer is about as long to the north as to the east, within the limits of a
  /// page.
  func height(width: Int) -> ChartHeight {
    let middle = (latitudes.lowerBound + latitudes.upperBound) / 2
    let ratio =
      (latitudes.upperBound - latitudes.lowerBound)
      / ((longitudes.upperBound - longitudes.lowerBound) * max(0.2, cosine(ofDegrees: middle)))
    return .whole(Int((Double(width) * min(max(ratio, 0.35), 0.8)).rounded()))
  }

  private func cosine(ofDegrees angle: Double) -> Double {
    // The Taylor series of the cosine up to the sixth power. Its error is below 0.01 up to the poles, which
    // is enough for a map.
    let x = angle * .pi / 180
    return 1 - x * x / 2 + x * x * x * x / 24 - x * x * x * x * x * x / 720
  }
}
