import Testing

@testable import PipelineFile

/// Plain and quoted values, names, and the words of errors.
struct ScalarSettingTests {
  @Test(arguments: [
    ("seed", "+5", "must be a whole number, not '+5'"), ("seed", "\"5\"", "must be a whole number, not '5'"),
    ("rankings.friends.top", "1.5e0", "must be a whole number, not '1.5e0'"),
    ("rankings.friends.within_km", "+50", "must be a number, not '+50'"),
    ("rankings.friends.within_km", "'50'", "must be a number, not '50'"),
    ("rankings.friends.within_km", "~", "must be a number, not an empty value"),
    ("pipeline", "a b", "is 'a b', which is not a name"),
    ("pipeline", "a.b", "is 'a.b', which is not a name"),
    ("pipeline", "é", "is 'é', which is not a name"), ("pipeline", "~", "needs 'pipeline'"),
    ("entities.people.attributes.field.names", "{ \"\": Kunst }", "is empty"),
    ("entities.people.attributes.field.optional", "True", "must be true or false, not 'True'"),
    ("reject_limit", "'0.5'", "must be a share from 0 to 1"),
    ("evaluation.at", "[+1]", "must be a whole number"),
  ])
  func `a value in another form is rejected`(key: String, value: String, reason: String) throws {
    let error = try #require(mistake(everyKey, ["\(key)=\(value)"]), "\(value) was accepted")
    #expect(error.reason.contains(reason), "\(error)")
  }

  @Test(arguments: ["10", "1e1", "10.0", "1000e-2"]) func `a whole number may have an exponent`(text: String)
    throws
  {
    #expect(try pipeline(everyKey, ["rankings.friends.top=\(text)"]).rankings.first?.top == 10)
  }

  @Test(arguments: ["a-b_C9", "0", "-", "Z", String(repeating: "z", count: 64)])
  func `a name has letters, digits and two marks`(name: String) throws {
    #expect(try pipeline(everyKey, ["pipeline=\(name)"]).name == name)
  }

  private static let harbour = "type: text\n        from: place\n        required: true"

  @Test(arguments: [
    ("  asks:\n", "  likes:\n", "is already the name of a kind of interaction"),
    ("  asks:\n", "  people:\n", "is already the name of an entity"),
    ("  asks:\n", "  moorings:\n", "is already the name of a kind of check-in"),
    ("type: flag", "type: flag\n        not_in_future: true", "only for dates"),
    ("type: flag", "type: flag\n        not_before: born", "only for dates"),
    (
      harbour, "type: date\n        not_in_future: true",
      "has 'not_in_future', but only attributes of entities"
    ),
    (harbour, "type: date\n        not_before: born", "has 'not_before', but only attributes of entities"),
  ])
  func `settings that do not fit together are rejected`(old: String, new: String, reason: String) throws {
    let error = try #require(mistake(changed(old, new)), "\(new) was accepted")
    #expect(error.reason.contains(reason) && error.place.hasPrefix("p.yaml:"), "\(error)")
  }

  @Test func `dates have rules`() throws {
    let file = try pipeline(changed("type: date", "type: date\n        not_in_future: true"))
    let born = try #require(file.entity("people")?.attribute("born"))
    #expect(born.isNotInFuture && born.notBefore == nil && born.hasDateRule)
    #expect(file.entity("people")?.hasDateOrder == false)
    let ordered = try pipeline(changed("type: date", "type: date\n        not_before: created"))
    let later = try #require(ordered.entity("people")?.attribute("born"))
    #expect(!later.isNotInFuture && later.notBefore == "created" && later.hasDateRule)
    #expect(ordered.entity("people")?.hasDateOrder == true && ordered.entity("events")?.hasDateOrder == false)
    let plain = try pipeline(everyKey).entity("people")?.attribute("born")
    #expect(plain?.hasDateRule == false)
  }

  @Test func `an error has its place, its reason and its advice`() {
    #expect(
      PipelineFileError(place: "p.yaml:1:2", reason: "it is odd").description == "p.yaml:1:2: it is odd.")
    let error = PipelineFileError(place: "--set a", reason: "it is odd", advice: "Change it.")
    #expect(error.description == "--set a: it is odd. Change it.")
  }

  @Test(arguments: [
    (
      "evaluation.model=taste",
      "The pipeline file has no model. Add one, or remove the setting that needs it."
    ),
    (
      "rankings.parties.not_over=made",
      "'events' has no date attribute. Add one, or remove the setting that needs it."
    ),
    ("rankings.ships.show=[harbor]", "The nearest name is 'harbour'. Valid here: harbour, position."),
    ("rankings.friends.round_distance=dn", "Valid here: nearest, up."),
    (
      "rankings.friends.tops=3",
      "The nearest valid key is 'top'. Valid here: users, for, candidates, within_km,"
    ),
  ])
  func `the advice has the valid names`(override: String, advice: String) throws {
    let error = try #require(mistake(everyKey, [override]), "\(override) was accepted")
    #expect(error.advice.hasPrefix(advice), "\(error)")
  }
}
