/// The limit on group sizes that keeps figures from identifying people.
enum Disclosure {
  /// The smallest group that the report shows.
  static let leastPeople = 10

  /// A number of people. It is exact unless it is so small that it could nearly identify them.
  static func people(_ count: Int) -> Words {
    count == 0 || count >= leastPeople ? Words(.count(count)) : "fewer than \(.count(leastPeople))"
  }
}
