internal import CLeakSuppressions
internal import CLibFuzzer
package import ParserChecks

nonisolated(unsafe) private var check: ParserCheck?

/// Runs libFuzzer on one parser, with the command line of this process.
///
/// A failed check ends the process, and libFuzzer stores the input.
///
/// - Returns: The process's exit status.
package func fuzz(_ parser: ParserCheck) -> Int32 {
  check = parser
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  return LLVMFuzzerRunDriver(&count, &arguments) { data, count in
    let input = Array(UnsafeBufferPointer(start: data, count: count))
    if let violation = check?.violation(in: input) { fatalError(violation) }
    return 0
  }
}
