import Testing

@testable import Evaluation

/// Assigns users to slices, including values on the boundary between two slices.
@Suite struct SlicingTests {
  @Test func `users are divided by the number of interactions to learn from`() {
    let slicing = Slicing("learning_interactions", [0, 1, 4, 5, 19, 20, 21])
    #expect(slicing.slices == ["0", "1-4", "5-19", "20+"])
    #expect(slicing.sliceOfRow == [0, 1, 1, 2, 2, 3, 3])
  }

  @Test func `users are divided into quarters from the sparsest to the densest area`() throws {
    let slicing = try #require(Slicing(inReach: [8, 7, 6, 5, 4, 3, 2, 1]))
    #expect(slicing.slices == ["1-2", "3-4", "5-6", "7-8"])
    #expect(slicing.sliceOfRow == [3, 3, 2, 2, 1, 1, 0, 0])
  }

  @Test func `equal counts stay in one group`() throws {
    let slicing = try #require(Slicing(inReach: [0, 0, 5, 0, 0]))
    #expect(slicing.slices == ["0", "1-5"] && slicing.sliceOfRow == [0, 0, 1, 0, 0])
    let full = try #require(Slicing(inReach: [1, 9, 9, 9, 9]))
    // All quartiles equal the largest count, so only one slice remains.
    #expect(full.slices == ["1-9"] && full.sliceOfRow == [0, 0, 0, 0, 0])
    #expect(Slicing(inReach: [3, 3, 3]) == nil && Slicing(inReach: []) == nil)
  }

  @Test func `words are ordered by frequency, then by bytes`() throws {
    let slicing = Slicing("city", try ByHand.category(["b", "c", nil, "a", "c", "b", nil]))
    #expect(slicing.slices == ["b", "c", "a", "(missing)"])
    #expect(slicing.sliceOfRow == [0, 1, 3, 2, 1, 0, 3])
  }

  @Test(arguments: [(23, false), (24, false), (25, true), (26, true)])
  func `up to 24 words have slices, and otherwise only the 23 most frequent ones`(
    _ words: Int, _ isMore: Bool
  )
    throws
  {
    // Each word has fewer rows than the word before it.
    let column = try ByHand.category(
      (0..<words).flatMap { word in
        Array(repeating: Optional(String(word + 100)), count: words - word)
      })
    let slicing = Slicing("city", column)
    #expect(slicing.slices.contains("(other)") == isMore)
    #expect(slicing.slices.count == (isMore ? 23 + 2 : words + 1))
    #expect(slicing.slices.prefix(23) == (100..<123).map(String.init)[...])
    // Each user is in the slice of their own word or in the slice of all remaining words.
    let own = (0..<words).flatMap { word in
      Array(repeating: Optional(isMore ? min(word, 23) : word), count: words - word)
    }
    #expect(slicing.sliceOfRow == own)
  }

  @Test func `an account under thirty days old is new, and an account of unknown age is in no slice`() {
    let days = Int64(30 * 86_400_000)
    let slicing = Slicing(
      created: [1000, 1001, 999, .min, 5000], asOf: [1000 + days, 1000 + days, 1000 + days, days, 5000])
    #expect(slicing.sliceOfRow == [1, 0, 1, nil, 0])
    #expect(slicing.slices == ["new (under 30 days)", "old"])
  }
}
