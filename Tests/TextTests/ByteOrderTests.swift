import Testing

@testable import Text

/// Compares the order of ids with the order of the standard library's arrays.
@Suite struct ByteOrderTests {
  private static let texts: [[UInt8]] = [[], [0], [0, 0], [0, 255], [1], [127], [128], [255], [255, 0]]

  @Test func `texts are ordered by bytes, with prefixes first`() {
    for (index, left) in Self.texts.enumerated() {
      for (other, right) in Self.texts.enumerated() {
        #expect(ByteOrder.precedes(left.span, right.span) == (index < other), "\(left), \(right)")
        #expect(ByteOrder.equal(left.span, right.span) == (index == other), "\(left), \(right)")
      }
    }
  }

  @Test(
    arguments: [
      ([1], [1], true), ([1], [0, 1], true), ([1, 2], [1, 1, 2], true), ([1], [], false),
      ([1, 2], [1], false),
      ([1, 2], [2, 1], false), ([0], [1, 0], true),
    ] as [([UInt8], [UInt8], Bool)])
  func `a part is found at the start, within and at the end`(part: [UInt8], text: [UInt8], isFound: Bool) {
    #expect(ByteOrder.contains(part, in: text.span) == isFound)
  }
}
