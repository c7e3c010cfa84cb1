internal import Geohash
internal import PipelineFile
internal import Text

extension Section {
  /// Where people and things are, in coarse cells.
  ///
  /// - Throws: `FileError` where the index cannot be read.
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
            No cell holds \(.count(Disclosure.leastPeople)) \(entity.name) or more, however coarse: none is shown.
            """))
        continue
      }
      let map = CellMap(entity: entity.name, cells: cells)
      blocks.append(.figure(map.figure))
      if cells.hidden.cells > 0 {
        // A share of so few would be their number.
        let share: Words =
          cells.hidden.entities < Disclosure.leastPeople
          ? Disclosure.people(cells.hidden.entities) + " in all"
          : "\(.share(Double(cells.hidden.entities) / Double(cells.total))) of all who have a position"
        blocks.append(
          .paragraph(
            "\(cells.hidden.cells, "cell") of fewer than \(.count(Disclosure.leastPeople)) \(entity.name) left out, with \(share)."
          ))
      }
    }
    if entities.isEmpty { blocks.append(.note("Nothing in this pipeline has a position.")) }
    return Section(id: "map", title: "Where people are", blocks: blocks)
  }
}

/// Cells as rectangles, without a map below.
private struct CellMap {
  let entity: String
  let cells: CoarseCells

  /// The most rows of its table.
  private static let mostRows = 25

  private var table: Table {
    let rows = cells.shown.prefix(Self.mostRows)
    let which: Words =
      rows.count < cells.shown.count
      ? "the \(.count(rows.count)) fullest of \(cells.shown.count, "cell"); all are in the CSV"
      : "all cells, fullest first"
    var table = Table(
      "\(entity): \(which)", [.text("Cell"), .text("Middle"), .number("Count"), .number("Of all")])
    for cell in rows {
      table.add(
        "\(code: cell.geohash.description)", .init(data: Self.place(cell.geohash.center)),
        .init(.count(cell.count)),
        .init(.share(cell.count, of: cells.total)))
    }
    return table
  }

  /// `52.5° N, 13.4° E`: of a cell of some ten kilometers a tenth of a degree is as good as exact.
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
        A map without coasts or borders: each cell with \(.count(Disclosure.leastPeople)) or more is a rectangle, north up, the \
        darker the more are in it; up to \(.count(fullest)).
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
            // By the logarithm: a few cells hold most people.
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

/// What of the world a map shows, and how high it is at a width.
struct MapFrame {
  let longitudes: ClosedRange<Double>
  let latitudes: ClosedRange<Double>

  init(_ boxes: [BoundingBox]) {
    let (west, east) = (boxes.map(\.west).min() ?? -180, boxes.map(\.east).max() ?? 180)
    let (south, north) = (boxes.map(\.south).min() ?? -90, boxes.map(\.north).max() ?? 90)
    longitudes = west...max(east, west + 0.01)
    latitudes = south...max(north, south + 0.01)
  }

  /// As high as makes a kilometer about as long to the north as to the east, within what a page has room for.
  func height(width: Int) -> ChartHeight {
    let middle = (latitudes.lowerBound + latitudes.upperBound) / 2
    let ratio =
      (latitudes.upperBound - latitudes.lowerBound)
      / ((longitudes.upperBound - longitudes.lowerBound) * max(0.2, cosine(ofDegrees: middle)))
    return .whole(Int((Double(width) * min(max(ratio, 0.35), 0.8)).rounded()))
  }

  private func cosine(ofDegrees angle: Double) -> Double {
    // By its series to the sixth power: within a hundredth up to the poles, which is enough for a picture.
    let x = angle * .pi / 180
    return 1 - x * x / 2 + x * x * x * x / 24 - x * x * x * x * x * x / 720
  }
}
