/// The faults of broken rows in Madra's exports. The broken rows are added to the valid rows, and other rows
/// do not refer to them.
enum MadraFault {
  enum Account: CaseIterable, Sendable {
    case badCreated, badBorn, badLatitude, noType, shelter

    /// The broken rule; `nil` if ingest skips the row because of its account type.
    var rule: BrokenRule? {
      switch self {
      case .badCreated: .badTime
      case .badBorn: .badDate
      case .badLatitude: .badLatitude
      case .noType, .shelter: nil
      }
    }
  }

  enum Dogs: CaseIterable, Sendable {
    case unknownCounty, unknownSize, noOwner, unknownOwner, badLongitude, badBorn

    var rule: BrokenRule {
      switch self {
      case .unknownCounty, .unknownSize: .unknownName
      case .noOwner: .missingID
      case .unknownOwner: .unknownOwner
      case .badLongitude: .badLongitude
      case .badBorn: .badDate
      }
    }
  }

  enum Swipe: CaseIterable, Sendable {
    case unknownMinder, unknownDog, badDirection, badTime, badStatus, unansweredAnswer, noMinder

    /// The rules that the document breaks when it is read as a decision, as a request, and as an answer.
    var rules: (decision: BrokenRule?, request: BrokenRule?, answer: BrokenRule?) {
      switch self {
      case .unknownMinder: (.unknownUser, nil, nil)
      case .unknownDog: (.unknownCandidate, nil, nil)
      // Without a valid direction, the document is not a request, so the source of requests skips it.
      case .badDirection: (.unknownValue, nil, nil)
      case .badTime: (.badTime, nil, nil)
      case .badStatus: (nil, .unknownValue, nil)
      case .unansweredAnswer: (nil, .badTime, .badTime)
      case .noMinder: (.missingID, nil, nil)
      }
    }
  }
}
