/// Interactions in the order of the files, in parts of them: nothing is copied when parts are joined.
///
/// Each part has its rows by bucket of the user already, as it is in a processor's cache while it is made: the first step of
/// sorting them by user.
package struct InteractionColumns: Sendable {
  /// A row in its bucket.
  struct Row: BitwiseCopyable {
    /// The rank of the candidate's id.
    var candidate: UInt32
    /// The place of the rank of the user's id in the bucket.
    var place: UInt16
    /// The place of the value in `distinctValues`; 0 where there is no such table.
    var code: UInt8
  }

  /// Some rows that follow each other.
  struct Part: Sendable {
    /// By bucket, each bucket in input order: 8 bytes each, as there are more of them than of anything else.
    var rows: [UInt64] = []
    /// What `rows` mean.
    var packing = RowPacking(RowPacking.Extent(), times: [])
    /// Milliseconds since 1970 UTC, where `rows` do not tell times.
    var times: [Int64] = []
    /// The values of `rows`; empty where they are coded.
    var values: [Double] = []
    /// What `rows` were with, by rank, where that is not the candidate; empty unless somebody will ask.
    var items: [UInt32] = []
    /// Bucket `b` is `rows[starts[b]..<starts[b + 1]]`.
    var starts: [UInt32] = []
    /// By place in input order, the index in `rows`; empty unless somebody will ask for rows in input order.
    var order: [UInt32] = []
    /// The newest row's time; `Int64.min` without rows.
    var newest = Int64.min

    func range(_ bucket: Int) -> Range<Int> { Int(starts[bucket])..<Int(starts[bucket + 1]) }

    /// When the row at `index` was, in milliseconds since 1970 UTC.
    @inline(__always)
    func at(_ index: Int) -> Int64 { packing.tellsTimes ? packing.time(rows[index]) : times[index] }

    @inline(__always)
    func row(_ index: Int) -> Row {
      let (word, packing) = (rows[index], packing)
      return Row(candidate: packing.candidate(word), place: packing.place(word), code: packing.code(word))
    }

  }

  /// The rows of one bucket of one part, lent: copies of parts would count references to their arrays, for each part and bucket,
  /// for which threads would wait for each other.
  struct BucketRows: ~Escapable {
    let range: Range<Int>
    private let packing: RowPacking
    private let rows: Span<UInt64>
    private let times: Span<Int64>

    @_lifetime(copy rows, copy times)
    @inline(__always)
    private init(_ range: Range<Int>, _ packing: RowPacking, _ rows: Span<UInt64>, _ times: Span<Int64>) {
      (self.range, self.packing) = (range, packing)
      self.rows = rows
      self.times = times
    }

    @_lifetime(copy parts)
    @inline(__always)
    static func of(_ number: Int, _ part: Int, in parts: Span<Part>) -> BucketRows {
      let range = Int(parts[part].starts[number])..<Int(parts[part].starts[number + 1])
      let rows = BucketRows(range, parts[part].packing, parts[part].rows.span, parts[part].times.span)
      return unsafe _overrideLifetime(rows, copying: parts)
    }

    /// Fetches the rows.
    @inline(__always)
    func prefetch() {
      rows.extracting(range).prefetch()
    }

    /// Calls `body` with the place of each row's user in the bucket.
    @inline(__always)
    func forEachPlace(_ body: (UInt16) -> Void) {
      for index in range { body(packing.place(rows[index])) }
    }

    /// Calls `body` with each row, its time and its index in the part.
    @inline(__always)
    func forEach(_ body: (_ row: Row, _ at: Int64, _ index: Int) -> Void) {
      for index in range {
        let word = rows[index]
        let row = Row(
          candidate: packing.candidate(word), place: packing.place(word), code: packing.code(word))
        body(row, packing.tellsTimes ? packing.time(word) : times[index], index)
      }
    }
  }

  private(set) var parts: [Part] = []
  /// Where each part begins, and the end.
  private var starts = [0]
  /// Of the ranks of users.
  let buckets: Buckets
  /// The values that the pipeline file maps to, ascending, where there are few.
  let distinctValues: [Double]?

  /// - Parameters:
  ///   - users: How many users there are.
  ///   - values: All values that there can be; `nil` where they may be any numbers.
  init(users: Int, values: (some Sequence<Double>)?) {
    buckets = Buckets(keys: users)
    // By bits: the two zeros are written as they are.
    let distinct = values.map { values in
      Set(values.map(\.bitPattern)).map(Double.init(bitPattern:)).sorted {
        $0.isTotallyOrdered(belowOrEqualTo: $1)
      }
    }
    distinctValues = (distinct?.count ?? .max) <= 256 ? distinct : nil
  }

  /// Nothing.
  init() { self.init(users: 0, values: nil as [Double]?) }

  mutating func append(_ part: Part) {
    guard !part.rows.isEmpty else { return }
    parts.append(part)
    starts.append(count + part.rows.count)
  }

  /// All parts anew, such as those without some rows.
  mutating func replaceParts(_ parts: [Part]) {
    (self.parts, starts) = ([], [0])
    for part in parts { append(part) }
  }

  /// The time of the newest row that is not later than `limit`; `nil` where there is none.
  func newest(until limit: Int64) -> Int64? {
    parts.lazy.compactMap { part in
      part.newest <= limit ? part.newest : part.rows.indices.lazy.map(part.at).filter { $0 <= limit }.max()
    }.max()
  }
}

/// Rows one by one: in input order where parts have it, else in that of their buckets.
extension InteractionColumns: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { starts[starts.count - 1] }

  /// - Complexity: O(log n) in the number of parts and buckets: for looks at single rows.
  package subscript(_ row: Int) -> InteractionRows.Row {
    let number = Self.lastIndex(of: starts) { $0 <= row }
    let part = parts[number]
    let place = row - starts[number]
    let index = part.order.isEmpty ? place : Int(part.order[place])
    let bucket = Self.lastIndex(of: part.starts) { $0 <= index }
    let packed = part.row(index)
    return InteractionRows.Row(
      user: buckets.key(packed.place, in: bucket), candidate: packed.candidate, at: part.at(index),
      value: distinctValues.map { $0[Int(packed.code)] } ?? part.values[index])
  }

  /// The last element that `isBefore`, as the first is; those that are not follow.
  private static func lastIndex<Element>(of elements: [Element], _ isBefore: (Element) -> Bool) -> Int {
    var low = 0
    var high = elements.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if isBefore(elements[middle]) { low = middle } else { high = middle }
    }
    return low
  }
}
