import Testing
import TestSupport

/// Rooms and people who look for a room. This product has no code of its own. Its pipeline file
/// uses the keys in docs/reference/pipeline-file.
struct SixthProductTests {
  private let scratch: ScratchDirectory

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write(
      """
      pipeline: flats
      as_of: newest
      privacy: { snap_positions_to: 6 }
      entities:
        seekers: { source: { path: seekers.csv }, id: id, position: { latitude: lat, longitude: lon } }
        rooms:
          source: { path: rooms.csv }
          id: id
          created: since
          owner: { from: landlord, entity: seekers, optional: true }
          position: { latitude: lat, longitude: lon }
          attributes:
            rent: { type: number }
            town: { type: category, names: { Cork: [Corcaigh], Galway: ~ } }
            gone: { type: flag }
      rankings:
        rooms_near:
          users: seekers
          candidates: rooms
          within_km: 20
          exclude: [self, gone]
          order_by: [rent asc, distance]
          top: 5
          show: [rent, town]
        by_town: { catalog: rooms, by: [town], exclude: [gone], order_by: newest, show: [rent] }
      publish: { store: "sqlite:serving.sqlite", positions: { rooms: { exclude: [gone] } } }

      """, to: "flats.yaml")
    try scratch.write("id,lat,lon\ns1,51.9,-8.47\ns2,53.27,-9.05\nr2,10,10\n", to: "seekers.csv")
    try scratch.write(
      """
      id,landlord,lat,lon,rent,town,gone,since
      r1,s2,51.91,-8.48,700,corcaigh,false,2026-01-01
      r2,,51.89,-8.46,650,Cork,false,2026-02-01
      r3,,53.28,-9.06,800,Galway,false,2026-02-03
      r4,,53.28,-9.06,1,Galway,true,2026-02-03
      r5,s2,53.27,-9.06,500,Galway,false,2026-02-03

      """, to: "rooms.csv")
    try #require(try nightjar("run").ending == .status(0))
  }

  private func nightjar(_ verb: String, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", [verb, scratch("flats.yaml"), "--work", scratch("var")] + arguments)
  }

  /// Returns the candidates that `show` prints.
  private func shown(_ arguments: [String]) throws -> [String] {
    let ended = try Program.run(
      "nightjar", ["show", scratch("flats.yaml"), "--work", scratch("var")] + arguments)
    return ended.lines.compactMap { line in
      line.split(separator: " ").first { $0.count == 2 && $0.hasPrefix("r") }.map(String.init)
    }
  }

  @Test func `lists by rent have nearby rooms except own and rented ones, and towns have catalogs`() throws {
    #expect(try shown(["--user", "s1"]) == ["r2", "r1"])
    #expect(try shown(["--user", "s2"]) == ["r3"])
    #expect(try shown(["--catalog", "by_town", "--key", "Cork"]) == ["r2", "r1"])
    #expect(try shown(["--catalog", "by_town", "--key", "Galway"]) == ["r3", "r5"])
  }

  @Test func `a seeker and a room with the same id are erased separately`() throws {
    #expect(try nightjar("erase", "--user", "r2").ending == .status(0))
    #expect(try shown(["--user", "s1"]) == ["r2", "r1"])
    #expect(try shown(["--catalog", "by_town", "--key", "Cork"]) == ["r2", "r1"])
    #expect(try nightjar("verify").output.contains("all equal"))
    #expect(try nightjar("erase", "--user", "r2", "--entity", "rooms").ending == .status(0))
    #expect(try shown(["--user", "s1"]) == ["r1"])
    #expect(try shown(["--catalog", "by_town", "--key", "Cork"]) == ["r1"])
    #expect(try nightjar("verify").output.contains("all equal"))
  }
}
