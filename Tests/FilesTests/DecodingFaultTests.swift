import Foundation
import Testing

@testable import Files

struct DecodingFaultTests {
  private struct Outer: Decodable {
    struct Inner: Decodable {
      var number: Int
      var sums: BlockChecksums?
    }

    var inner: [Inner]
  }

  @Test(arguments: [
    ("{", "it is not JSON"), ("[]", "its outermost value has the wrong type"),
    ("{}", "the key 'inner' is missing"),
    (#"{"inner":[{"number":1},{}]}"#, "the key 'inner.1.number' is missing"),
    (#"{"inner":{}}"#, "the value of 'inner' has the wrong type"),
    (#"{"inner":[{"number":"1"}]}"#, "the value of 'inner.0.number' has the wrong type"),
    (#"{"inner":[{"number":null}]}"#, "the value of 'inner.0.number' has the wrong type"),
    (#"{"inner":[{"number":1,"sums":"x"}]}"#, "the value of 'inner.0.sums' is invalid"),
  ])
  func `a message names the place of the wrong value`(json: String, message: String) throws {
    let error = try #require(throws: DecodingError.self) {
      try JSONDecoder().decode(Outer.self, from: Data(json.utf8))
    }
    #expect(DecodingFault.text(error) == message)
  }

  @Test func `another error keeps its own message`() {
    struct Other: LocalizedError {
      var errorDescription: String? { "the other message" }
    }
    #expect(DecodingFault.text(Other()) == "the other message")
  }
}
