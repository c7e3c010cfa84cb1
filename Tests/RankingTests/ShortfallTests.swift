import StageFixture
import Testing

/// The reason for a short list must not reveal a veto.
struct ShortfallTests {
  private func shortfalls(_ users: [String], _ swipes: [String], top: Int = 5, radius: Int? = 100) throws
    -> [String: String?]
  {
    let within = radius.map { "    within_km: \($0)\n" } ?? ""
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[{ category: field }]",
        ranking: within + "    exclude: [self, interacted, vetoed, deleted]\n    top: \(top)"),
      files: [
        "users.csv": "id,field,experience,latitude,longitude,deleted\n" + users.joined(separator: "\n")
          + "\n",
        "swipes.csv": "who,whom,at,way\n" + swipes.joined(separator: "\n") + "\n",
      ])
    try fixture.runStages()
    return Dictionary(uniqueKeysWithValues: try fixture.list("near").map { ($0.user, $0.shortfall) })
  }

  @Test func `each shortfall reason occurs`() throws {
    let users = [
      "lost,Art,,,,", "alone,Art,,10,100,", "me,Art,,50,8,", "near,Art,,50.1,8,", "done,Art,,20,20,",
      "seen,Art,,20.1,20,", "sour,Art,,-30,20,", "other,Art,,-30.1,20,", "third,Data,,-30.2,20,",
    ]
    let swipes = ["done,seen,1,right", "sour,third,1,left"]
    let found = try shortfalls(users, swipes)
    #expect(found["lost"] == "no_position")
    #expect(found["alone"] == "none_in_radius")
    #expect(found["me"] == "none_in_radius")
    #expect(found["done"] == "none_left")
    #expect(found["sour"] == "none_above_minimum")
  }

  @Test func `a full list has no shortfall`() throws {
    let found = try shortfalls(["a,Art,,50,8,", "b,Art,,50,8.1,"], [], top: 1)
    #expect(found["a"] == .some(nil))
  }

  @Test func `without a radius, candidates are either left or not`() throws {
    let found = try shortfalls(["a,Art,,,,", "b,Art,,,,"], ["a,b,1,right"], radius: nil)
    #expect(found["a"] == "none_left")
    #expect(found["b"] == "none_left")
  }

  /// In one world, a person passed on `me`. In the other world, this person lives far away. `me`
  /// never swiped on this person. The lists are equal, so the reasons must be equal too.
  @Test func `a veto looks like an empty neighborhood`() throws {
    let me = "me,Art,,50,8,"
    let vetoed = try shortfalls([me, "b,Art,,50.1,8,"], ["b,me,1,left"])
    let distant = try shortfalls([me, "b,Art,,70,8,"], ["b,me,1,left"])
    #expect(vetoed["me"] == distant["me"])
    let swipedAndVetoed = try shortfalls([me, "b,Art,,50.1,8,"], ["b,me,1,left", "me,b,2,right"])
    let swiped = try shortfalls([me, "b,Art,,50.1,8,"], ["b,me,1,right", "me,b,2,right"])
    #expect(swipedAndVetoed["me"] == swiped["me"])
  }

  @Test func `a retracted pass is not a veto`() throws {
    let users = ["me,Art,,50,8,", "b,Art,,50.1,8,"]
    let still = try shortfalls(users, ["b,me,1,right", "b,me,2,left"], top: 1)
    let again = try shortfalls(users, ["b,me,1,left", "b,me,2,right"], top: 1)
    #expect(still["me"] == "none_in_radius")
    #expect(again["me"] == .some(nil))
  }
}
