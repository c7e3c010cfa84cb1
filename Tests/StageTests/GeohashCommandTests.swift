import Testing
import TestSupport

/// `nightjar geohash` prints one result per line, with columns separated by tabs. Negative
/// coordinates need no special form.
struct GeohashCommandTests {
  @Test(arguments: [
    (["encode", "57.64911", "10.40744", "--precision", "11"], "u4pruydqqvj"),
    (["encode", "-25.38262", "-49.26561", "--precision", "8"], "6gkzwgjz"),
    (["encode", "--precision", "8", "-25.38262", "-49.26561"], "6gkzwgjz"),
    (["encode", "--precision=8", "-25.38262", "-49.26561"], "6gkzwgjz"),
    (["encode", "-25.38262", "--precision", "8", "-49.26561"], "6gkzwgjz"),
    (["encode", "--precision", "8", "--", "-25.38262", "-49.26561"], "6gkzwgjz"),
    (["encode", "90", "180", "--precision", "3"], "zzz"),
    (["encode", "-90", "-180", "--precision", "3"], "000"),
    (["encode", "0", "0", "--precision", "2"], "s0"),
    (["encode", "-1e-9", "-0.0", "--precision", "2"], "kp"),
  ]) func `encode prints the cell`(arguments: [String], expected: String) throws {
    let ended = try Program.run("nightjar", ["geohash"] + arguments)
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.output == expected + "\n")
    #expect(ended.errors == "")
  }

  @Test(arguments: ["--csv", "--json"])
  func `near accepts a negative latitude after a flag`(flag: String) throws {
    let ended = try Program.run(
      "nightjar", ["near", flag, "-25.4", "-49.3", "--radius-km", "2", "no-such-file.yaml"])
    // The arguments are valid, so the missing pipeline file is the only error.
    #expect(ended.ending == .status(66) && ended.errors.contains("no-such-file.yaml"), "\(ended.errors)")
  }

  @Test func `encode has twelve characters by default`() throws {
    let ended = try Program.run("nightjar", ["geohash", "encode", "-25.38262", "-49.26561"])
    #expect(
      ended.output == PlainGeodesy.cell(latitude: -25.38262, longitude: -49.26561, precision: 12).hash + "\n")
  }

  @Test func `decode prints center and box of each cell`() throws {
    let ended = try Program.run("nightjar", ["geohash", "decode", "s", "ezs42"])
    #expect(ended.lines.first == "22.5\t22.5\t0.0\t0.0\t45.0\t45.0")
    let cell = PlainGeodesy.cell(latitude: 42.605, longitude: -5.603, precision: 5)
    try #require(cell.hash == "ezs42")
    let numbers = try #require(ended.lines.last).split(separator: "\t").compactMap { Double($0) }
    #expect(numbers == [cell.latitude, cell.longitude, cell.south, cell.west, cell.north, cell.east])
    #expect(ended.lines.count == 2)
  }

  @Test func `neighbors are named by direction, and there are five at a pole`() throws {
    let around = try Program.run("nightjar", ["geohash", "neighbors", "gbsuv"])
    #expect(
      around.lines == [
        "n\tgbsvj", "ne\tgbsvn", "e\tgbsuy", "se\tgbsuw", "s\tgbsut", "sw\tgbsus", "w\tgbsuu", "nw\tgbsvh",
      ])
    let polar = try Program.run("nightjar", ["geohash", "neighbors", "zz"])
    #expect(polar.lines.count == 5)
    #expect(polar.lines.contains("e\tbp"), "east is across the antimeridian")
  }

  @Test(arguments: [
    ("52.52", "13.40", 30.0, 4), ("-33.9", "-18.4", 100, 3), ("-17.8", "179.95", 80, 4),
    ("-89.9", "-60", 120, 2),
  ]) func `cover prints the cells that touch the circle, sorted`(
    latitude: String, longitude: String, radius: Double, precision: Int
  ) throws {
    let ended = try Program.run(
      "nightjar",
      ["geohash", "cover", latitude, longitude, "--radius-km", "\(radius)", "--precision", "\(precision)"])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.lines == Set(ended.lines).sorted())
    // Every grid position within the radius is in a cell of the covering.
    let cells = Set(ended.lines)
    let center = point(try #require(Double(latitude)), try #require(Double(longitude)))
    var inside = 0
    for north in stride(from: -90.0, through: 90, by: 0.15)
    where abs(north - center.latitude) * 111 < radius + 20 {
      for east in stride(from: -180.0, to: 180, by: 0.15) {
        let position = point(north, east)
        guard PlainGeodesy.kilometers(center, position) < radius else { continue }
        inside += 1
        let cell = PlainGeodesy.cell(latitude: north, longitude: east, precision: precision)
        #expect(cells.contains(cell.hash), "\(north) \(east)")
      }
    }
    #expect(inside > 5)
    #expect(
      cells.contains(
        PlainGeodesy.cell(latitude: center.latitude, longitude: center.longitude, precision: precision).hash))
  }

  private func point(_ latitude: Double, _ longitude: Double) -> PlainGeodesy.Cell {
    PlainGeodesy.Cell(hash: "", south: latitude, north: latitude, west: longitude, east: longitude)
  }

  @Test(arguments: [
    ["encode", "91", "0"], ["encode", "-90.5", "-10"], ["encode", "0", "-180.1"], ["encode", "nan", "0"],
    ["encode", "-inf", "0"], ["encode", "0", "0", "--precision", "0"],
    ["encode", "0", "0", "--precision", "13"],
    ["encode", "0", "0", "--precision", "-3"], ["encode", "-1", "-2", "--precision"], ["encode", "-1"],
    ["encode", "-1", "-2", "-3"], ["encode", "north", "-2"], ["decode", "abc"], ["decode", ""],
    ["decode", "s0", "abc"], ["decode", "s0s0s0s0s0s0s"], ["decode"], ["neighbors", "il"], ["neighbors", ""],
    ["cover", "-1", "-2", "--radius-km", "-5", "--precision", "4"],
    ["cover", "0", "0", "--radius-km", "nan", "--precision", "4"],
    ["cover", "0", "0", "--radius-km", "20000", "--precision", "12"],
    ["cover", "0", "0", "--precision", "4"],
    ["cover", "0", "0", "--radius-km", "5"], ["encode", "0", "0", "--frobnicate", "-1"],
  ]) func `an invalid position, cell or circle gives status 64`(arguments: [String]) throws {
    let ended = try Program.run("nightjar", ["geohash"] + arguments)
    #expect(ended.ending == .status(64), "\(ended.errors)")
    #expect(ended.output == "")
    #expect(ended.errors.contains("Usage: nightjar"))
  }

  @Test func `an error is followed by the usage of its own command`() throws {
    let position = try Program.run("nightjar", ["geohash", "encode", "-91", "-200"])
    #expect(position.errors.contains("-91.0 -200.0") && position.errors.contains("-90 to 90"))
    #expect(position.errors.contains("Usage: nightjar geohash encode"))
    let hash = try Program.run("nightjar", ["geohash", "neighbors", "abc"])
    #expect(hash.errors.contains("'abc'") && hash.errors.contains("character 1 is 'a'"))
    #expect(hash.errors.contains("Usage: nightjar geohash neighbors"))
    for (radius, message) in [
      ("nan", "must be at least 0 km, not nan km"), ("20000", "has more than 100000"),
    ] {
      let circle = try Program.run(
        "nightjar", ["geohash", "cover", "0", "0", "--radius-km", radius, "--precision", "12"])
      #expect(circle.errors.contains(message), "\(circle.errors)")
      #expect(circle.errors.contains("Usage: nightjar geohash cover"), "\(circle.errors)")
    }
  }

  private static let vectors = "third-party/geohash_vectors.dev.tsv"

  /// Runs the program on some third-party vectors that an exact bisection confirms.
  @Test(.enabled(if: SharedData.exists(vectors), "needs ../shared/data"))
  func `the program's results equal vectors of other implementations`() throws {
    let rows = try SharedData.text(Self.vectors).split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    let header = try #require(rows.first)
    func column(_ name: String) throws -> Int { try #require(header.firstIndex(of: name)) }
    let (op, latitude, longitude) = (try column("op"), try column("lat"), try column("lon"))
    let (precision, expected, verified) = (
      try column("precision"), try column("expected"), try column("verified_exact")
    )
    let encodings = rows.dropFirst().filter { $0[op] == "encode" && $0[verified] == "yes" }
    try #require(encodings.count > 100)
    var negative = 0
    for row in stride(from: 0, to: encodings.count, by: encodings.count / 40).map({ encodings[$0] }) {
      let ended = try Program.run(
        "nightjar", ["geohash", "encode", row[latitude], row[longitude], "--precision", row[precision]])
      #expect(ended.output == row[expected] + "\n", "\(row)")
      if row[latitude].hasPrefix("-") || row[longitude].hasPrefix("-") { negative += 1 }
    }
    #expect(negative > 5)
  }
}
