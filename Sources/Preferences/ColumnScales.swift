internal import Features
internal import Reproducible
internal import Tables

/// The columns that all models of a population share, and what their values are centred by and divided by.
///
/// Each column has its mean and standard deviation (n) over all learning rows in which it is known; values then have
/// mean 0 and standard deviation 1, and a missing one becomes 0: it contributes nothing. A column without spread has no
/// coefficient and is left out. The values learned from are centred and divided likewise.
struct ColumnScales: Sendable {
  /// Columns of the feature space, ascending.
  var columns: [Int]
  /// By place in `columns`.
  var means: [Double]
  var deviations: [Double]
  var responseMean: Double
  /// 1 where all values are the same.
  var responseDeviation: Double

  /// The base, and a coefficient per column.
  var parameterCount: Int { columns.count + 1 }

  /// The values less the mean, by the deviation.
  func response(_ value: Double) -> Double { (value - responseMean) / responseDeviation }

  /// Writes z = (1, x) for the raw values `row`.
  func standardize(_ row: [Double], into z: inout [Double]) {
    z[0] = 1
    for place in columns.indices {
      let value = row[columns[place]]
      z[place + 1] = value.isNaN ? 0 : (value - means[place]) / deviations[place]
    }
  }

  /// The same without the columns that `isKept` is false for.
  func keeping(_ isKept: (Int) -> Bool) -> ColumnScales {
    var kept = self
    let places = columns.indices.filter { isKept(columns[$0]) }
    kept.columns = places.map { columns[$0] }
    kept.means = places.map { means[$0] }
    kept.deviations = places.map { deviations[$0] }
    return kept
  }
}

extension ColumnScales {
  /// Scales of all learning rows.
  init(_ rows: LearningRows, threads: Int) {
    let width = rows.space.columns.count
    let chunkSize = rows.chunkSize(bytes: (width + 1) * MemoryLayout<RunningMoments>.stride)
    let chunks = parallelMap(count: rows.userCount, chunkSize: chunkSize, threads: threads) { chunk in
      var moments = [RunningMoments](repeating: RunningMoments(), count: width + 1)
      var reader = rows.reader()
      for user in chunk {
        for index in rows.table.range(ofUser: user) {
          reader.read(index, of: user)
          for column in 0..<width { moments[column].add(reader.values[column]) }
          moments[width].add(rows.table.value[index])
        }
      }
      return moments
    }
    var moments = [RunningMoments](repeating: RunningMoments(), count: width + 1)
    for chunk in chunks {
      for column in moments.indices { moments[column].merge(chunk[column]) }
    }
    columns = (0..<width).filter { moments[$0].deviation > 0 }
    means = columns.map { moments[$0].mean }
    deviations = columns.map { moments[$0].deviation }
    responseMean = moments[width].mean
    responseDeviation = moments[width].deviation > 0 ? moments[width].deviation : 1
  }
}

/// Mean and sum of squared differences to it, number by number; those of two parts make those of the whole.
///
/// Source: Chan, Golub and LeVeque 1983, doi:10.1080/00031305.1983.10483115.
struct RunningMoments: Sendable {
  private(set) var count = 0.0
  private(set) var mean = 0.0
  private var squares = 0.0

  /// Adds one number; a missing one (NaN) is passed over.
  mutating func add(_ value: Double) {
    if value.isNaN { return }
    count += 1
    let difference = value - mean
    mean += difference / count
    squares += difference * (value - mean)
  }

  mutating func merge(_ other: RunningMoments) {
    guard other.count > 0 else { return }
    let difference = other.mean - mean
    let sum = count + other.count
    squares += other.squares + difference * difference * (count / sum * other.count)
    mean += difference * (other.count / sum)
    count = sum
  }

  /// The standard deviation (n); 0 where it is nothing but rounding, or so small that a coefficient in original units
  /// could leave a double's range.
  var deviation: Double {
    guard count > 0 else { return 0 }
    let deviation = (squares / count).squareRoot()
    return deviation > max(1e-10 * abs(mean), 1e-100) ? deviation : 0
  }
}
