import Columns
import Features
import Files
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

/// Compares the models that fit writes with the closed form over rows that the test builds itself.
struct CreateMLTests {
  private static let ranking = "    within_km: 3000"

  /// Over these seeds, coefficients differ from the closed form by at most 3e-13 of the model's
  /// largest coefficient.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `coefficients equal the closed form, with categories in order of occurrence`(seed: UInt64) throws {
    let world = RandomExport(seed: seed, people: 40, swipes: 900)
    let features = "[{ category: field }, { number: experience }, position, distance]"
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: features, ranking: Self.ranking), files: world.files)
    try fixture.runStages()
    let models = try fixture.models()
    let names = models.columns.strings
    var compared = 0
    for user in world.people.indices {
      let rows = world.learningRows(of: user)
      guard !rows.isEmpty else {
        #expect(models[user] == nil)
        continue
      }
      let design = world.design(rows, of: user)
      let expected = ClosedForm(columns: design.columns.map(\.values), response: rows.map(\.value))
      let model = try #require(models[user])
      // The model stores its reference category as a term with the coefficient 0.
      let terms = model.terms.filter { names[Int($0.column)] != design.baseline }
      #expect(terms.map { names[Int($0.column)] } == design.columns.map(\.name))
      let largest = expected.coefficients.reduce(0) { max($0, abs($1)) }
      for (term, coefficient) in zip(terms, expected.coefficients) {
        #expect(abs(term.coefficient - coefficient) <= 1e-11 * max(1, largest))
      }
      for (term, mean) in zip(terms, expected.means) {
        #expect(abs(term.mean - mean) <= 1e-12 * max(1, abs(mean)))
      }
      #expect(abs(model.intercept - expected.intercept) <= 1e-11 * max(1, largest, abs(expected.intercept)))
      #expect(model.observations == rows.count)
      let base = rows.reduce(0) { $0 + $1.value } / Double(rows.count)
      #expect(abs(model.base - base) < 1e-14)
      let squares = rows.indices.reduce(0) { sum, row in
        let fitted = zip(expected.coefficients, design.columns).reduce(expected.intercept) {
          $0 + $1.0 * $1.1.values[row]
        }
        return sum + (rows[row].value - fitted) * (rows[row].value - fitted)
      }
      #expect(abs(model.residualSumOfSquares - squares) < 1e-6)
      #expect(model.terms.allSatisfy { $0.standardError == nil } && model.baseStandardError == nil)
      compared += 1
    }
    #expect(compared > 30)
  }

  struct Awkward: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The field, experience and direction of each swipe.
    var swipes: [(field: String, experience: String, direction: String)]
    var base: Double
  }

  @Test(arguments: [
    Awkward(testDescription: "one like", swipes: [("Art", "3", "right")], base: 1),
    Awkward(testDescription: "one pass", swipes: [("Art", "3", "left")], base: -1),
    Awkward(
      testDescription: "all likes",
      swipes: [("Art", "3", "right"), ("Data", "5", "right"), ("Art", "9", "right")],
      base: 1),
    Awkward(testDescription: "all passes", swipes: [("Art", "3", "left"), ("Data", "5", "left")], base: -1),
    Awkward(
      testDescription: "constant features", swipes: [("Art", "4", "right"), ("Art", "4", "left")], base: 0),
    Awkward(
      testDescription: "nothing known", swipes: [("", "", "right"), ("", "", "left"), ("", "", "right")],
      base: 1.0 / 3),
    Awkward(
      testDescription: "zeros", swipes: [("Art", "0", "right"), ("Data", "0", "left")], base: 0),
    Awkward(
      testDescription: "numbers at the ends of the range",
      swipes: [("Art", "1e100", "right"), ("Art", "-1e100", "left"), ("Data", "1e-300", "right")],
      base: 1.0 / 3),
  ])
  func `an awkward history gives a finite model`(_ history: Awkward) throws {
    var users = "id,field,experience,latitude,longitude,deleted\nme,,,50,8,\n"
    var swipes = "who,whom,at,way\n"
    for (index, swipe) in history.swipes.enumerated() {
      users += "c\(index),\(swipe.field),\(swipe.experience),50.\(index),8,\n"
      swipes += "me,c\(index),\(index),\(swipe.direction)\n"
    }
    let features = "[{ category: field }, { number: experience }, position, distance]"
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: features, ranking: Self.ranking),
      files: ["users.csv": users, "swipes.csv": swipes])
    try fixture.runStages()
    let table = try #require(fixture.snapshot().entities["users"])
    let me = Int(try #require(table.row(of: "me")))
    let model = try #require(fixture.models()[me])
    #expect(abs(model.base - history.base) < 1e-15)
    #expect(model.intercept.isFinite && model.residualSumOfSquares.isFinite)
    #expect(model.terms.allSatisfy { $0.coefficient.isFinite && $0.mean.isFinite })
    // If all answers are equal, only the intercept differs from 0.
    if Set(history.swipes.map(\.direction)).count == 1 {
      #expect(model.terms.allSatisfy { $0.coefficient == 0 })
    }
    for line in try fixture.list("near") {
      #expect(line.recommendations.allSatisfy { $0.score?.isFinite ?? true })
    }
  }

  @Test func `models do not depend on the number of threads`() throws {
    let world = RandomExport(seed: 99, people: 700, swipes: 6000)
    let yaml = RandomExport.yaml(features: "[{ category: field }, position]", ranking: Self.ranking)
    let fixtures = try [1, 2, 8].map { threads in
      let fixture = try StageFixture(yaml: yaml, files: world.files)
      try fixture.runStages(threads: threads)
      return fixture
    }
    for file in ["terms.coefficient.npy", "terms.mean.npy", "base.npy", "intercept.npy", "manifest.json"] {
      let first = try fixtures[0].bytes("models/" + file)
      for fixture in fixtures.dropFirst() { #expect(try fixture.bytes("models/" + file) == first) }
    }
  }

  @Test func `the manifest counts methods and users without a model`() throws {
    let world = RandomExport(seed: 5, people: 60, swipes: 50)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[position]", ranking: Self.ranking), files: world.files)
    let manifests = try fixture.runStages()
    let counts = try #require(manifests["models"]).counts
    let withSwipes = Set(world.swipes.map(\.user)).count
    #expect(counts["models"] == .integer(withSwipes))
    #expect(counts["without_interactions"] == .integer(60 - withSwipes))
    #expect(counts["methods"]?.total == withSwipes)
    // The pipeline file maps the values to -1 and 1, so they need no bounds.
    #expect(counts["response_bounds"] == nil && counts["l2"] == nil && counts["by_name"] == nil)
  }
}

/// One user's design matrix. The test builds it from the random world without product code.
private struct Design {
  var columns: [(name: String, values: [Double])] = []
  var baseline: String?
}

extension RandomExport {
  /// The swipes of `user`, ordered by time and then by row.
  fileprivate func learningRows(of user: Int) -> [Swipe] {
    swipes.enumerated().filter { $0.element.user == user }
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }

  fileprivate func design(_ rows: [Swipe], of user: Int) -> Design {
    var design = Design()
    let candidates = rows.map { people[$0.candidate] }
    var met: [String] = []
    for field in candidates.compactMap(\.field) where !met.contains(field) { met.append(field) }
    design.baseline = met.first.map { "field=\($0)" }
    for field in met.dropFirst() {
      design.columns.append(("field=\(field)", candidates.map { $0.field == field ? 1 : 0 }))
    }
    design.columns.append(("experience", filled(candidates.map(\.experience))))
    let positions = candidates.map(snapped)
    design.columns.append(("latitude", filled(positions.map { $0?.latitude })))
    design.columns.append(("longitude", filled(positions.map { $0?.longitude })))
    let origin = snapped(people[user])
    let distances = positions.map { position in
      position.flatMap { position in origin.map { $0.distanceInKilometers(to: position) } }
    }
    design.columns.append(("distance_km", filled(distances)))
    return design
  }

  private func snapped(_ person: Person) -> Coordinate? {
    guard let latitude = person.latitude, let longitude = person.longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude).map { Geohash($0, precision: 7).center }
  }

  /// Replaces missing values with the mean of the other values.
  private func filled(_ values: [Double?]) -> [Double] {
    let known = values.compactMap { $0 }
    let mean = known.isEmpty ? 0 : known.reduce(0, +) / Double(known.count)
    return values.map { $0 ?? mean }
  }
}
