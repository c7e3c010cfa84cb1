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
  /// `sampledRecords` objects (Firestore: of the documents' fields).
  package var namesSeen: [String] = []
  /// How many records came before the one that brought each of `namesSeen`.
  var recordsBefore: [Int] = []

  /// From how many records the names of keys are remembered for messages.
  static let sampledRecords = 100
  /// No more records are asked for names when so many are known: they may be ids, of which there is no end.
  static let sampledNames = 200

  package init(
    records: Int = 0, faults: Int = 0, neverPresent: [String] = [], namesSeen: [String] = []
  ) {
    self.records = records
    self.faults = faults
    self.neverPresent = neverPresent
    self.namesSeen = namesSeen
  }

  /// Adds what a pass over the next part of the same file met.
  ///
  /// The sum is what one pass over both parts meets.
  package mutating func add(_ next: ReadSummary) {
    if records == 0 {
      neverPresent = next.neverPresent
    } else if next.records > 0 {
      neverPresent = neverPresent.filter(next.neverPresent.contains)
    }
    addNames(next)
    records += next.records
    faults += next.faults
  }

  private mutating func addNames(_ next: ReadSummary) {
    // The names of a header are the same in every part.
    if namesSeen.isEmpty || next.recordsBefore.isEmpty {
      if namesSeen.isEmpty {
        (namesSeen, recordsBefore) = (next.namesSeen, next.recordsBefore.map { $0 + records })
      }
      return
    }
    var last = -1
    for (name, before) in zip(next.namesSeen, next.recordsBefore) where !namesSeen.contains(name) {
      let record = records + before
      guard record < Self.sampledRecords else { return }
      // All names of a record are taken, or none.
      guard record == last || namesSeen.count < Self.sampledNames else { return }
      last = record
      namesSeen.append(name)
      recordsBefore.append(record)
    }
  }

  /// The name that was seen and is most similar to `field`, or `nil` when none is close.
  ///
  /// For a path whose outermost key was not seen it is the name most similar to that key.
  package func nearestName(to field: String) -> String? {
    if let nearest = Readers.nearestName(to: field, among: namesSeen) { return nearest }
    guard let keys = try? FieldPath(field, file: ""), let outermost = keys.keys.first, keys.keys.count > 1
    else {
      return nil
    }
    return Readers.nearestName(to: String(decoding: outermost, as: UTF8.self), among: namesSeen)
  }
}
