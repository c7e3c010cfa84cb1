internal import Columns
internal import Files

/// Opens the columns of an entity or of its earlier versions.
struct EntityColumns {
  private let directory: String
  private let count: Int

  init(_ directory: String, count: Int) { (self.directory, self.count) = (directory, count) }

  func times(_ name: String) throws(FileError) -> Column<Int64> {
    let path = "\(directory)/\(name).npy"
    return try Column<Int64>(path, count: count).checkedTimes(path)
  }

  /// Opens a column of degrees from `-limit` to `limit`; NaN means that a row has no position.
  func angles(_ name: String, within limit: Double) throws(FileError) -> Column<Double> {
    let path = "\(directory)/\(name).npy"
    return try Column<Double>(path, count: count).checked(within: limit, path)
  }
}
