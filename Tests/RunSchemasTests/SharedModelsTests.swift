import Columns
import Files
import Testing
import TestSupport

@testable import RunSchemas

/// Writes and reads models that share the columns of a prior.
@Suite struct SharedModelsTests {
  private static let prior = PriorTable(
    columns: [.init(column: 1, mean: 2, scale: 1)],
    groups: [
      .init(
        name: "", base: 0.5, baseDeviation: 1, noiseDeviation: 2, coefficients: [4], deviations: [0.25])
    ])

  private static func models(_ observations: [Int]) -> SharedModels {
    var models = SharedModels()
    for count in observations {
      models.append(
        .init(
          observations: count, base: Double(count), baseError: 0.125, intercept: 0, residualSumOfSquares: 3,
          predictionError: 0.75), group: 0,
        coefficients: count > 0 ? [Double(10 * count)] : [], errors: count > 0 ? [.nan] : [])
    }
    return models
  }

  @Test func `models written in chunks round-trip, and users without observations have the group's`() throws {
    let scratch = try ScratchDirectory()
    let manifest = try scratch.stage("models") { directory in
      var writer = try SharedModelsWriter(in: &directory, folder: "", terms: 2)
      for chunk in [Self.models([5, 0]), Self.models([7])] {
        writer.digests.update(chunk)
        try writer.append(digested: chunk)
      }
      #expect(writer.activeUsers == 2)
      try writer.finish(Self.prior, columns: ["a", "b"], to: &directory, threads: 1)
    }
    let coefficients = manifest.outputs.first { $0.path == "terms.coefficient.npy" }
    #expect(coefficients?.sha256 == SHA256.digest(of: try scratch.bytes("models/terms.coefficient.npy")))

    let table = try ModelTable(scratch("models"), columns: ["a", "b"])
    #expect(table.count == 3 && table.prior == Self.prior)
    #expect((0..<3).map { table[$0]?.observations } == [5, 0, 7])
    #expect((0..<3).map { table[$0]?.base } == [5, 0.5, 7])
    #expect((0..<3).map { table[$0]?.terms.map(\.coefficient) } == [[50], [4], [70]])
    #expect((0..<3).map { table[$0]?.terms.map(\.standardError) } == [[nil], [0.25], [nil]])
    #expect((0..<3).map { table[$0]?.intercept } == [-95, -7.5, -133])
    #expect(table[0]?.terms.map(\.column) == [1] && table[0]?.baseStandardError == 0.125)
    #expect(table.group(1) == 0 && table.predictionStandardError(2) == 0.75)
  }

  /// Each file of terms has more than two blocks of one mebibyte. The damaged element is in the
  /// last block.
  @Test func `a reader of one model checks only its blocks`() throws {
    let users = 300_000
    let scratch = try ScratchDirectory()
    try scratch.stage("models") {
      try ModelTable.write(Self.models(Array(1...users)), Self.prior, columns: ["a", "b"], to: &$0)
    }
    func open(isBlockwise: Bool) throws(FileError) -> ModelTable {
      try ModelTable(scratch("models"), columns: ["a", "b"], isBlockwise: isBlockwise)
    }
    let whole = try open(isBlockwise: true)
    for row in [0, users - 1] { try whole.check(row: row) }
    for name in ["terms.coefficient.npy", "terms.standard_error.npy"] {
      let good = try scratch.bytes("models/" + name)
      var damaged = good
      damaged[damaged.count - 9] ^= 1
      try scratch.write(damaged, to: "models/" + name)
      #expect(throws: FileError.self) { try open(isBlockwise: false) }
      let table = try open(isBlockwise: true)
      try table.check(row: 0)
      #expect(table[0] == whole[0])
      let error = #expect(throws: FileError.self) { try table.check(row: users - 2) }
      #expect(error?.path == scratch("models/" + name) && error?.operation == .read)
      // A damaged header is found when the file is opened.
      damaged = good
      damaged[70] ^= 1
      try scratch.write(damaged, to: "models/" + name)
      #expect(throws: FileError.self) { try open(isBlockwise: true) }
      try scratch.write(good, to: "models/" + name)
    }
  }

  @Test func `models of other columns are rejected`() throws {
    let scratch = try ScratchDirectory()
    try scratch.stage("models") {
      try ModelTable.write(Self.models([1]), Self.prior, columns: ["a", "b"], to: &$0)
    }
    #expect(throws: FileError.self) { try ModelTable(scratch("models"), columns: ["b", "a"]) }
  }
}
