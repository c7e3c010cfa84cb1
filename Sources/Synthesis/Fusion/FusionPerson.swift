/// One invented person, without the words of the profile: those are made when they are written.
struct FusionPerson: Sendable {
  /// The form of the person's position in the document.
  enum PositionForm: Sendable {
    case given, null, absent
  }

  /// The fault of the document.
  enum Fault: Hashable, Sendable {
    case latitudeOutOfRange, longitudeOutOfRange, latitudeNotANumber, experienceInWords, creationTimeInWords

    /// The rule that the document breaks.
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
    /// Both have the same `updatedAt`, so only their order decides which one counts.
    case tie
  }

  /// A position in the population, in `0..<users`; the id says one more.
  var index: Int
  var id: String
  var city: Int
  var place: Place
  var positionForm = PositionForm.given
  var field: Int
  /// Among those of the field.
  var subfield: Int
  var role: Role
  /// Years; 0 to 45.
  var experience: Int?
  var createdAt: Int64
  /// Not before `createdAt`; for deleted people the moment of deletion.
  var updatedAt: Int64
  var isDeleted = false
  var fault: Fault?
  var duplicate: Duplicate?
  /// The person's app writes milliseconds.
  var writesMilliseconds: Bool

  /// The moment after which the person is neither shown nor swipes.
  var leavesAt: Int64 { isDeleted ? updatedAt : .max }
}
