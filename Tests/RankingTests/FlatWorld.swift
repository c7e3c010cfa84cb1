import Concurrency
import StageFixture
import Text

/// Random seekers and rooms. Any value can be missing. There are few different values, so values
/// often equal a bound.
struct FlatWorld {
  struct Seeker: Sendable {
    var id: String
    var place: (latitude: Double, longitude: Double)?
    var budget: Double?
    var fans: Double?
    var town: String?
    var towns: Set<String>
    var needs: Set<String>
    var avoided: Set<String>
    /// The latest move-in date in milliseconds since 1970 UTC.
    var latest: Int64?
    var isQuiet: Bool
  }

  struct Room: Sendable {
    var id: String
    var place: (latitude: Double, longitude: Double)?
    var price: Double?
    var size: Double?
    var town: String?
    var features: Set<String>
    var free: Int64?
    var isSmoking: Bool
    /// The number of likes received.
    var likes = 0
  }

  /// The day 2026-12-01.
  static let day: Int64 = 1_796_083_200_000

  private(set) var seekers: [Seeker] = []
  private(set) var rooms: [Room] = []
  private var likes: [(seeker: Int, room: Int)] = []

  init(seed: UInt64, rooms count: Int = 120) {
    var random = SplitMix64(seed: seed)
    func chance(_ share: Double) -> Bool { random.nextUnit() < share }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func place() -> (latitude: Double, longitude: Double)? {
      chance(0.1) ? nil : (52 + Double(number(0...5)) / 10, 8 + Double(number(0...5)) / 10)
    }
    // Some words occur only on one side.
    func some(_ words: [String]) -> Set<String> { Set(words.filter { _ in chance(0.3) }) }
    func date() -> Int64? {
      chance(0.2) ? nil : Self.day + [-86_400_000, -1, 0, 1, 86_400_000][number(0...4)]
    }
    for index in 0..<40 {
      seekers.append(
        Seeker(
          id: "s\(100 + index)", place: place(), budget: chance(0.2) ? nil : Double(number(3...6)) * 100,
          fans: chance(0.3) ? nil : Double(number(0...4)),
          town: chance(0.2) ? nil : ["Ay", "Bé", "Cy", "Nowhere"][number(0...3)],
          towns: some(["Ay", "Bé", "Cy", "Nowhere"]), needs: some(["bath", "desk", "zzz"]),
          avoided: some(["cat", "desk", "zzz"]), latest: date(), isQuiet: chance(0.5)))
    }
    for index in 0..<count {
      rooms.append(
        Room(
          id: "r\(1000 + index)", place: place(), price: chance(0.15) ? nil : Double(number(3...6)) * 100,
          size: chance(0.15) ? nil : Double(number(8...12)),
          town: chance(0.15) ? nil : ["Ay", "Be\u{301}", "Bé", "Cy", "ay"][number(0...4)],
          features: some(["bath", "cat", "desk", "oven"]), free: date(), isSmoking: chance(0.3)))
    }
    for _ in 0..<(count == 0 ? 0 : 200) {
      let like = (seeker: number(0...39), room: number(0...count - 1))
      likes.append(like)
      rooms[like.room].likes += 1
    }
  }

  static func yaml(_ rankings: String) -> String {
    """
    pipeline: flats
    as_of: newest
    plausible: [1, 9999]
    entities:
      seekers:
        source: { path: seekers.jsonl }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes:
          budget: { type: number }
          fans: { type: number }
          town: { type: category }
          towns: { type: tags }
          needs: { type: tags }
          avoided: { type: tags }
          latest: { type: date }
          quiet: { type: flag }
      rooms:
        source: { path: rooms.jsonl }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes:
          price: { type: number }
          size: { type: number }
          town: { type: category }
          features: { type: tags }
          free: { type: date }
          smoking: { type: flag }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: s, entity: seekers }
        candidate: { from: r, entity: rooms }
        at: t
        value: v
    computed: { rooms: { likes: { count_of: likes } } }
    rankings:
    \(rankings)
    """
  }

  var files: [String: String] {
    func line(_ fields: [(String, String?)]) -> String {
      "{" + fields.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
        + "}\n"
    }
    func text(_ text: String?) -> String? { text.map { "\"\($0)\"" } }
    func list(_ words: Set<String>) -> String? {
      words.isEmpty ? nil : "[" + words.sorted().map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }
    func date(_ milliseconds: Int64?) -> String? {
      text(milliseconds.map { Instant(milliseconds: $0).dateDescription })
    }
    let seekers = seekers.map { seeker in
      line([
        ("id", text(seeker.id)), ("lat", seeker.place?.latitude.description),
        ("lon", seeker.place?.longitude.description), ("budget", seeker.budget?.description),
        ("fans", seeker.fans?.description), ("town", text(seeker.town)), ("towns", list(seeker.towns)),
        ("needs", list(seeker.needs)), ("avoided", list(seeker.avoided)), ("latest", date(seeker.latest)),
        ("quiet", seeker.isQuiet ? "true" : nil),
      ])
    }
    let rooms = rooms.map { room in
      line([
        ("id", text(room.id)), ("lat", room.place?.latitude.description),
        ("lon", room.place?.longitude.description), ("price", room.price?.description),
        ("size", room.size?.description), ("town", text(room.town)), ("features", list(room.features)),
        ("free", date(room.free)), ("smoking", room.isSmoking ? "true" : "false"),
      ])
    }
    return ["seekers.jsonl": seekers.joined(), "rooms.jsonl": rooms.joined(), "likes.csv": likeRows]
  }

  /// The likes are later than all other dates.
  private var likeRows: String {
    let rows = likes.enumerated().map { index, like in
      "\(seekers[like.seeker].id),\(rooms[like.room].id),\(Self.day + 604_800_000 + Int64(index)),1\n"
    }
    return "s,r,t,v\n" + rows.joined()
  }
}
