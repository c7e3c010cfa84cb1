internal import Geohash
internal import Glibc
internal import Text

/// A map of cells as rectangles, with a scale, a north arrow and the names of places. A darker cell has a
/// higher count.
struct MapChart: Chart {
  /// The cells with their counts, which are positive.
  var cells: [(box: BoundingBox, count: Int)]
  /// The names of places with their cells, most frequent first. A name is not drawn if it would touch an
  /// earlier name or the edge.
  var names: [(text: String, box: BoundingBox)] = []

  func drawing(_ layout: ChartLayout) -> Drawing {
    var canvas = Canvas()
    let boxes = cells.map(\.box)
    let (left, right, top) = (56.0, layout.width - 24, 28.0)
    let frame = MapFrame(boxes)
    let height = frame.height(width: right - left)
    let across = NumberAxis(
      [frame.longitudes.lowerBound, frame.longitudes.upperBound], isNice: false,
      ticks: layout == .wide ? 8 : 3, ends: (left, right))
    let up = NumberAxis(
      [frame.latitudes.lowerBound, frame.latitudes.upperBound], isNice: false, ticks: 6,
      ends: (top + height, top))
    for tick in across.ticks {
      canvas.line(across.place(tick), top, across.place(tick), top + height, .grid)
      canvas.text(across.text(tick), across.place(tick), top + height + 16, .middle)
    }
    for tick in up.ticks {
      canvas.line(left, up.place(tick), right, up.place(tick), .grid)
      canvas.text(up.text(tick), left - 6, up.place(tick) + 4, .end)
    }
    let (least, most) = (cells.map(\.count).min() ?? 1, cells.map(\.count).max() ?? 1)
    for (box, count) in cells {
      // The color scale is logarithmic, because a few cells contain most people.
      let share = least == most ? 1 : log(Double(count) / Double(least)) / log(Double(most) / Double(least))
      let (west, east) = (across.place(box.west), across.place(box.east))
      let (north, south) = (up.place(box.north), up.place(box.south))
      canvas.rectangle(
        west, north, width: east - west, height: south - north, .first, opacity: 0.22 + 0.78 * share,
        border: .paper)
    }
    var taken: [TextBox] = []
    for (name, box) in names {
      let place = TextBox(
        name, x: across.place((box.west + box.east) / 2), y: up.place((box.south + box.north) / 2) + 4)
      guard place.left >= left, place.right <= right, place.top >= top, place.bottom <= top + height,
        !taken.contains(where: place.touches)
      else { continue }
      canvas.text(name, place.x, place.y, .middle, isOutlined: true)
      taken.append(place)
    }
    let scale = frame.scale(width: right - left)
    canvas.line(left, 16, left + scale.length, 16, .ink, width: 2)
    canvas.line(left, 11, left, 21, .ink)
    canvas.line(left + scale.length, 11, left + scale.length, 21, .ink)
    canvas.text("\(scale.kilometers.short) km", left + scale.length + 8, 20)
    canvas.text("N ↑", right, 20, .end)
    canvas.text("degrees east, degrees north", (left + right) / 2, top + height + 36, .middle, .faint)
    return Drawing(
      width: Int(layout.width), height: Int((top + height + 44).rounded(.up)), markup: canvas.markup)
  }
}

/// The place of a text on a drawing, in CSS pixels.
private struct TextBox {
  /// The horizontal middle of the text, and its baseline.
  let (x, y): (Double, Double)
  let width: Double

  init(_ text: String, x: Double, y: Double) {
    (self.x, self.y, width) = (x, y, TextWidth.of(text))
  }

  var left: Double { x - width / 2 }
  var right: Double { x + width / 2 }
  var top: Double { y - Canvas.textSize }
  var bottom: Double { y + 4 }

  func touches(_ other: TextBox) -> Bool {
    left < other.right && other.left < right && top < other.bottom && other.top < bottom
  }
}

/// The part of the world that a map shows. It determines the height and the scale of a map of a given width.
struct MapFrame {
  let longitudes: ClosedRange<Double>
  let latitudes: ClosedRange<Double>

  init(_ boxes: [BoundingBox]) {
    let (west, east) = (boxes.map(\.west).min() ?? -180, boxes.map(\.east).max() ?? 180)
    let (south, north) = (boxes.map(\.south).min() ?? -90, boxes.map(\.north).max() ?? 90)
    longitudes = west...max(east, west + 0.01)
    latitudes = south...max(north, south + 0.01)
  }

  /// Returns whether `part` would be tiny on a map of this frame: less than an eighth of the width or of the
  /// height. A part counts as at least as long as a cell of precision 3, so that the map of a town includes
  /// its surroundings.
  func dwarfs(_ part: MapFrame) -> Bool {
    func isTiny(_ part: ClosedRange<Double>, in whole: ClosedRange<Double>) -> Bool {
      8 * max(part.upperBound - part.lowerBound, 1.40625) < whole.upperBound - whole.lowerBound
    }
    return isTiny(part.longitudes, in: longitudes) || isTiny(part.latitudes, in: latitudes)
  }

  /// Returns the height in CSS pixels, which is between 0.35 and 0.8 times the width. Within these limits, a
  /// kilometer is about as long from south to north as from west to east.
  func height(width: Double) -> Double {
    let ratio = (latitudes.upperBound - latitudes.lowerBound) / (degreesEast * max(0.2, shrinkage))
    return (width * min(max(ratio, 0.35), 0.8)).rounded()
  }

  /// Returns the scale from west to east in the middle of the map: a round number of kilometers, and its
  /// length in CSS pixels. The length is at most a quarter of the width.
  func scale(width: Double) -> (kilometers: Double, length: Double) {
    // A degree of longitude at the equator is 111.3 km long.
    let whole = degreesEast * 111.3 * max(shrinkage, 0.01)
    let power = pow(10, log10(whole / 4).rounded(.down))
    let kilometers = ([5, 2].first { $0 * power <= whole / 4 } ?? 1) * power
    return (kilometers, width * kilometers / whole)
  }

  private var degreesEast: Double { longitudes.upperBound - longitudes.lowerBound }

  /// The length of a degree of longitude in the middle of the map, as a share of the length at the equator.
  private var shrinkage: Double { cos((latitudes.lowerBound + latitudes.upperBound) / 2 * .pi / 180) }
}
