/// Rewrites command lines such as `nightjar near -25.38 -49.27 --radius-km 2`, because ArgumentParser would
/// parse `-25.38` as options.
enum NegativeNumbers {
  /// The commands with coordinates as positional arguments, and the number of words in their names.
  private static let commands = ["geohash": 2, "near": 1]
  /// The options that take no value.
  private static let flags: Set = ["--csv", "--help", "--json", "--version"]

  /// Moves all arguments that are not options to the end, after `--`. After `--`, a minus sign has no special
  /// meaning.
  ///
  /// The arguments stay unchanged if the command takes no coordinates, if no argument is a negative number,
  /// or if an argument is already `--`.
  static func asValues(_ arguments: [String]) -> [String] {
    guard let words = arguments.first.flatMap({ commands[$0] }), arguments.count > words,
      !arguments.contains("--"), arguments.contains(where: isNegativeNumber)
    else { return arguments }
    var options = Array(arguments.prefix(words))
    var values: [String] = []
    var rest = arguments.dropFirst(words)
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-"), !isNegativeNumber(argument) else {
        values.append(argument)
        continue
      }
      let takesValue = argument.hasPrefix("--") && !argument.contains("=") && !flags.contains(argument)
      guard takesValue, let value = rest.popFirst() else {
        options.append(argument)
        continue
      }
      options.append("\(argument)=\(value)")
    }
    return options + ["--"] + values
  }

  private static func isNegativeNumber(_ argument: String) -> Bool {
    argument.hasPrefix("-") && Double(argument) != nil
  }
}
