internal import Readers
package import RunSchemas

// Requests and their outcomes: `requests.NAME`.

extension Pipeline {
  /// Requests of one kind. A request goes to its candidate's owner, or to the candidate if it has no owner.
  package struct Requests: Hashable, Sendable {
    package var name: String
    package var source: Source
    /// The columns of these requests in a snapshot. Requests of all kinds have the same columns.
    package var schema: InteractionSchema {
      InteractionSchema(
        name: name,
        entities: InteractionSchema.Entities(users: user.entity, candidates: candidate.entity))
    }
    /// The reference to the user who makes the request.
    package var user: Reference
    /// The reference to the requested candidate.
    package var candidate: Reference
    package var at: TimeField
    package var status: StatusField
    /// The time of the last change of the status. The field may be empty for pending requests.
    package var changed: TimeField
    /// The requester's birth-date attribute; `nil` if users of all ages may make requests.
    package var born: String?
    /// With `born`: the minimum age in years at the time of the request. Requests by users of unknown age are
    /// left out.
    package var minimumAge = 18
    package var expectations = Expectations()
  }

  package struct StatusField: Hashable, Sendable {
    package var from: String
    /// The status for each text of the field.
    package var map: [String: RequestStatus]
  }

  package func requests(_ name: String) -> Requests? { requests.first { $0.name == name } }

  /// Returns the entity of the people who answer `requests`.
  package func addressee(of requests: Requests) -> String {
    entity(requests.candidate.entity)?.owner?.entity ?? requests.candidate.entity
  }

  /// Returns the entities of the two sides of a match. For mutual likes, both sides belong to the same
  /// entity, so the result has one element.
  package func entities(of list: MatchList) -> [String] {
    switch list.origin {
    case .mutual(let name): interaction(name).map { [$0.user.entity] } ?? []
    case .accepted(let name): requests(name).map { [$0.user.entity, addressee(of: $0)] } ?? []
    }
  }
}

extension Pipeline.Requests {
  init(_ name: String, _ setting: Setting, _ entities: [Pipeline.Entity]) throws(PipelineFileError) {
    let keys = try setting.mapping(
      keys: [
        "source", "user", "candidate", "at", "status", "changed", "born", "minimum_age", "expect",
      ] + Pipeline.Source.limitKeys)
    self.name = name
    source = try Pipeline.Source(setting, with: keys)
    user = try Pipeline.Reference(setting.required("user", in: keys), entities)
    candidate = try Pipeline.Reference(setting.required("candidate", in: keys), entities)
    at = try Pipeline.TimeField(setting.required("at", in: keys))
    status = try Pipeline.StatusField(setting.required("status", in: keys))
    changed = try Pipeline.TimeField(setting.required("changed", in: keys))
    if let expect = keys["expect"] {
      expectations = try Pipeline.Expectations(expect, .events(name))
    }
    if let setting = keys["born"] {
      let asker = user.entity
      let dates =
        entities.first { $0.name == asker }?.attributes.filter { $0.type == .date }.map(\.name) ?? []
      let born = try setting.text()
      guard dates.contains(born) else {
        throw setting.unknown(born, among: dates, called: "date attribute", of: asker)
      }
      self.born = born
    }
    if let setting = keys["minimum_age"] {
      minimumAge = try setting.integer(0...150)
      guard born != nil else {
        throw setting.mistake(
          "'\(setting.path)' needs 'born', the birth date of the users",
          advice: "Add 'born: ATTRIBUTE' with a date of '\(user.entity)', or remove 'minimum_age'.")
      }
    }
  }
}

extension Pipeline.StatusField {
  /// Reads `status: FIELD` or `status: { from: FIELD, map: { yes: accepted, ... } }`.
  init(_ setting: Setting) throws(PipelineFileError) {
    guard setting.isMapping else {
      from = try setting.text()
      map = Dictionary(uniqueKeysWithValues: RequestStatus.allCases.map { ($0.rawValue, $0) })
      return
    }
    let keys = try setting.mapping(keys: ["from", "map"])
    from = try setting.required("from", in: keys).text()
    let words = try setting.required("map", in: keys)
    map = [:]
    for (word, status, _) in try words.pairs() { map[word] = try status.choice(RequestStatus.self) }
    guard !map.isEmpty else {
      throw words.mistake("\(words.label) is empty", advice: "Map at least one text to a status.")
    }
  }
}
