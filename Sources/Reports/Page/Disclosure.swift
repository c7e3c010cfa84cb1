/// The smallest number of people about whom the report states a figure.
enum Disclosure {
  /// No group of fewer people is shown.
  static let leastPeople = 10

  /// A number of people: exact, unless it is so small that it is next to naming them.
  static func people(_ count: Int) -> Words {
    count == 0 || count >= leastPeople ? Words(.count(count)) : "fewer than \(.count(leastPeople))"
  }
}
