import Concurrency
import Foundation

@testable import Models

func naturalLogarithm(_ value: Double) -> Double { log(value) }

extension SplitMix64 {
  /// Draws from N(0, 1) (Box and Muller 1958, doi:10.1214/aoms/1177706645).
  mutating func nextGaussian() -> Double {
    (-2 * log(1 - nextUnit())).squareRoot() * cos(2 * .pi * nextUnit())
  }
}

/// People with random rows. Their parameters are drawn from a prior.
struct GaussianPeople {
  let prior: GaussianPrior
  var parameters: [[Double]] = []
  var rows: [PersonRows] = []

  /// `rowCount` returns the number of rows of one person.
  init(seed: UInt64, people: Int, _ prior: GaussianPrior, rowCount: (inout SplitMix64) -> Int) {
    self.prior = prior
    var random = SplitMix64(seed: seed)
    for _ in 0..<people {
      let own = prior.mean.indices.map {
        prior.mean[$0] + prior.variances[$0].squareRoot() * random.nextGaussian()
      }
      var person = PersonRows()
      for _ in 0..<rowCount(&random) {
        let z = [1] + (1..<prior.order).map { _ in random.nextGaussian() }
        person.z.append(z)
        person.y.append(
          zip(z, own).reduce(prior.noise.squareRoot() * random.nextGaussian()) { $0 + $1.0 * $1.1 })
      }
      parameters.append(own)
      rows.append(person)
    }
  }

  var sums: [SumsOfProducts] { rows.map { SumsOfProducts($0, order: prior.order) } }
}

extension SumsOfProducts {
  init(_ rows: PersonRows, order: Int) {
    self.init(order: order)
    for (z, y) in zip(rows.z, rows.y) { add(z, y) }
  }
}
