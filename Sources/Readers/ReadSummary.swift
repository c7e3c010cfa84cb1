/// The summary of one pass over an export.
package struct ReadSummary: Hashable, Sendable {
  /// The number of records without a fault.
  package var records = 0
  /// The number of rows with a fault.
  package var faults = 0
  /// Requested fields that no record has, not even as null, in the order of the request. They are probably
  /// misspelled. The array is empty if no record exists. It is always empty for delimited files, because
  /// their header is checked first.
  package var neverPresent: [String] = []
  /// Existing names, in order of appearance: the names in the header, or the top-level keys of the first
  /// `sampledRecords` objects. For Firestore, the names of the documents' fields.
  package var namesSeen: [String] = []
  /// For each name in `namesSeen`, the number of records before its first occurrence; empty for the names of
  /// a header.
  var recordsBefore: [Int] = []

  /// Evidence that records are missing; `nil` if no evidence was found. If a pass ends before the end of the
  /// file, later records can disprove the evidence.
  package var gap: ExportGap? { certainGap ?? lastError }
  /// Evidence that no later record can disprove.
  var certainGap: ExportGap?
  /// Evidence that the last record is an error that a server wrote in place of a record. If another record
  /// follows, the object counts as an ordinary record.
  var lastError: ExportGap?
  /// Whether the last page of a Firestore file names a next page.
  package var hasNextPage = false
  /// Whether the file is a response without any content, such as `{}`.
  package var isEmptyAnswer = false
  /// Whether the file contains a server's response that has no record, such as `{"results": []}`.
  package var hasEmptyPage = false
  /// The number of the last row of a delimited file, if no line break follows it; otherwise `nil`.
  package var unendedRow: Int?
  /// The number of records of the whole Parse class, according to the last page with a `count`; `nil` if no
  /// page has a `count`.
  package var announced: Int?

  /// The maximum number of records whose key names are stored for messages.
  static let sampledRecords = 100
  /// The number of names after which no further records are sampled. Without this limit, memory could grow
  /// with the file, because names may be ids.
  static let sampledNames = 200

  package init(
    records: Int = 0, faults: Int = 0, neverPresent: [String] = [], namesSeen: [String] = []
  ) {
    self.records = records
    self.faults = faults
    self.neverPresent = neverPresent
    self.namesSeen = namesSeen
  }

  /// Adds the summary of the next part of the same file.
  ///
  /// The sum equals the summary of one pass over both parts.
  package mutating func add(_ next: ReadSummary) {
    if records == 0 {
      neverPresent = next.neverPresent
    } else if next.records > 0 {
      neverPresent = neverPresent.filter(next.neverPresent.contains)
    }
    addNames(next)
    certainGap = certainGap ?? next.certainGap
    let hasContent = next.records + next.faults > 0 || next.isEmptyAnswer || next.hasEmptyPage
    if hasContent || next.lastError != nil { lastError = next.lastError }
    // The value of the last page counts. A part without a page does not change the value.
    if next.records > 0 || next.isEmptyAnswer { hasNextPage = next.hasNextPage }
    isEmptyAnswer = (isEmptyAnswer || next.isEmptyAnswer) && records + next.records == 0
    hasEmptyPage = hasEmptyPage || next.hasEmptyPage
    unendedRow = next.unendedRow ?? unendedRow
    announced = next.announced ?? announced
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
      // The limit is checked per record, so that a record adds all of its names or no name.
      guard record == last || namesSeen.count < Self.sampledNames else { return }
      last = record
      namesSeen.append(name)
      recordsBefore.append(record)
    }
  }

  /// Returns the existing name that is most similar to `field`; `nil` if no name is similar.
  ///
  /// If no name is similar to a whole path, the outermost key of the path is compared instead.
  package func nearestName(to field: String) -> String? {
    if let nearest = Readers.nearestName(to: field, among: namesSeen) { return nearest }
    guard let keys = try? FieldPath(field, file: ""), let outermost = keys.keys.first, keys.keys.count > 1
    else {
      return nil
    }
    return Readers.nearestName(to: String(decoding: outermost, as: UTF8.self), among: namesSeen)
  }
}
