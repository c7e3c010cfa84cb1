internal import Concurrency

/// The text of `users.json`: the response of Firestore's `documents.list`, one document per line.
struct FusionUserDocuments {
  private let population: FusionPopulation
  private let documents: [Document]

  private struct Document {
    var person: Int
    /// Whether the person also has a newer document.
    var isOlder: Bool
  }

  /// Creates all documents in a random order. The two documents of one person are then swapped if
  /// `FusionPerson.Duplicate` requires the opposite order.
  init(_ population: FusionPopulation) {
    self.population = population
    var documents = population.people.map { Document(person: $0.index, isOlder: false) }
    for person in population.people where person.duplicate != nil {
      documents.append(Document(person: person.index, isOlder: true))
    }
    var generator = SplitMix64(seed: population.seed, purpose: .documents)
    var shuffled = generator.nextPermutation(of: documents.count).map { documents[$0] }
    var firstPlaces: [Int: Int] = [:]
    for (place, document) in shuffled.enumerated() {
      guard let duplicate = population.people[document.person].duplicate else { continue }
      guard let first = firstPlaces[document.person] else {
        firstPlaces[document.person] = place
        continue
      }
      let newerFirst = duplicate == .olderLast
      if shuffled[first].isOlder == newerFirst { shuffled.swapAt(first, place) }
    }
    self.documents = shuffled
  }

  /// The documents as lines. Each line is generated on access.
  var lines: some Sequence<String> {
    documents.lazy.map { line(population.people[$0.person], isOlder: $0.isOlder) }
  }

  /// Adds the counts of the documents to `summary`.
  func count(in summary: inout FusionSummary) {
    summary.documents = documents.count
    for document in documents where !document.isOlder {
      Self.count(population.people[document.person], in: &summary)
    }
    summary.duplicates.sort { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
  }

  private static func count(_ person: FusionPerson, in summary: inout FusionSummary) {
    summary.users += 1
    if let fault = person.fault {
      summary.usersBreaking.add(fault.rule)
      return
    }
    summary.validUsers += 1
    if person.positionForm != .given { summary.usersWithoutPosition += 1 }
    if person.isDeleted { summary.deletedUsers += 1 }
    if person.experience == nil { summary.usersWithoutExperience += 1 }
    if let duplicate = person.duplicate {
      summary.usersBreaking.add(.duplicateID)
      summary.duplicates.append(
        .init(
          id: person.id, businessField: BusinessField.all[person.field].name, isTie: duplicate == .tie))
    }
  }

  private func line(_ person: FusionPerson, isOlder: Bool) -> String {
    var person = person
    var generator = SplitMix64(
      seed: population.seed, purpose: .documents, index: 2 * person.index + (isOlder ? 2 : 1))
    if isOlder { Self.age(&person, using: &generator) }
    let created = CivilTime.text(
      person.createdAt, .microseconds, microsecond: Int64(generator.nextIndex(below: 1000)))
    // Firestore's own time of the last write is slightly later than the app's time in the document.
    let updated = CivilTime.text(
      person.updatedAt + Int64(generator.nextInteger(in: 5...180)), .microseconds,
      microsecond: Int64(generator.nextIndex(below: 1000)))
    return fields(of: person, isOlder: isOlder, using: &generator)
      .document(in: "fusion-demo", "users/" + person.id, created: created, updated: updated)
  }

  /// Changes `person` to the state in the older document: another field, one year less of experience, and
  /// an earlier `updatedAt` unless the duplicate is a tie.
  private static func age(_ person: inout FusionPerson, using generator: inout SplitMix64) {
    let count = BusinessField.all.count
    person.field = (person.field + 1 + generator.nextIndex(below: count - 1)) % count
    person.subfield %= BusinessField.all[person.field].subfields.count
    person.experience = person.experience.map { max(0, $0 - 1) }
    let earlier = generator.nextInstant(in: person.createdAt..<person.updatedAt - CivilTime.hour)
    if person.duplicate != .tie { person.updatedAt = earlier }
  }

  private func fields(
    of person: FusionPerson, isOlder: Bool, using generator: inout SplitMix64
  ) -> FirestoreFields {
    let city = City.europe[person.city]
    let profile = FusionProfile(of: person, isOlder: isOlder, seed: population.seed)
    var address = FirestoreFields()
    address.string("city", city.name)
    address.string("country", city.country)
    var fields = FirestoreFields()
    fields.string("fullName", profile.fullName)
    fields.string("businessField", BusinessField.all[person.field].name)
    fields.string("subfield", BusinessField.all[person.field].subfields[person.subfield])
    fields.string("role", person.role.rawValue)
    fields.string("company", profile.company)
    fields.string("bio", profile.bio)
    if person.fault == .experienceInWords {
      fields.string("experience", generator.pick(["ten", "a lot", "since school"]))
    } else if let years = person.experience {
      fields.integer("experience", years)
    }
    fields.strings("skills", profile.skills)
    fields.map("address", address)
    addPosition(of: person, to: &fields, using: &generator)
    if person.fault == .creationTimeInWords {
      fields.string("createdAt", generator.pick(["yesterday", "2026-02-30T09:15:00Z"]))
    } else {
      fields.time("createdAt", CivilTime.text(person.createdAt, .milliseconds))
    }
    fields.time("updatedAt", CivilTime.text(person.updatedAt, .milliseconds))
    fields.flag("deleted", person.isDeleted)
    return fields
  }

  private func addPosition(
    of person: FusionPerson, to fields: inout FirestoreFields, using generator: inout SplitMix64
  ) {
    var latitude = "\(person.place.latitude)"
    var longitude = "\(person.place.longitude)"
    switch person.fault {
    case .latitudeOutOfRange: latitude = generator.pick(["91.2", "95", "-90.04"])
    case .longitudeOutOfRange: longitude = generator.pick(["180.7", "-190", "361.25"])
    case .latitudeNotANumber: latitude = "\"NaN\""
    case .experienceInWords, .creationTimeInWords, nil: break
    }
    switch person.positionForm {
    case .given: fields.geoPoint("location", latitude: latitude, longitude: longitude)
    case .null: fields.null("location")
    case .absent: break
    }
  }
}
