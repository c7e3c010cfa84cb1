internal import Columns
internal import Concurrency
internal import Geohash
internal import RunSchemas

/// The rows of a table in the order of their cells.
struct CellOrder: Sendable {
  /// The rows with a position, sorted by geohash of precision 12, then by row.
  let entries: [RadixSort.CodedRow]
  /// The geohash of each row at the pipeline's precision, concatenated; empty without a position.
  let text: [UInt8]
  /// The start of each row's text, followed by the end of the last text.
  let textOffsets: [UInt64]

  private static let chunk = 1 << 15

  private struct CellOrderPart: Sendable {
    var entries: [RadixSort.CodedRow] = []
    var text: [UInt8] = []
    /// The number of characters of each row's geohash.
    var lengths: [UInt8] = []
  }

  init(_ table: EntityTable, precision: Int, threads: Int) {
    let count = table.latitude == nil || table.longitude == nil ? 0 : table.count
    let parts = parallelMap(count: count, chunkSize: Self.chunk, threads: threads) { rows in
      Self.part(table, rows, precision: precision)
    }
    var entries: [RadixSort.CodedRow] = []
    entries.reserveCapacity(count)
    var text: [UInt8] = []
    text.reserveCapacity(count * precision)
    var offsets: [UInt64] = [0]
    offsets.reserveCapacity(table.count + 1)
    var end: UInt64 = 0
    for part in parts {
      entries += part.entries
      text += part.text
      for length in part.lengths {
        end += UInt64(length)
        offsets.append(end)
      }
    }
    for _ in count..<table.count { offsets.append(end) }
    RadixSort.sort(&entries)
    self.entries = entries
    self.text = text
    textOffsets = offsets
  }

  private static func part(_ table: EntityTable, _ rows: Range<Int>, precision: Int) -> CellOrderPart {
    var part = CellOrderPart()
    part.entries.reserveCapacity(rows.count)
    part.text.reserveCapacity(rows.count * precision)
    part.lengths.reserveCapacity(rows.count)
    guard let latitudes = table.latitude, let longitudes = table.longitude else { return part }
    let (latitude, longitude) = (latitudes.span, longitudes.span)
    for row in rows {
      guard let position = Coordinate(latitude: latitude[row], longitude: longitude[row]) else {
        part.lengths.append(0)
        continue
      }
      let cell = Geohash(position, precision: Geohash.precisions.upperBound)
      part.entries.append(RadixSort.CodedRow(code: cell.bits, row: UInt32(row)))
      cell.parent(precision: precision).append(to: &part.text)
      part.lengths.append(UInt8(precision))
    }
    return part
  }
}
