/// A trade, such as plumbing.
struct Trade: Sendable {
  var name: String
  /// The usual price per hour.
  var price: Double
  /// The relative frequency of jobs and workers.
  var weight: Double

  static let all = [
    Trade(name: "plumbing", price: 62, weight: 5), Trade(name: "electrics", price: 58, weight: 4),
    Trade(name: "car", price: 71, weight: 3), Trade(name: "furniture", price: 38, weight: 4),
    Trade(name: "painting", price: 34, weight: 3), Trade(name: "garden", price: 29, weight: 3),
    Trade(name: "locks", price: 85, weight: 1),
  ]
}
