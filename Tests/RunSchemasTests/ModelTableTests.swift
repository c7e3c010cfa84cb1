import Columns
import Files
import Testing
import TestSupport

@testable import RunSchemas

/// The models of users, read by term and by column, and copied for some users and columns.
@Suite struct ModelTableTests {
  private static let columns = ["a", "b", "c"]

  /// The second user has no model, and the third one has no terms.
  private static let own: [UserModel?] = [
    UserModel(
      observations: 3, base: 0.5, intercept: -1, residualSumOfSquares: 2,
      terms: [
        .init(column: 2, coefficient: 4, mean: 0.25), .init(column: 0, coefficient: -1, mean: 3),
      ]),
    nil,
    UserModel(observations: 1, base: 7, intercept: 6, residualSumOfSquares: 0, terms: []),
    UserModel(
      observations: 2, base: -2, intercept: 5, residualSumOfSquares: 8,
      terms: [.init(column: 1, coefficient: 9, mean: -0.5)]),
  ]

  private static func prior(_ shared: [PriorTable.SharedColumn]) -> PriorTable {
    func group(_ name: String, _ base: Double, _ coefficients: [Double]) -> PriorTable.Group {
      PriorTable.Group(
        name: name, base: base, baseDeviation: .nan, noiseDeviation: 2 * base,
        coefficients: Array(coefficients.prefix(shared.count)),
        deviations: Array([0.25, 0.75].prefix(shared.count)))
    }
    return PriorTable(columns: shared, groups: [group("", 1, [8, -4]), group("x", 3, [-2, 6])])
  }

  private static let shared: [PriorTable.SharedColumn] = [
    .init(column: 0, mean: 4, scale: 5), .init(column: 2, mean: -3, scale: 0.5),
  ]

  /// Users with and without learning rows, a group and terms.
  private static func models(terms: Int) -> SharedModels {
    var models = SharedModels()
    for (observations, group, coefficients) in [
      (4, 1, [10, 20]), (0, 1, []), (2, 0, []), (0, SharedModels.none, []), (3, SharedModels.none, [1, 2]),
    ] as [(Int, UInt32, [Double])] {
      let own = Array(coefficients.prefix(terms))
      models.append(
        .init(
          observations: observations, base: 100 + Double(observations), baseError: 0.125, intercept: 9,
          residualSumOfSquares: 30, predictionError: observations > 2 ? 0.5 : .nan), group: group,
        coefficients: own, errors: own.map { $0 / 2 })
    }
    return models
  }

  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func writeOwn() throws -> ModelTable {
    try scratch.stage("models") { try ModelTable.write(Self.own, columns: Self.columns, to: &$0) }
    return try ModelTable(scratch("models"), columns: Self.columns, users: 4)
  }

  private func writeShared(_ columns: [PriorTable.SharedColumn] = shared) throws -> ModelTable {
    try scratch.stage("models") {
      try ModelTable.write(
        Self.models(terms: columns.count), Self.prior(columns), columns: Self.columns, to: &$0)
    }
    return try ModelTable(scratch("models"), columns: Self.columns, users: 5)
  }

  /// Reads all rows by column into the same buffers, and compares them with the terms.
  private func expectSameByColumn(_ table: ModelTable, _ message: Comment) {
    var model = ColumnModel()
    for row in Array(0..<table.count) + (0..<table.count).reversed() {
      let expected = table[row]
      #expect(table.read(row, into: &model) == (expected != nil), message)
      guard let expected else { continue }
      #expect(model.base == expected.base && model.missingCategory == expected.missingCategory, message)
      #expect(model.columns == expected.terms.map(\.column), message)
      var (coefficients, means) = ([0, 0, 0] as [Double], [0, 0, 0] as [Double])
      for term in expected.terms {
        coefficients[Int(term.column)] = term.coefficient
        means[Int(term.column)] = term.mean
      }
      #expect(model.coefficients == coefficients && model.means == means, message)
    }
  }

  @Test func `models with their own columns are read as they were written`() throws {
    let table = try writeOwn()
    #expect(table.count == 4 && table.prior == nil)
    #expect((0..<4).map { table[$0] } == Self.own)
    #expect(table.group(0) == nil && table.predictionStandardError(0) == nil)
    expectSameByColumn(table, "own")
  }

  @Test func `a user without terms has the model of the group`() throws {
    let table = try writeShared()
    #expect(table.prior?.columns == Self.shared)
    let models = (0..<5).map { table[$0] }
    #expect(models.map { $0?.base } == [104, 3, 1, nil, 103])
    #expect(models.map { $0?.terms.map(\.coefficient) } == [[10, 20], [-2, 6], [8, -4], nil, [1, 2]])
    #expect(models[0]?.terms.map(\.standardError) == [5, 10])
    #expect(models[1]?.terms.map(\.standardError) == [0.25, 0.75])
    #expect(models.map { $0?.baseStandardError } == [0.125, nil, nil, nil, 0.125])
    #expect(models.map { $0?.intercept } == [124, 29, -43, nil, 105])
    #expect(models.map { $0?.observations } == [4, 0, 2, nil, 3])
    #expect(models.map { $0?.residualSumOfSquares } == [30, 30, 30, nil, 30])
    #expect((0..<5).map { table.group($0) } == [1, 1, 0, nil, nil])
    #expect((0..<5).map { table.predictionStandardError($0) } == [0.5, nil, nil, nil, 0.5])
    expectSameByColumn(table, "shared")
  }

  @Test func `without shared columns, a user with learning rows has their own base`() throws {
    let table = try writeShared([])
    #expect((0..<5).map { table[$0]?.base } == [104, 3, 102, nil, 103])
    expectSameByColumn(table, "base only")
  }

  @Test func `buffers fit feature spaces of any width`() throws {
    let table = try writeOwn()
    var model = ColumnModel()
    #expect(table.read(0, into: &model))
    let narrow = try ScratchDirectory()
    try narrow.stage("models") {
      try ModelTable.write(
        [
          UserModel(
            observations: 1, base: 1, intercept: 1, residualSumOfSquares: 0,
            terms: [.init(column: 0, coefficient: 2, mean: 1)])
        ], columns: ["z"], to: &$0)
    }
    #expect(try ModelTable(narrow("models"), columns: ["z"]).read(0, into: &model))
    #expect(model.columns == [0] && model.coefficients == [2] && model.means == [1])
  }

  /// Each column is intact in itself, so only the comparison of columns finds the damage.
  @Test(
    arguments: [
      ("observations.npy", false, [1, 1, 1] as [UInt32]),
      ("terms.offsets.npy", false, [0, 2, 3] as [UInt64]),
      ("base.npy", false, [1] as [Double]), ("terms.mean.npy", false, [1] as [Double]),
      ("terms.column.npy", false, [2, 0, 3] as [UInt32]),
      ("terms.offsets.npy", true, [0, 1, 2, 3, 4, 4] as [UInt64]),
      ("group.npy", true, [1, 1, 0, 2, 1] as [UInt32]), ("prior.column.npy", true, [0, 3] as [UInt32]),
      ("prior.column.npy", true, [0] as [UInt32]), ("prior.learning_mean.npy", true, [1] as [Double]),
      ("prior.scale.npy", true, [1] as [Double]), ("prior.base.npy", true, [1] as [Double]),
      ("prior.base_standard_deviation.npy", true, [1] as [Double]),
      ("prior.noise_standard_deviation.npy", true, [1] as [Double]),
      ("prior.coefficient.npy", true, [1] as [Double]),
      ("prior.standard_deviation.npy", true, [1, 2, 3] as [Double]),
      ("prediction_standard_error.npy", true, [1] as [Double]),
    ] as [(String, Bool, any Sendable)])
  func `columns that do not fit together are damage`(name: String, isShared: Bool, values: any Sendable)
    throws
  {
    _ = isShared ? try writeShared() : try writeOwn()
    switch values {
    case let codes as [UInt32]: try scratch.replace(name, of: "models", by: codes)
    case let offsets as [UInt64]: try scratch.replace(name, of: "models", by: offsets)
    default: try scratch.replace(name, of: "models", by: try #require(values as? [Double]))
    }
    let error = #expect(throws: FileError.self) { try ModelTable(scratch("models"), columns: Self.columns) }
    #expect(error?.operation == .read)
  }

  @Test func `models of another number of users are damage`() throws {
    _ = try writeOwn()
    let error = #expect(throws: FileError.self) {
      try ModelTable(scratch("models"), columns: Self.columns, users: 5)
    }
    #expect(error?.path == scratch("models/observations.npy") && error?.operation == .read)
  }

  @Test func `a model that is checked alone has only columns that exist`() throws {
    _ = try writeOwn()
    try scratch.replace("terms.column.npy", of: "models", by: [2, 0, 3] as [UInt32])
    let table = try ModelTable(scratch("models"), columns: Self.columns, isBlockwise: true)
    for row in 0..<3 { try table.check(row: row) }
    #expect(throws: FileError.self) { try table.check(row: 3) }
  }

  /// Column "b" stays and becomes the first one. A new column has no terms.
  @Test func `the copy of own models has the remaining users and columns`() throws {
    _ = try writeOwn()
    try scratch.stage("copy") {
      try ModelTable.write(
        from: scratch("models"), keepsUser: { $0 != 2 }, columns: ["b", "new", "c"], oldColumns: [1, nil, 2],
        to: &$0)
    }
    let copy = try ModelTable(scratch("copy"), columns: ["b", "new", "c"])
    var first = try #require(Self.own[0])
    first.terms = [.init(column: 2, coefficient: 4, mean: 0.25)]
    // The contribution of the removed column, -1 · (0 - 3), is added to the base 0.5.
    first.base = 3.5
    var last = try #require(Self.own[3])
    last.terms = [.init(column: 0, coefficient: 9, mean: -0.5)]
    #expect((0..<copy.count).map { copy[$0] } == [first, nil, last])
  }

  @Test func `the copy of models with a prior has the remaining users and columns`() throws {
    let table = try writeShared()
    try scratch.stage("copy") {
      try ModelTable.write(
        from: scratch("models"), keepsUser: { $0 != 2 }, columns: ["b", "c"], oldColumns: [1, 2], to: &$0,
        in: "some/")
    }
    let copy = try ModelTable(scratch("copy/some"), columns: ["b", "c"])
    #expect(copy.prior?.columns == [.init(column: 1, mean: -3, scale: 0.5)])
    // The bases lose the coefficients of column "a" times its mean 4.
    #expect(copy.prior?.groups.map(\.base) == [-31, 11])
    #expect(copy.prior?.groups.map(\.coefficients) == [[-4], [6]])
    #expect(copy.prior?.groups.map(\.deviations) == [[0.75], [0.75]])
    #expect((0..<copy.count).map { copy[$0]?.observations } == [4, 0, nil, 3])
    #expect((0..<copy.count).map { copy[$0]?.base } == [64, 11, nil, 99])
    #expect((0..<copy.count).map { copy[$0]?.terms.map(\.coefficient) } == [[20], [6], nil, [2]])
    #expect((0..<copy.count).map { copy[$0]?.terms.map(\.standardError) } == [[10], [0.75], nil, [1]])
    #expect((0..<copy.count).map { copy.group($0) } == [1, 1, nil, nil])
    #expect((0..<copy.count).map { copy.predictionStandardError($0) } == [0.5, nil, nil, 0.5])
    for (new, old) in [(0, 0), (1, 1), (3, 4)] { #expect(copy[new]?.intercept == table[old]?.intercept) }
  }
}
