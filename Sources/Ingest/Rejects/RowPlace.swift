internal import Readers

/// The place of a row in the files of its source.
struct RowPlace: Sendable {
  /// The number of the file in the reject log of the source.
  var file: Int
  var unit: PlaceUnit
  var number: Int
}

extension RejectLog {
  /// Returns the place as text, such as `users.csv, line 17`.
  func shown(_ place: RowPlace) -> String {
    "\(files[place.file]), \(place.unit.rawValue) \(place.number)"
  }
}
