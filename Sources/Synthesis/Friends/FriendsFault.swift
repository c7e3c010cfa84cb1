/// What is wrong with a planted check-in or post.
enum FriendsFault: Hashable, Sendable {
  case noPlace, emptyPlace, noPicture, nobody, noUser, badLatitude, badLongitude, nowhere, badTime
  /// Far in the future: nothing is wrong with the row, but it is later than any clock.
  case inTheFuture

  /// The rule that a check-in with it breaks; `nil` where none is.
  var rule: BrokenRule? {
    switch self {
    case .noPlace, .emptyPlace, .noPicture: .missingAttribute
    case .nobody: .unknownUser
    case .noUser: .missingID
    case .badLatitude: .badLatitude
    case .badLongitude: .badLongitude
    case .nowhere: .missingPosition
    case .badTime: .badTime
    case .inTheFuture: nil
    }
  }

  /// How many of 6 000 check-ins have the fault.
  static let ofCheckIns: [(FriendsFault, Int)] = [
    (.noPlace, 8), (.emptyPlace, 4), (.noPicture, 12), (.nobody, 6), (.noUser, 3), (.badLatitude, 3),
    (.badLongitude, 2), (.nowhere, 4), (.badTime, 3), (.inTheFuture, 2),
  ]

  /// How many of 6 000 posts have the fault.
  static let ofPosts: [(FriendsFault, Int)] = [
    (.nobody, 20), (.noUser, 10), (.badLatitude, 10), (.badTime, 10), (.inTheFuture, 8),
  ]

  /// The faults of `count` rows, the first of them; the others have none.
  static func planned(_ shares: [(FriendsFault, Int)], rows count: Int) -> [FriendsFault] {
    shares.flatMap { fault, share in Array(repeating: fault, count: count * share / 6000) }
  }
}
