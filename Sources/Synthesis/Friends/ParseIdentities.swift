internal import Concurrency

/// Generates ids in the form of Parse: ten letters and digits, without duplicates.
struct ParseIdentities {
  private var taken: Set<String> = []
  private var generator: SplitMix64
  private static let characters = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".unicodeScalars)

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed, purpose: .friendsIdentities)
  }

  mutating func next() -> String {
    while true {
      var id = ""
      for _ in 0..<10 { id.unicodeScalars.append(generator.pick(Self.characters)) }
      if taken.insert(id).inserted { return id }
    }
  }
}
