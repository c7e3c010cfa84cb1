internal import Concurrency

/// A dog's profile as entered by its owner.
struct Dog: Sendable {
  enum Size: String, CaseIterable, Sendable { case small, medium, large }

  var id: String
  var owner: Int
  var name: String
  /// The index in `breeds`.
  var breed: Int
  /// The birth date in days since 1970-01-01.
  var born: Int64
  var createdAt: Int64
  /// The index in `County.all`.
  var county: Int
  var place: Place
  var hasPlace: Bool
  /// Whether the dog is available; `nil` if the owner did not answer this question.
  var isAvailable: Bool?

  var size: Size { Self.breeds[breed].size }

  static let breeds: [(name: String, size: Size)] = [
    ("Irish Wolfhound", .large), ("Irish Setter", .large), ("Kerry Blue Terrier", .medium),
    ("Irish Water Spaniel", .medium), ("Irish Terrier", .medium), ("Glen of Imaal Terrier", .small),
    ("Soft Coated Wheaten Terrier", .medium), ("Labrador", .large), ("Border Collie", .medium),
    ("Jack Russell", .small), ("Cockapoo", .small), ("Greyhound", .large), ("Lurcher", .large),
    ("Crossbreed", .medium), ("Bichon Frise", .small), ("German Shepherd", .large),
  ]

  static let names = [
    "Bran", "Sceolan", "Oscar", "Fionn", "Síofra", "Luna", "Milo", "Teddy", "Bailey", "Ruairí", "Méabh",
    "Daisy", "Max", "Rex", "Poppy", "Seoirse", "Guinness", "Clover", "Banjo", "Cú", "Pippin", "Molly",
  ]

  /// Generates the dogs of `owners`, one to three per owner. The dogs live near their owners' homes.
  static func all(
    of owners: [MadraPerson], seed: UInt64, until end: Int64
  ) -> [Dog] {
    let choice = WeightedChoice(breeds.indices.map { 1 + Double($0 % 5) })
    var dogs: [Dog] = []
    for (index, owner) in owners.enumerated() {
      var generator = SplitMix64(seed: seed, purpose: .madraDogs, index: index)
      let count = 1 + Int(generator.nextUnit() * generator.nextUnit() * 3)
      for _ in 0..<count {
        let place = owner.place.scattered(by: 0.3, using: &generator)
        dogs.append(
          Dog(
            id: "dog" + CivilTime.padded(dogs.count, 5), owner: index, name: generator.pick(names),
            breed: choice.next(using: &generator),
            born: end / CivilTime.day - Int64(90 + generator.nextIndex(below: 13 * 365)),
            createdAt: generator.nextInstant(in: owner.createdAt..<end), county: owner.county,
            place: place,
            hasPlace: generator.nextBool(probability: 0.97),
            isAvailable: generator.nextBool(probability: 0.02)
              ? nil : generator.nextBool(probability: 0.88)))
      }
    }
    return dogs
  }
}
