import Testing

@testable import Models

/// The prior distribution of a person's parameters.
struct GaussianPriorTests {
  @Test(arguments: [
    ([3, 0, 0], Double.infinity, true), ([3, 0, 0.1], .infinity, false), ([0, -0.1, 0], .infinity, false),
    ([0, 0, 0], 1, false), ([3], .infinity, true),
  ])
  func `a prior has no taste if its base is free and the means of all coefficients are 0`(
    mean: [Double], base: Double, hasNoTaste: Bool
  ) {
    let variances = [base] + mean.dropFirst().map { _ in 0.5 }
    #expect(GaussianPrior(mean: mean, variances: variances, noise: 1).hasNoTaste == hasNoTaste)
  }

  @Test func `a spread multiplies the deviations of all coefficients except the base`() {
    let prior = GaussianPrior(mean: [1, 2, 3], variances: [4, 0.5, 2], noise: 7)
    #expect(prior.spread(by: 3) == GaussianPrior(mean: [1, 2, 3], variances: [4, 4.5, 18], noise: 7))
    #expect(prior.spread(by: 1) == prior && prior.order == 3)
  }
}
