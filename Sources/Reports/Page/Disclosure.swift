/// The limit on group sizes that keeps figures from identifying people.
enum Disclosure {
  /// The smallest group that the report shows.
  static let leastPeople = 10

  /// A number of people. A number from 1 to 9 is not exact, because it could nearly identify the people.
  static func people(_ count: Int) -> Words {
    count == 0 || count >= leastPeople ? Words(.count(count)) : "fewer than \(.count(leastPeople))"
  }
}
