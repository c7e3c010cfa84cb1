import ArgumentParser
import Columns
import Files
import LeastSquares
import Models

/// Solves least squares for each user with the solver of `nightjar fit`.
struct LeastSquaresKernel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "least-squares", abstract: "Solves one least-squares problem per user.",
    discussion: """
      The design is a directory of one-dimensional .npy files. The rows of a user are adjacent.
        offsets.npy  u8  the first row of each user, then the number of rows
        codes.npy    u4  the codes of all rows in the first category, then in the second, and so on
        numbers.npy  f8  the first number of all rows, then the second number, and so on
        values.npy   f8  the value of each row, which the regression predicts

      For each user, the command writes the intercept, which has no penalty, the coefficients of the codes of
      all categories, and the coefficients of the numbers. It prints one line of JSON with the seconds of each
      repetition, which exclude reading and writing.
      """)

  @Option(help: "The directory of the design.") var design: String
  @Option(help: "The .npy file to write. It must not exist.") var out: String
  @Option(help: "The number of codes of each category, separated by commas.") var widths: String = ""
  @Option(help: "The penalty on squared coefficients; 0 for the solution of least norm.") var penalty = 1.0
  @Option(help: "The number of threads.") var threads = 1
  @Option(name: .customLong("repeat"), help: "The number of repetitions.") var repetitions = 3

  func validate() throws {
    guard penalty >= 0, penalty.isFinite else {
      throw ValidationError("--penalty must be a finite number of at least 0, not \(penalty).")
    }
    guard threads > 0 else { throw ValidationError("--threads must be at least 1, not \(threads).") }
    guard repetitions > 0 else { throw ValidationError("--repeat must be at least 1, not \(repetitions).") }
  }

  func run() throws {
    try LinearAlgebraLibrary.load()
    let offsets = try Column<UInt64>(design + "/offsets.npy").elements.map { Int($0) }
    let rows = RidgePerUser.Rows(
      codes: try Column<UInt32>(design + "/codes.npy").elements,
      numbers: try Column<Double>(design + "/numbers.npy").elements,
      responses: try Column<Double>(design + "/values.npy").elements, offsets: offsets)
    let widths = try codeCounts(rows)
    let ridge = RidgePerUser(
      widths: widths, numbers: rows.numbers.count / max(1, rows.responses.count), penalty: penalty)
    let clock = ContinuousClock()
    var (seconds, parameters) = ([] as [Double], [] as [Double])
    for _ in 0..<repetitions {
      let start = clock.now
      parameters = try ridge.parameters(rows, threads: threads)
      let taken = start.duration(to: clock.now).components
      seconds.append(Double(taken.seconds) + Double(taken.attoseconds) * 1e-18)
    }
    try write(parameters)
    let median = seconds.sorted()[seconds.count / 2]
    print(
      "{\"users\":\(offsets.count - 1),\"parameters\":\(ridge.parameterCount),\"threads\":\(threads),"
        + "\"seconds\":\(seconds),\"median\":\(median)}")
  }

  /// Writes `parameters` as the column file `out`, which does not exist yet.
  private func write(_ parameters: [Double]) throws {
    var writer = try FileWriter(creating: out)
    try writer.append(NumPyHeader(type: Double.numpyName, count: parameters.count).bytes)
    unsafe try writer.append(parameters.span.bytes)
    _ = try writer.finish(as: out)
  }

  /// Checks that the files are consistent, and returns the number of codes of each category.
  private func codeCounts(_ rows: RidgePerUser.Rows) throws -> [Int] {
    let count = rows.responses.count
    let ascends = zip(rows.offsets, rows.offsets.dropFirst()).allSatisfy { $0 < $1 }
    guard rows.offsets.first == 0, rows.offsets.last == count, ascends else {
      throw ValidationError("offsets.npy must ascend from 0 to \(count), the number of rows in values.npy.")
    }
    let widths = try widths.split(separator: ",").map { text in
      guard let width = Int(text), width > 0 else {
        throw ValidationError("--widths must be positive whole numbers separated by commas, not '\(text)'.")
      }
      return width
    }
    guard rows.codes.count == widths.count * count, count > 0, rows.numbers.count % count == 0 else {
      throw ValidationError(
        "values.npy has \(count) rows, so codes.npy must have \(widths.count * count) codes and numbers.npy "
          + "a multiple of \(count) numbers, not \(rows.codes.count) codes and \(rows.numbers.count) numbers."
      )
    }
    for (place, width) in widths.enumerated() {
      for row in place * count..<(place + 1) * count where rows.codes[row] >= width {
        throw ValidationError(
          "codes.npy has the code \(rows.codes[row]) in a category of \(width) codes. Use codes below \(width)."
        )
      }
    }
    return widths
  }
}
