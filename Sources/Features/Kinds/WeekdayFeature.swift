internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: WeekdayFeature) -> BoundValues {
    BoundValues(codes: candidates.weekdays(feature.attribute), EntityTable.weekdayNames)
  }
}

extension EntityTable {
  fileprivate static let weekdayNames = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// Returns the weekday (UTC) of each row's date, as an index into `weekdayNames`.
  fileprivate func weekdays(_ name: String) -> [UInt32] {
    guard let column = dates[name] else {
      preconditionFailure("the snapshot does not contain the date '\(name)'")
    }
    return column.elements.map { instant in
      guard instant != .min else { return CategoryColumn.missing }
      // Before 1970, rounding down gives the correct day, but truncation does not. January 1, 1970, was a
      // Thursday.
      let days = (Double(instant) / 86_400_000).rounded(.down)
      let day = (Int(days) + 3) % 7
      return UInt32(day < 0 ? day + 7 : day)
    }
  }
}
