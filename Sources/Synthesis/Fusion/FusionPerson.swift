/// One synthetic person, without the words of the profile. The words are generated when the document is
/// written.
struct FusionPerson: Sendable {
  /// The form of the person's position in the document.
  enum PositionForm: Sendable {
    case given, null, absent
  }

  /// The fault of the document.
  enum Fault: Hashable, Sendable {
    case latitudeOutOfRange, longitudeOutOfRange, latitudeNotANumber, experienceInWords, creationTimeInWords

    /// The rule that a document with this fault breaks.
    var rule: BrokenRule {
      switch self {
      case .latitudeOutOfRange, .latitudeNotANumber: .badLatitude
      case .longitudeOutOfRange: .badLongitude
      case .experienceInWords: .badNumber
      case .creationTimeInWords: .badTime
      }
    }
  }

  /// A second, older document of the same person.
  enum Duplicate: Hashable, Sendable {
    case olderFirst, olderLast
    /// Both documents have the same `updatedAt`, so their order determines which document is kept.
    case tie
  }

  /// The index in the population, in `0..<users`. The number in the id is the index plus one.
  var index: Int
  var id: String
  var city: Int
  var place: Place
  var positionForm = PositionForm.given
  var field: Int
  /// The index among the subfields of the field.
  var subfield: Int
  var role: Role
  /// The experience in years, 0 to 45; `nil` if the person did not enter it.
  var experience: Int?
  var createdAt: Int64
  /// The time of the last update, not before `createdAt`. For a deleted person, this is the time of deletion.
  var updatedAt: Int64
  var isDeleted = false
  var fault: Fault?
  var duplicate: Duplicate?
  /// Whether the person's app writes times with milliseconds.
  var writesMilliseconds: Bool

  /// The time at which the person leaves. From then on, the app does not show the person, and the person does
  /// not swipe.
  var leavesAt: Int64 { isDeleted ? updatedAt : .max }
}
