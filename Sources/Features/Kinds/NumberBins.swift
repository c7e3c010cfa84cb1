internal import Columns
internal import PipelineFile

/// The bins of a number: below the first edge, between two neighboring edges, and from the last edge up. An
/// edge is the smallest value of the bin above it.
struct NumberBins: Hashable {
  /// The edges, ascending. Without edges, all values are in a single bin.
  let edges: [Double]

  init(_ bins: NumberFeature.Bins, of values: [Double]) {
    switch bins {
    case .edges(let edges): self.edges = edges
    case .count(let count): edges = Self.quantiles(count, of: values)
    }
  }

  /// Returns the edges of at most `count` bins with about equal numbers of `values`. NaN values are ignored.
  ///
  /// The edge at each quantile moves to the nearest place that does not separate equal values. Of two equally
  /// near places, the lower one wins. Equal edges merge, so the result may have fewer bins, but every bin
  /// contains a value.
  private static func quantiles(_ count: Int, of values: [Double]) -> [Double] {
    let sorted = values.filter { !$0.isNaN }.sorted()
    var edges: [Double] = []
    for quantile in 1..<count {
      // Exactly `place` values are less than an edge at `place` if the edge does not separate equal values.
      let place = sorted.count / count * quantile + sorted.count % count * quantile / count
      guard place > 0 else { continue }
      let value = sorted[place]
      let start = sorted.partitioningIndex { $0 >= value }
      let end = sorted.partitioningIndex { $0 > value }
      let isUpper = start == 0 || (end < sorted.count && end - place < place - start)
      guard isUpper ? end < sorted.count : true else { continue }
      let edge = sorted[isUpper ? end : start]
      if edge > edges.last ?? -.infinity { edges.append(edge) }
    }
    return edges
  }

  /// Returns the index of the bin that contains `value`, or `CategoryColumn.missing` for NaN.
  func code(_ value: Double) -> UInt32 {
    value.isNaN ? CategoryColumn.missing : UInt32(edges.partitioningIndex { $0 > value })
  }

  /// The names of the bins, in ascending order: `<2`, `[2,5)`, `>=5`; `any` for a single bin.
  var names: [String] {
    let texts = edges.map { edge in
      // The names of whole edges below 2^53 have no decimals. The condition uses the magnitude of the
      // `Double`, because the magnitude of `Int64.min` is not an `Int64`.
      guard edge.magnitude < 0x1p53, let whole = Int64(exactly: edge) else { return edge.description }
      return String(whole)
    }
    guard let first = texts.first, let last = texts.last else { return ["any"] }
    return ["<" + first] + zip(texts, texts.dropFirst()).map { "[\($0),\($1))" } + [">=" + last]
  }
}
