import ArgumentParser
import Columns
import Files
import LeastSquares
import Models

/// Least squares per user with the solver of `nightjar fit`.
struct LeastSquaresKernel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "least-squares", abstract: "Solves one least-squares problem per user.",
    discussion: """
      The design is a directory of one-dimensional .npy files, the rows of each user together:
        offsets.npy  u8  where the rows of each user begin, and the end
        codes.npy    u4  the category of each row; those of a second category follow, and so on
        numbers.npy  f8  the first number of each row; the second numbers follow, and so on
        values.npy   f8  what is to be explained

      Written are, per user, the intercept (free), the coefficients of the categories' codes and those of the numbers.
      Standard output gets one line of JSON with the seconds of all repetitions, reading and writing left out.
      """)

  @Option(help: "The directory of the design.") var design: String
  @Option(help: "The .npy file to write; it must not exist.") var out: String
  @Option(help: "Codes of each category, by commas.") var widths: String = ""
  @Option(help: "The penalty on squared coefficients; without one, least norm.") var penalty = 1.0
  @Option(help: "Threads over users.") var threads = 1
  @Option(name: .customLong("repeat"), help: "How often to solve; the median counts.") var repetitions = 3

  func validate() throws {
    guard penalty >= 0, penalty.isFinite else { throw ValidationError("--penalty must be at least 0.") }
    guard threads > 0 else { throw ValidationError("--threads must be at least 1.") }
    guard repetitions > 0 else { throw ValidationError("--repeat must be at least 1.") }
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
      throw ValidationError("offsets.npy does not ascend from 0 to the \(count) rows of values.npy.")
    }
    let widths = try widths.split(separator: ",").map { text in
      guard let width = Int(text), width > 0 else {
        throw ValidationError("--widths are positive numbers, not '\(text)'.")
      }
      return width
    }
    guard rows.codes.count == widths.count * count, count > 0, rows.numbers.count % count == 0 else {
      throw ValidationError(
        "\(rows.codes.count) codes and \(rows.numbers.count) numbers are not \(widths.count) and some per each of "
          + "\(count) rows.")
    }
    for (place, width) in widths.enumerated() {
      for row in place * count..<(place + 1) * count where rows.codes[row] >= width {
        throw ValidationError("codes.npy has the code \(rows.codes[row]) in a category of \(width).")
      }
    }
    return widths
  }
}
