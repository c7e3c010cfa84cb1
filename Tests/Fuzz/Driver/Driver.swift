internal import CLeakSuppressions
internal import CLibFuzzer
package import ParserChecks

nonisolated(unsafe) private var check: ParserCheck?

/// Runs libFuzzer with the command line of the process on one parser.
///
/// Whatever the check finds ends the process, and libFuzzer keeps the input.
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
