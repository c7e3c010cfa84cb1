import Concurrency
import Files
import Foundation
import PipelineFile
import StageFixture
import Testing
import Text

@testable import Ranking

/// Random seekers who ask hosts for rooms, with the answers. The type also contains a slow second
/// implementation of the rules for requests.
struct RequestWorld {
  struct Request {
    var seeker: Int
    var room: Int
    var at: Int
    var status: String
    var changed: Int
  }

  let owners: [Int]
  let seekers: Int
  let hosts: Int
  let requests: [Request]
  let fixture: StageFixture

  static let asOf = 1000

  /// Creates the world of `seed` and a pipeline file with `rankings`. The search scans few rooms
  /// one by one and searches many rooms in blocks.
  init(seed: UInt64, rankings: String, rooms: Int) throws {
    var random = SplitMix64(seed: seed)
    let (seekers, hosts) = (40, 15)
    self.seekers = seekers
    self.hosts = hosts
    owners = (0..<rooms).map { _ in Int.random(in: 0..<hosts, using: &random) }
    requests = (0..<150).map { _ in
      let at = Int.random(in: 1...1200, using: &random)
      return Request(
        seeker: Int.random(in: 0..<seekers, using: &random), room: Int.random(in: 0..<rooms, using: &random),
        at: at, status: ["pending", "accepted", "refused", "withdrawn"].randomElement(using: &random) ?? "",
        changed: at + Int.random(in: 1...400, using: &random))
    }
    fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        privacy: { snap_positions_to: 12 }
        entities:
          hosts: { source: { path: hosts.csv }, id: id }
          seekers:
            source: { path: seekers.csv }
            id: id
            position: { latitude: lat, longitude: lon }
            attributes: { age: { type: number }, born: { type: date } }
          rooms:
            source: { path: rooms.csv }
            id: id
            created: at
            owner: { from: host, entity: hosts }
            position: { latitude: lat, longitude: lon }
            attributes: { free: { type: flag } }
        interactions:
          trusts:
            source: { path: trusts.csv }
            user: { from: h, entity: hosts }
            candidate: { from: s, entity: seekers }
            at: t
            value: v
        requests:
          asks:
            source: { path: asks.csv }
            user: { from: s, entity: seekers }
            candidate: { from: r, entity: rooms }
            at: t
            status: status
            changed: c
        models:
          trust: { learns_from: trusts, features: [{ number: age }], prior: population }
        rankings:
        \(rankings)
        """,
      files: [
        "hosts.csv": "id\n" + (0..<hosts).map { "h\($0)\n" }.joined(),
        "seekers.csv": "id,lat,lon,age,born\n"
          + (0..<seekers).map {
            "s\($0),\(50 + Double.random(in: 0..<1, using: &random)),8,\($0 % 7),1990-01-0\($0 % 9 + 1)\n"
          }.joined(),
        "rooms.csv": "id,at,host,lat,lon,free\n"
          + owners.enumerated().map {
            "r\($0),\($0 % 17),h\($1),\(50 + Double.random(in: 0..<1, using: &random)),8.1,\($0 % 3 == 0 ? 0 : 1)\n"
          }.joined(),
        "trusts.csv": "h,s,t,v\n"
          + (0..<60).map {
            "h\($0 % hosts),s\($0 * 7 % seekers),\($0 + 1),\($0 * 7 % seekers % 7 > 3 ? 1 : -1)\n"
          }.joined(),
        "asks.csv": "s,r,t,status,c\n"
          + requests.map { "s\($0.seeker),r\($0.room),\($0.at),\($0.status),\($0.changed)\n" }.joined(),
      ])
  }

  /// The status of each seeker's last request for each room at the as-of time, and the time of its
  /// last change.
  private var inForce: [[Int]: (at: Int, changed: Int, status: String)] {
    var found: [[Int]: (at: Int, changed: Int, status: String)] = [:]
    for request in requests where request.at <= Self.asOf {
      let isKnown = request.changed <= Self.asOf && request.status != "pending"
      let seen = (
        at: request.at, changed: isKnown ? request.changed : .min,
        status: isKnown ? request.status : "pending"
      )
      let key = [request.seeker, request.room]
      if let other = found[key], (other.at, other.changed) > (seen.at, seen.changed) { continue }
      found[key] = seen
    }
    return found
  }

  /// The time since which a seeker and a host are friends.
  var friends: [[Int]: Int] {
    var friends: [[Int]: Int] = [:]
    for (key, request) in inForce where request.status == "accepted" {
      let pair = [key[0], owners[key[1]]]
      friends[pair] = min(friends[pair] ?? .max, request.changed)
    }
    return friends
  }

  /// For each host, the seekers who wait for an answer.
  var pending: [Int: Set<Int>] {
    var pending: [Int: Set<Int>] = [:]
    for (key, request) in inForce where request.status == "pending" {
      pending[owners[key[1]], default: []].insert(key[0])
    }
    return pending
  }

  func run(threads: Int = 2) throws -> [String: Manifest] {
    try fixture.runStages(threads: threads, asOf: Instant(milliseconds: Int64(Self.asOf)))
  }
}
