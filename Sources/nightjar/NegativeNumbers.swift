/// Makes `nightjar geohash encode -25.38 -49.27` work: ArgumentParser takes `-25.38` for options.
enum NegativeNumbers {
  /// The arguments with everything that is no option moved behind `--`, where signs mean nothing.
  ///
  /// Only for `geohash`, whose positional arguments are coordinates and hashes; only where a negative number is
  /// among them and the caller has not written `--`.
  static func asValues(_ arguments: [String]) -> [String] {
    guard arguments.first == "geohash", arguments.count > 2, !arguments.contains("--"),
      arguments.contains(where: isNegativeNumber)
    else { return arguments }
    var options = Array(arguments.prefix(2))
    var values: [String] = []
    var rest = arguments.dropFirst(2)
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-"), !isNegativeNumber(argument) else {
        values.append(argument)
        continue
      }
      let takesValue = argument.hasPrefix("--") && !argument.contains("=") && argument != "--help"
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
