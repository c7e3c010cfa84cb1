import Foundation
import Testing
import TestSupport

/// Erasing a person from Finding Friends also removes the person's check-ins and posts. The real
/// programs run on exports in which every text that belongs to one person contains `CANARY`.
struct FriendsErasureTests {
  private static let person = "CANARY"

  private func exports() -> FriendsExports {
    var exports = FriendsExports()
    for (index, id) in ["u1", "u2", "u3", Self.person, "u4", "u5"].enumerated() {
      let own = id == Self.person ? "CANARY " : ""
      exports.user(id)
      for hour in 1...2 {
        exports.checkIn(
          "\(own)visit \(index) \(hour)", id, "0\(hour):0\(index):00.000", 50 + Double(hour) / 10000, 8,
          place: "\(own)place", picture: "https://x.example/\(own)\(index).jpg")
      }
      // A check-in without a picture is a reject.
      exports.checkIn("\(own)bare \(index)", id, "03:00:00.000", 50, 8, place: "\(own)place", picture: "")
      for number in 1...3 {
        exports.post(
          "\(own)post \(index) \(number)", id, "00:0\(number):00.000", 50, 8 + Double(index) / 1000)
      }
      exports.post("\(own)post \(index) 1", id, "00:01:00.000", 50, 8)
    }
    exports.post("CANARY adrift", Self.person, "no time", 50, 8)
    return exports
  }

  @Test func `no text of the person, their posts and their check-ins remains`() throws {
    let directory = try ScratchDirectory()
    try exports().write(to: directory)
    let more = ["--set", "reject_limit=1", "--set", "dangling_limit=1"]
    let run = try FriendsRun(exports: directory.path, more)
    try #require(run.ended.ending == .status(0), "\(run.ended.errors)")
    func nightjar(_ verb: String, _ arguments: String...) throws -> Program.Finished {
      let ended = try Program.run("nightjar", [verb] + run.chosen + more + arguments)
      try #require(ended.ending == .status(0), "\(ended.output)\(ended.errors)")
      #expect(!ended.output.contains("CANARY") && !ended.errors.contains("CANARY"), "an id is printed")
      return ended
    }
    _ = try nightjar("run")
    // Before the erasure, the search must find the canaries in all of these places.
    let before = try CanarySearch.files(in: run.directory.path)
    let runs = "var/finding-friends/runs"
    for place in [
      "\(runs)/1/snapshot/entities/posts/id.utf8", "\(runs)/2/snapshot/entities/users/attributes/place.utf8",
      "\(runs)/1/rankings/posts/part-00000.jsonl", "\(runs)/2/rankings/map.csv",
      "\(runs)/1/snapshot/rejects.csv", "serving.sqlite",
    ] { #expect(before.contains(place), "\(place) of \(before)") }

    let erased = try nightjar("erase", "--user", Self.person, "--entity", "users")
    for place in ["run 1: removed 4 rows, ", "run 2: removed 4 rows, ", "generation"] {
      #expect(erased.output.contains(place), "\(erased.output)")
    }
    let left = try CanarySearch.files(in: run.directory.path)
    #expect(left == [])
    _ = try nightjar("verify")
    let again = try nightjar("erase", "--user", Self.person)
    #expect(again.output.contains("not found"))

    _ = try nightjar("run")
    let leftThen = try CanarySearch.files(in: run.directory.path)
    #expect(leftThen == [])
    let sources = try json(run.directory("\(runs)/3/snapshot/manifest.json")).object("counts").object(
      "sources")
    for (source, count) in [("users", 1), ("posts", 5), ("check_ins", 3)] {
      #expect(sources.object(source)["erased"] as? Int == count, "\(source)")
    }
    _ = try nightjar("erase", "--user", Self.person, "--lift")
    _ = try nightjar("run")
    let back = try CanarySearch.files(in: run.directory.path)
    #expect(back.contains("\(runs)/4/snapshot/entities/posts/id.utf8"))
  }
}
