internal import Concurrency

/// People, and the spots of the cities that they travel through.
struct FriendsWorld: Sendable {
  let travellers: [Traveller]
  let rhythm: DailyRhythm
  let seed: UInt64
  /// By city.
  private let spots: [[Spot]]
  private let choices: [WeightedChoice]
  private let active: WeightedChoice

  init(travellers: [Traveller], rhythm: DailyRhythm, seed: UInt64) {
    self.travellers = travellers
    self.rhythm = rhythm
    self.seed = seed
    let spots = City.europe.enumerated().map { Spot.spots(of: $1, index: $0, seed: seed) }
    self.spots = spots
    choices = spots.map { WeightedChoice($0.map(\.weight)) }
    active = WeightedChoice(travellers.map(\.activity))
  }

  /// The index of somebody who checks in; nobody in particular where nobody ever does.
  func somebody(using generator: inout SplitMix64) -> Int {
    active.isEmpty ? generator.nextIndex(below: travellers.count) : active.next(using: &generator)
  }

  /// Where the traveller is at `instant`: a spot, and a place within some tens of metres of it.
  func whereabouts(
    of traveller: Int, at instant: Int64, using generator: inout SplitMix64
  ) -> (spot: Spot, place: Place) {
    let city = travellers[traveller].city(at: instant)
    let spot = spots[city][choices[city].next(using: &generator)]
    let (north, east) = (0.03 * generator.nextGaussian(), 0.03 * generator.nextGaussian())
    return (spot, spot.place.moved(north: north, east: east))
  }
}
