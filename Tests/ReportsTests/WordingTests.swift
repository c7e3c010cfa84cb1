import Ingest
import Testing

@testable import Reports

struct WordingTests {
  @Test(arguments: IngestRule.allCases)
  func `the report describes each reject rule`(rule: IngestRule) {
    #expect(Wording.rule(rule.rawValue) != rule.rawValue)
  }
}
