/// The minimum size of groups in reports. Figures about smaller groups could identify people.
enum Disclosure {
  /// The smallest group that the report shows.
  static let leastPeople = 10

  /// Returns the number of people as words. Numbers from 1 to 9 become `fewer than 10`, because exact small
  /// numbers could help to identify people.
  static func people(_ count: Int) -> Words {
    count == 0 || count >= leastPeople ? Words(.count(count)) : "fewer than \(.count(leastPeople))"
  }
}
