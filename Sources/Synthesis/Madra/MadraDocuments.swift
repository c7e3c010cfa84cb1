internal import Concurrency

/// The documents of the three files in the format of Firestore's REST API. Each document is one line, without
/// the comma that separates it from the next document.
struct MadraDocuments {
  let owners: [MadraPerson]
  let minders: [MadraPerson]
  let dogs: [Dog]
  let seed: UInt64

  /// The number of broken documents of each kind.
  private static let planted = 2

  /// Returns the accounts sorted by id. Every 400th minder is duplicated, as if two pages of the response
  /// overlapped.
  func accounts(_ summary: inout MadraSummary) -> [String] {
    var lines: [(id: String, line: String)] = []
    for person in owners { lines.append((person.id, account(person, type: "owner", nil))) }
    for (index, person) in minders.enumerated() {
      let line = account(person, type: "minder", nil)
      lines.append((person.id, line))
      if index % 400 == 200 {
        lines.append((person.id, line))
        summary.accountsBreaking.add(.duplicateID)
      }
    }
    (summary.owners, summary.minders) = (owners.count, minders.count)
    let kinds = MadraFault.Account.allCases
    for index in 0..<Self.planted * kinds.count {
      let fault = kinds[index % kinds.count]
      var person = minders[index % minders.count]
      person.id = "other" + CivilTime.padded(index, 5)
      lines.append((person.id, account(person, type: fault == .shelter ? "shelter" : "minder", fault)))
      summary.accountsBreaking.add(fault.rule)
      if fault.rule == nil { summary.otherAccounts += 1 }
    }
    summary.accounts = lines.count
    return lines.stablySorted { $0.id < $1.id }.map(\.line)
  }

  private func account(_ person: MadraPerson, type: String, _ fault: MadraFault.Account?) -> String {
    var fields = FirestoreFields()
    if fault != .noType { fields.string("accountType", type) }
    fields.string("name", person.name)
    if type == "minder" {
      if fault == .badBorn {
        fields.string("dateOfBirth", "31/12/1990")
      } else if let born = person.born {
        fields.string("dateOfBirth", Self.day(born))
      }
      fields.integer("experience", person.experience)
      fields.strings("services", Array(["walks", "day care", "overnight"].prefix(person.experience % 4)))
      if person.hasPlace || fault == .badLatitude {
        fields.geoPoint(
          "location", latitude: fault == .badLatitude ? "153.3" : "\(person.place.latitude)",
          longitude: "\(person.place.longitude)")
      }
    }
    let created = CivilTime.text(person.createdAt, .milliseconds)
    if fault == .badCreated {
      fields.string("createdAt", "last summer")
    } else {
      fields.time("createdAt", created)
    }
    return Self.document("accounts/" + person.id, fields, created)
  }

  /// Returns the dogs sorted by id.
  func dogs(_ summary: inout MadraSummary) -> [String] {
    var lines = dogs.enumerated().map { index, dog in
      document(dog, owner: owners[dog.owner].id, index: index, nil)
    }
    let kinds = MadraFault.Dogs.allCases
    for index in 0..<Self.planted * kinds.count {
      let fault = kinds[index % kinds.count]
      var dog = dogs[index % dogs.count]
      dog.id = "dogx" + CivilTime.padded(index, 5)
      let owner = fault == .unknownOwner ? "gone00000" : owners[dog.owner].id
      lines.append(document(dog, owner: owner, index: dogs.count + index, fault))
      summary.dogsBreaking.add(fault.rule)
    }
    summary.dogs = lines.count
    return lines
  }

  private func document(_ dog: Dog, owner: String, index: Int, _ fault: MadraFault.Dogs?) -> String {
    var generator = SplitMix64(seed: seed, purpose: .madraSpelling, index: index)
    var fields = FirestoreFields()
    if fault != .noOwner { fields.string("ownerId", owner) }
    fields.string("name", dog.name)
    fields.string("breed", Dog.breeds[dog.breed].name)
    let size = dog.size.rawValue
    fields.string(
      "size",
      fault == .unknownSize ? "enormous" : generator.nextBool(probability: 0.1) ? size.uppercased() : size)
    fields.string("dateOfBirth", fault == .badBorn ? "a puppy" : Self.day(dog.born))
    if let isAvailable = dog.isAvailable { fields.flag("available", isAvailable) }
    let spelling = County.all[dog.county].spelling(using: &generator)
    if fault == .unknownCounty {
      fields.string("county", "Yorkshire")
    } else if !generator.nextBool(probability: 0.01) {
      fields.string("county", spelling)
    }
    if dog.hasPlace || fault == .badLongitude {
      fields.geoPoint(
        "location", latitude: "\(dog.place.latitude)",
        longitude: fault == .badLongitude ? "-186.2" : "\(dog.place.longitude)")
    }
    let created = CivilTime.text(dog.createdAt, .milliseconds)
    fields.time("createdAt", created)
    return Self.document("dogs/" + dog.id, fields, created)
  }

  /// Returns the swipes sorted by id, which is also time order. Swipes that are broken on purpose follow.
  func swipes(_ all: [MadraSwipe], _ summary: inout MadraSummary) -> [String] {
    var lines: [String] = []
    for (index, swipe) in all.enumerated() {
      lines.append(document(swipe, id: "sw" + CivilTime.padded(index, 7), nil))
      if let status = swipe.status { summary.requests[status.rawValue, default: 0] += 1 }
    }
    guard let first = all.first else { return lines }
    let kinds = MadraFault.Swipe.allCases
    for index in 0..<Self.planted * kinds.count {
      let fault = kinds[index % kinds.count]
      var swipe = first
      (swipe.status, swipe.answeredAt) = (nil, nil)
      if fault == .badStatus || fault == .unansweredAnswer { swipe.status = .accepted }
      lines.append(document(swipe, id: "swx" + CivilTime.padded(index, 6), fault))
      let rules = fault.rules
      summary.decisionsBreaking.add(rules.decision)
      summary.requestsBreaking.add(rules.request)
      summary.answersBreaking.add(rules.answer)
    }
    summary.swipes = lines.count
    return lines
  }

  private func document(_ swipe: MadraSwipe, id: String, _ fault: MadraFault.Swipe?) -> String {
    var fields = FirestoreFields()
    if fault != .noMinder {
      fields.string("minder", fault == .unknownMinder ? "gone00000" : minders[swipe.minder].id)
    }
    fields.string("dog", fault == .unknownDog ? "gone00000" : dogs[swipe.dog].id)
    fields.string("owner", owners[dogs[swipe.dog].owner].id)
    let direction = swipe.status == nil ? "left" : "right"
    fields.string("direction", fault == .badDirection ? "up" : direction)
    if let status = swipe.status { fields.string("status", fault == .badStatus ? "maybe" : status.rawValue) }
    let created = CivilTime.text(swipe.at, .milliseconds)
    if fault == .badTime {
      fields.string("createdAt", "2026-02-30T10:00:00Z")
    } else {
      fields.time("createdAt", created)
    }
    if let answeredAt = swipe.answeredAt {
      fields.time("answeredAt", CivilTime.text(answeredAt, .milliseconds))
    }
    return Self.document("swipes/" + id, fields, created)
  }

  private static func day(_ days: Int64) -> String {
    // `text` does not support dates before 1970. The calendar repeats after 400 years, so this code adds 400
    // years before the conversion.
    let text = CivilTime.text(days * CivilTime.day + 146_097 * CivilTime.day, .none)
    let year = Int64(text.prefix(4)).map { $0 - 400 } ?? 0
    return CivilTime.padded(year, 4) + text.dropFirst(4).prefix(6)
  }

  /// Returns the document at `path`, whose creation and last update are at `time`.
  private static func document(_ path: String, _ fields: FirestoreFields, _ time: String) -> String {
    fields.document(in: "madra-demo", path, created: time, updated: time)
  }
}
