internal import Concurrency

/// The tables of Funkify's tree in the database. Each table is a list of the members of a JSON object.
struct FunkifyTree {
  typealias Table = (name: String, members: [String])

  let world: FunkifyWorld
  /// The number of broken rows of each kind.
  private static let planted = 3

  private func words(_ genres: [Int]) -> [String] { genres.map { FunkifyWorld.genres[$0] } }

  private static func member(_ key: String, _ fields: RealtimeFields) -> String {
    RealtimeFields.quoted(key) + ":{" + fields.members + "}"
  }

  func musicians(_ summary: inout FunkifySummary) -> Table {
    var members = world.musicians.map { Self.member($0.id, fields(of: $0)) }
    for index in 0..<Self.planted {
      // Other rows do not refer to these broken musicians, so their rejection does not affect other rows.
      var unborn = world.musicians[index]
      unborn.born = "2027-03-0\(index + 1)"
      members.append(Self.member("mx-unborn\(index)", fields(of: unborn)))
      summary.musiciansBreaking.add(.dateInFuture)
      var lost = world.musicians[index]
      lost.place.latitude = 99
      lost.hasPlace = true
      members.append(Self.member("mx-lost\(index)", fields(of: lost)))
      summary.musiciansBreaking.add(.badLatitude)
    }
    summary.musicians = members.count
    return ("musicians", members)
  }

  private func fields(of musician: Musician) -> RealtimeFields {
    var fields = RealtimeFields()
    fields.text("name", musician.name)
    fields.text("born", musician.born)
    fields.text("instrument", musician.instrument)
    fields.tags("genres", words(musician.genres))
    fields.tags("wanted", words(musician.wanted))
    if let precision = musician.precision { fields.text("shows", precision) }
    if let limit = musician.limit { fields.integer("limitKm", Int64(limit)) }
    if musician.hasPlace { fields.place(musician.place) }
    fields.integer("createdAt", musician.createdAt)
    return fields
  }

  /// Returns the bands or the labels. Each group has a leader, and the leader's place and genres.
  func groups(_ table: String, prefix: String, every step: Int, names: [String]) -> Table {
    var members: [String] = []
    for index in stride(from: step / 2, to: world.musicians.count, by: step) {
      var generator = SplitMix64(seed: world.seed, purpose: .funkifyGroups, index: index)
      let leader = world.musicians[index]
      var fields = RealtimeFields()
      fields.text(
        "name",
        "The \(generator.pick(["Velvet", "Broken", "Electric", "Silent", "Midnight"])) \(generator.pick(names))"
      )
      fields.text("leader", leader.id)
      fields.tags("genres", words(leader.genres))
      fields.place(leader.place)
      fields.integer("createdAt", leader.createdAt + CivilTime.day)
      members.append(Self.member(prefix + CivilTime.padded(members.count, 4), fields))
    }
    return (table, members)
  }

  func events(_ summary: inout FunkifySummary) -> Table {
    var members = world.events.map { Self.member($0.id, fields(of: $0)) }
    for index in 0..<min(Self.planted, world.events.count) {
      var early = world.events[index]
      early.starts = early.createdAt - CivilTime.day
      members.append(Self.member("ex-early\(index)", fields(of: early)))
      summary.eventsBreaking.add(.dateTooEarly)
    }
    summary.events = members.count
    return ("events", members)
  }

  private func fields(of event: MusicEvent) -> RealtimeFields {
    var fields = RealtimeFields()
    fields.text("title", event.title)
    fields.text("organiser", world.musicians[event.organiser].id)
    fields.tags("genres", words(event.genres))
    fields.text("starts", CivilTime.text(event.starts, .none))
    if let hours = event.hours {
      fields.text("ends", CivilTime.text(event.starts + hours * CivilTime.hour, .none))
    }
    if event.isCancelled { fields.flag("cancelled", true) }
    fields.place(event.place)
    fields.integer("createdAt", event.createdAt)
    return fields
  }

  /// Returns the follows or the attendances as a log of additions and removals.
  func log(
    _ table: String, _ deeds: [FunkifyDeed], target: String, words: (done: String, undone: String),
    id: (Int) -> String, _ breaking: inout [BrokenRule: Int]
  ) -> Table {
    func fields(_ musician: String, _ other: String, _ at: Int64, _ word: String) -> RealtimeFields {
      var fields = RealtimeFields()
      fields.text("by", musician)
      fields.text(target, other)
      fields.text("what", word)
      fields.integer("at", at)
      return fields
    }
    var members = deeds.enumerated().map { index, deed in
      Self.member(
        "-" + CivilTime.padded(index, 6),
        fields(
          world.musicians[deed.musician].id, id(deed.target), deed.at,
          deed.isTakenBack ? words.undone : words.done))
    }
    guard let first = deeds.first else { return (table, members) }
    let someone = world.musicians[first.musician].id
    for index in 0..<Self.planted {
      let faults: [(BrokenRule, RealtimeFields)] = [
        (.unknownUser, fields("gone\(index)", id(first.target), first.at, words.done)),
        (.unknownCandidate, fields(someone, "gone\(index)", first.at, words.done)),
        (.unknownValue, fields(someone, id(first.target), first.at, "perhaps")),
      ]
      for (rule, row) in faults {
        members.append(Self.member("-x\(index)\(rule.rawValue)", row))
        breaking.add(rule)
      }
      if target == "followed" {
        members.append(Self.member("-x\(index)self", fields(someone, someone, first.at, words.done)))
        breaking.add(.selfInteraction)
      }
    }
    return (table, members)
  }

  func posts(_ posts: [FunkifyPost], _ summary: inout FunkifySummary) -> Table {
    let lines = [
      "New track is up.", "Rehearsal went well!", "Who plays bass?", "On stage tonight.",
      "Looking for a room.",
    ]
    let members = posts.enumerated().map { index, post in
      var fields = RealtimeFields()
      fields.text("author", world.musicians[post.author].id)
      fields.text("text", lines[index % lines.count])
      fields.integer("createdAt", post.at)
      return Self.member(Self.post(index), fields)
    }
    summary.posts = members.count
    return ("posts", members)
  }

  private static func post(_ index: Int) -> String { "p" + CivilTime.padded(index, 5) }

  /// Returns the likes, grouped by post and then by user. Because of these keys, a user cannot like a post
  /// twice.
  func likes(_ likes: [FunkifyDeed], of posts: [FunkifyPost], _ summary: inout FunkifySummary) -> Table {
    summary.likes = likes.count
    let members = Dictionary(grouping: likes, by: \.target).sorted { $0.key < $1.key }.map { post, likes in
      let own = likes.map { like in
        Self.member(world.musicians[like.musician].id, reaction(like, "like", to: posts[post], nil))
      }
      return RealtimeFields.quoted(Self.post(post)) + ":{" + own.joined(separator: ",") + "}"
    }
    return ("likes", members)
  }

  func comments(_ comments: [FunkifyDeed], on posts: [FunkifyPost], _ summary: inout FunkifySummary) -> Table
  {
    summary.comments = comments.count
    let members = comments.enumerated().map { index, comment in
      Self.member(
        "c" + CivilTime.padded(index, 5),
        reaction(comment, "comment", to: posts[comment.target], world.musicians[comment.musician].id))
    }
    return ("comments", members)
  }

  private func reaction(_ deed: FunkifyDeed, _ word: String, to post: FunkifyPost, _ musician: String?)
    -> RealtimeFields
  {
    var fields = RealtimeFields()
    if let musician {
      fields.text("post", Self.post(deed.target))
      fields.text("by", musician)
    }
    fields.text("author", world.musicians[post.author].id)
    fields.text("what", word)
    fields.integer("at", deed.at)
    return fields
  }
}

/// The members of an object in the export of a Realtime Database.
struct RealtimeFields: ExportedFields {
  var members = ""

  mutating func text(_ name: String, _ value: String) { add(name, json: Self.quoted(value)) }

  mutating func integer(_ name: String, _ value: Int64) { add(name, json: String(value)) }

  mutating func flag(_ name: String, _ value: Bool) { add(name, json: String(value)) }

  /// Appends words as keys with the value `true`, because the database has no sets.
  mutating func tags(_ name: String, _ words: [String]) {
    guard !words.isEmpty else { return }
    add(name, json: "{" + words.map { Self.quoted($0) + ":true" }.joined(separator: ",") + "}")
  }

  mutating func place(_ place: Place) {
    add("location", json: "{\"lat\":\(place.latitude),\"lng\":\(place.longitude)}")
  }
}
