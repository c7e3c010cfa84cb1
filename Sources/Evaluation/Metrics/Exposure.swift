package import Ranking

extension Exposure {
  /// Computes the exposures of candidates from `lists`. The lists contain candidate numbers from 0 to
  /// `candidates` - 1. Each place on a list adds `DiscountedGain.discount`, or 1 if `isDiscounted` is false.
  package init(lists: [[Int]], candidates: Int, isDiscounted: Bool) {
    var exposures = [Double](repeating: 0, count: candidates)
    for list in lists {
      for (index, candidate) in list.enumerated() {
        exposures[candidate] += isDiscounted ? DiscountedGain.discount(atPlace: index + 1) : 1
      }
    }
    self.init(exposures)
  }
}
