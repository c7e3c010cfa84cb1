import Concurrency
import PipelineFile
import StageFixture
import Testing
import Text

@testable import Evaluation

/// Events after the cut must not change any list or score as of the cut.
struct LeakTests {
  /// Makes 60 people around two cities and 600 swipes at the times 1 to 1000. The cut is at the time 800.
  private static func world(_ change: (inout [String], inout [String]) -> Void = { _, _ in }) throws
    -> [String:
    String]
  {
    var random = SplitMix64(seed: 11)
    let fields = ["Art", "Law", "Music"]
    var people = (0..<60).map { index in
      let latitude = 50 + Double(Int.random(in: 0...20, using: &random)) / 10
      let field = fields[Int.random(in: 0..<3, using: &random)]
      return "p\(100 + index),1,1,\(latitude),\(8 + Double(index % 7) / 10),,\(field),"
    }
    var swipes = (0..<600).map { index in
      let who = Int.random(in: 0..<60, using: &random)
      let whom = (who + Int.random(in: 1..<60, using: &random)) % 60
      return
        "p\(100 + who),p\(100 + whom),\(1 + (index * 999) / 599),\(Bool.random(using: &random) ? "r" : "l")"
    }
    change(&people, &swipes)
    let fixture = try SmallWorld.fixture(
      people: people, swipes: swipes, evaluation: "{ cut: '1970-01-01T00:00:00.800Z', at: [3] }")
    try fixture.runStages()
    let metrics = try fixture.evaluate().metrics
    var files: [String: String] = [:]
    let ranking = try #require(metrics["rankings"]?["near"])
    for method in Method.ofScores where ranking["left_out"]?[method.rawValue] == nil {
      files[method.rawValue] = String(
        decoding: try fixture.bytes("evaluation/trec/near.\(method.rawValue).run"), as: UTF8.self)
    }
    #expect(files.count >= 7)
    #expect(metrics["rankings"]?["near"]?["users"]?["as_of_cut"] == 60)
    return files
  }

  private static let before = Result { try world() }

  @Test func `likes and passes after the cut change no list`() throws {
    let after = try Self.world { _, swipes in
      // After the cut, everyone likes p100 and passes on p101, and p101 likes everyone.
      for index in 1..<60 { swipes.append("p\(100 + index),p100,900,r") }
      for index in 2..<60 {
        swipes.append("p101,p\(100 + index),901,r")
        swipes.append("p\(100 + index),p101,902,l")
      }
    }
    #expect(try after == Self.before.get())
  }

  @Test func `later versions of profiles change no list`() throws {
    let after = try Self.world { people, _ in
      // Newer rows of the same ids change positions and fields. One of them deletes the person.
      people.append("p105,1,850,40,8,,Law,")
      people.append("p106,1,900,50,8,,Music,")
      people.append("p107,1,801,50,8,,Art,true")
    }
    #expect(try after == Self.before.get())
  }

  @Test func `people who joined after the cut change no list`() throws {
    let after = try Self.world { people, swipes in
      people.append("p999,850,850,50,8,,Sculpture,")
      for index in 0..<60 {
        swipes.append("p\(100 + index),p999,900,r")
        swipes.append("p999,p\(100 + index),901,l")
      }
    }
    #expect(try after == Self.before.get())
  }

  /// A negative control for the tests above: the same events before the cut do change lists.
  @Test func `events before the cut change lists`() throws {
    let after = try Self.world { _, swipes in
      for index in 1..<60 { swipes.append("p\(100 + index),p100,700,r") }
    }
    #expect(try after["like_rate"] != Self.before.get()["like_rate"])
    let moved = try Self.world { people, _ in people.append("p105,1,700,40,8,,Law,") }
    #expect(try moved["nearest"] != Self.before.get()["nearest"])
  }
}
