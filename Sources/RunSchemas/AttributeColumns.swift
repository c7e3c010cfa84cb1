package import Columns
package import Files

/// The columns of an entity's attributes, by name, with one element per row.
package struct AttributeColumns: Sendable {
  package let categories: [String: CategoryColumn]
  /// The numbers; NaN for a missing number.
  package let numbers: [String: Column<Double>]
  /// The flags: 1 for true, 0 for false or missing.
  package let flags: [String: Column<UInt8>]
  package let texts: [String: StringColumn]
  package let tags: [String: TagColumn]
  /// The dates in milliseconds since 1970 UTC; `Int64.min` for a missing date.
  package let dates: [String: Column<Int64>]
  package let intervals: [String: IntervalColumn]

  /// Memory-maps the columns of `schema` in `directory`, which must have `count` rows each.
  package init(_ directory: String, _ schema: EntitySchema, count: Int) throws(FileError) {
    var categories: [String: CategoryColumn] = [:]
    var numbers: [String: Column<Double>] = [:]
    var flags: [String: Column<UInt8>] = [:]
    var texts: [String: StringColumn] = [:]
    var tags: [String: TagColumn] = [:]
    var dates: [String: Column<Int64>] = [:]
    var intervals: [String: IntervalColumn] = [:]
    for (name, type) in schema.attributes {
      let path = directory + "/" + name
      switch type {
      case .category: categories[name] = try CategoryColumn(path, count: count)
      case .number: numbers[name] = try Column(path + ".npy", count: count)
      case .flag: flags[name] = try Column(path + ".npy", count: count)
      case .text: texts[name] = try StringColumn(path, count: count)
      case .tags: tags[name] = try TagColumn(path, count: count)
      case .date: dates[name] = try Column(path + ".npy", count: count).checkedTimes(path + ".npy")
      case .intervals: intervals[name] = try IntervalColumn(path, count: count)
      }
    }
    self.categories = categories
    self.numbers = numbers
    self.flags = flags
    self.texts = texts
    self.tags = tags
    self.dates = dates
    self.intervals = intervals
  }

  /// Groups columns that are already open or in memory. All columns must have the same number of rows.
  package init(
    categories: [String: CategoryColumn] = [:], numbers: [String: Column<Double>] = [:],
    flags: [String: Column<UInt8>] = [:], texts: [String: StringColumn] = [:],
    tags: [String: TagColumn] = [:], dates: [String: Column<Int64>] = [:],
    intervals: [String: IntervalColumn] = [:]
  ) {
    self.categories = categories
    self.numbers = numbers
    self.flags = flags
    self.texts = texts
    self.tags = tags
    self.dates = dates
    self.intervals = intervals
  }
}
