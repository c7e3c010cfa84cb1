/// What one pass over an export met.
package struct ReadSummary: Hashable, Sendable {
  /// Records handed out without a fault.
  package var records = 0
  /// Rows handed out with a fault.
  package var faults = 0
  /// Requested fields that no record had, not even as null, in the order of the request; empty when there was
  /// no record. Probably misspelt. Always empty for delimited files, whose header is checked first.
  package var neverPresent: [String] = []
  /// Names that there are, in order of appearance: the header's, or the top-level keys of the first
  /// `JSONPass.sampledRecords` objects (Firestore: of the documents' fields).
  package var namesSeen: [String] = []

  package init(
    records: Int = 0, faults: Int = 0, neverPresent: [String] = [], namesSeen: [String] = []
  ) {
    self.records = records
    self.faults = faults
    self.neverPresent = neverPresent
    self.namesSeen = namesSeen
  }

  /// The name that was seen and is most similar to `field`, or `nil` when none is close.
  ///
  /// For a path whose outermost key was not seen it is the name most similar to that key.
  package func nearestName(to field: String) -> String? {
    if let nearest = Exports.nearestName(to: field, among: namesSeen) { return nearest }
    guard let keys = try? FieldPath(field, file: ""), let outermost = keys.keys.first, keys.keys.count > 1
    else {
      return nil
    }
    return Exports.nearestName(to: String(decoding: outermost, as: UTF8.self), among: namesSeen)
  }
}
