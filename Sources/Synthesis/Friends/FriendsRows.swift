internal import Concurrency

/// The rows of the three files. Each row is one line, without the comma that separates it from the next row.
enum FriendsRows {
  /// Returns the users sorted by id, as in Parse. Two rows of the same person are next to each other, and the
  /// row with the older name is first.
  static func users(of world: FriendsWorld, _ summary: inout FriendsSummary) -> [String] {
    world.travellers.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }.flatMap {
      person -> [String] in
      summary.usersBreaking.add(person.fault?.rule)
      if person.isTwice { summary.usersBreaking.add(.duplicateID) }
      summary.users += person.isTwice ? 2 : 1
      return (person.isTwice ? [user(person, name: "Somebody else")] : []) + [user(person, name: person.name)]
    }
  }

  private static func user(_ person: Traveller, name: String) -> String {
    let created = CivilTime.text(person.createdAt, .milliseconds)
    var fields = ParseFields()
    fields.string("objectId", person.id)
    fields.string("createdAt", person.fault == .badTime ? "some time ago" : created)
    fields.string("updatedAt", created)
    if person.fault != .noName { fields.string("name", person.fault == .emptyName ? "" : name) }
    return fields.object
  }

  /// Generates `count` check-ins in time order. The newest check-in without a fault is at the end of the
  /// period.
  static func checkIns(
    _ count: Int, in world: FriendsWorld, _ ids: inout ParseIdentities, _ summary: inout FriendsSummary
  ) -> [String] {
    var generator = SplitMix64(seed: world.seed, purpose: .friendsCheckIns)
    let faults = BrokenRule.planted(FriendsFault.ofCheckIns, rows: count, whole: 6000)
    var rows: [(at: Int64, line: String)] = []
    var previous: (person: Int, at: Int64)?
    for index in 0..<count {
      let fault = index < faults.count ? faults[index] : nil
      var person = world.anyone(using: &generator)
      var at = world.rhythm.next(in: world.rhythm.start..<world.rhythm.end, using: &generator)
      // One in 200 check-ins is a double tap: two check-ins at the same time.
      if index % 200 == 199, let previous { (person, at) = previous }
      if index == count - 1 { at = world.rhythm.end }
      while (fault != nil || index == count - 1) && world.travellers[person].fault != nil {
        person = world.anyone(using: &generator)
      }
      previous = (person, at)
      let (spot, place) = world.whereabouts(of: person, at: at, using: &generator)
      var row = MessageRow(
        id: ids.next(), at: at, person: world.travellers[person].id, place: place, fault: fault)
      row.text = spot.name
      let isByBroken = world.travellers[person].fault != nil
      summary.checkInsBreaking.add(fault?.rule ?? (isByBroken ? .unknownUser : nil))
      if fault == .inTheFuture { summary.later += 1 }
      rows.append((at, row.line("user", text: "place", picture: "\(row.id.lowercased()).jpg")))
    }
    summary.checkIns = rows.count
    return rows.stablySorted { $0.at < $1.at }.map(\.line)
  }

  /// Generates `count` posts, sorted by id.
  static func posts(
    _ count: Int, in world: FriendsWorld, _ ids: inout ParseIdentities, _ summary: inout FriendsSummary
  ) -> [String] {
    var generator = SplitMix64(seed: world.seed, purpose: .friendsPosts)
    let faults = BrokenRule.planted(FriendsFault.ofPosts, rows: count, whole: 6000)
    var rows: [(id: String, line: String)] = []
    for index in 0..<count {
      let fault = index < faults.count ? faults[index] : nil
      let person = world.anyone(using: &generator)
      let at = world.rhythm.next(in: world.rhythm.start..<world.rhythm.end, using: &generator)
      let (spot, place) = world.whereabouts(of: person, at: at, using: &generator)
      var row = MessageRow(
        id: ids.next(), at: at, person: world.travellers[person].id, place: place, fault: fault)
      // A post may have only a picture, and may lack its place.
      let form = generator.nextUnit()
      row.text = form < 0.1 ? nil : generator.pick(Self.sentences) + " (" + spot.name + ")"
      if form > 0.97 && fault == nil { row.place = nil }
      // Ingest counts a row only for the first rule that the row breaks, and it checks the author first.
      let isByBroken = world.travellers[person].fault != nil && fault != .noUser
      let rule = isByBroken || fault == .unknownUser ? .unknownOwner : fault?.rule
      summary.postsBreaking.add(rule)
      if fault == .inTheFuture && rule == nil { summary.later += 1 }
      rows.append(
        (row.id, row.line("author", text: "text", picture: form < 0.4 ? "\(row.id.lowercased()).jpg" : nil)))
    }
    summary.posts = rows.count
    return rows.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }.map(\.line)
  }

  private static let sentences = [
    "Anyone up for dinner tonight?", "Lost my umbrella, \"again\"", "Best coffee so far", "Früher Zug, müde",
    "¿Quién viene a la playa?", "Looking for a hiking partner", "The view! 😍", "Train is two hours late",
    "Sharing a taxi to the airport?", "Free walking tour at 10\nmeet at the gate",
  ]

  /// A check-in or a post.
  private struct MessageRow {
    var id: String
    var at: Int64
    var person: String
    var place: Place?
    var fault: FriendsFault?
    var text: String?

    func line(_ personField: String, text textField: String, picture: String?) -> String {
      var fields = ParseFields()
      fields.string("objectId", id)
      let created = CivilTime.text(at, .milliseconds)
      switch fault {
      case .badTime: fields.string("createdAt", "2026-11-31T10:00:00.000Z")
      case .inTheFuture: fields.string("createdAt", "2099-01-01T00:00:00.000Z")
      default: fields.string("createdAt", created)
      }
      fields.string("updatedAt", created)
      if fault != .noUser {
        fields.pointer(personField, "_User", fault == .unknownUser ? "gone000000" : person)
      }
      if var place, fault != .nowhere {
        if fault == .badLatitude { place.latitude = 91.2 }
        if fault == .badLongitude { place.longitude = -190.5 }
        fields.geoPoint("location", place)
      }
      if let text, fault != .noPlace { fields.string(textField, fault == .emptyPlace ? "" : text) }
      if let picture, fault != .noPicture { fields.file("picture", picture) }
      return fields.object
    }
  }
}

/// The fault of a check-in or post that is broken on purpose.
private enum FriendsFault: Hashable, Sendable {
  case noPlace, emptyPlace, noPicture, unknownUser, noUser, badLatitude, badLongitude, nowhere, badTime
  /// The time is in the year 2099. The row is valid, but later than the as-of time.
  case inTheFuture

  /// The rule that a check-in with the fault breaks; `nil` if the row is valid.
  var rule: BrokenRule? {
    switch self {
    case .noPlace, .emptyPlace, .noPicture: .missingAttribute
    case .unknownUser: .unknownUser
    case .noUser: .missingID
    case .badLatitude: .badLatitude
    case .badLongitude: .badLongitude
    case .nowhere: .missingPosition
    case .badTime: .badTime
    case .inTheFuture: nil
    }
  }

  /// The number of check-ins with each fault, per 6000 check-ins.
  static let ofCheckIns: [(FriendsFault, Int)] = [
    (.noPlace, 8), (.emptyPlace, 4), (.noPicture, 12), (.unknownUser, 6), (.noUser, 3), (.badLatitude, 3),
    (.badLongitude, 2), (.nowhere, 4), (.badTime, 3), (.inTheFuture, 2),
  ]

  /// The number of posts with each fault, per 6000 posts.
  static let ofPosts: [(FriendsFault, Int)] = [
    (.unknownUser, 20), (.noUser, 10), (.badLatitude, 10), (.badTime, 10), (.inTheFuture, 8),
  ]
}

/// Values in the format of Parse's REST API.
///
/// Source: Parse REST API guide, "Data types".
private struct ParseFields: ExportedFields {
  var members = ""

  /// The object as a line.
  var object: String { "{" + members + "}" }

  mutating func string(_ name: String, _ value: String) {
    add(name, json: Self.quoted(value))
  }

  mutating func pointer(_ name: String, _ className: String, _ id: String) {
    add(
      name,
      json: #"{"__type":"Pointer","className":"\#(className)","objectId":"# + Self.quoted(id) + "}")
  }

  mutating func geoPoint(_ name: String, _ place: Place) {
    add(
      name, json: #"{"__type":"GeoPoint","latitude":\#(place.latitude),"longitude":\#(place.longitude)}"#)
  }

  /// Appends a reference to a file. `file` is the name that Parse gave the file.
  mutating func file(_ name: String, _ file: String) {
    add(
      name,
      json: #"{"__type":"File","name":"\#(file)","url":"https://files.finding-friends.example/\#(file)"}"#)
  }
}
