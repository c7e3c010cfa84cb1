internal import Columns
internal import PipelineFile

/// The bins of a number: below the first edge, between two neighbors, from the last edge on. An edge is the first
/// value of the bin above it.
struct NumberBins: Hashable {
  /// Ascending. Without edges, there is a single bin.
  let edges: [Double]

  init(_ bins: NumberFeature.Bins, of values: [Double]) {
    switch bins {
    case .edges(let edges): self.edges = edges
    case .count(let count): edges = Self.quantiles(count, of: values)
    }
  }

  /// The edges of at most `count` bins that hold about as many of `values` each; NaN is none.
  ///
  /// Each quantile's edge moves to the nearest place where equal values are not parted, to the lower one of two. Where
  /// edges fall together there are fewer bins, and no bin is empty.
  private static func quantiles(_ count: Int, of values: [Double]) -> [Double] {
    let sorted = values.filter { !$0.isNaN }.sorted()
    var edges: [Double] = []
    for quantile in 1..<count {
      // Below `place` lie `place` values, if it does not part equal ones.
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

  /// The number of the bin that `value` falls into, or `CategoryColumn.missing` for NaN.
  func code(_ value: Double) -> UInt32 {
    value.isNaN ? CategoryColumn.missing : UInt32(edges.partitioningIndex { $0 > value })
  }

  /// What the bins are called, in ascending order: `<2`, `[2,5)`, `>=5`; `any` where there is but one.
  var names: [String] {
    let texts = edges.map { edge in
      // The magnitude first: the least 64-bit integer has none of its own type.
      guard edge.magnitude < 0x1p53, let whole = Int64(exactly: edge) else { return edge.description }
      return String(whole)
    }
    guard let first = texts.first, let last = texts.last else { return ["any"] }
    return ["<" + first] + zip(texts, texts.dropFirst()).map { "[\($0),\($1))" } + [">=" + last]
  }
}
