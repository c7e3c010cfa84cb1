package import System

/// The reason why DuckDB's command-line program failed.
package enum DuckDBError: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// The program was not found. `searched` states the result of the search, such as "PATH contains no
  /// 'duckdb'".
  case missing(searched: String)
  /// DuckDB ended with an error.
  case failed(DuckDBFailure)
  /// The system rejected a pipe, a thread, a process, a read or a write. The value names the operation and
  /// contains the system's message.
  case system(String)

  package var exitStatus: ExitStatus {
    switch self {
    case .missing: .storeUnavailable
    case .failed(let failure): failure.isWriting ? .ioError : .badData
    case .system: .ioError
    }
  }

  package var description: String {
    switch self {
    case .missing(let searched):
      "The DuckDB CLI is required but was not found (\(searched)). Install it with "
        + "'pip install duckdb-cli', or set NIGHTJAR_DUCKDB to the path of the program 'duckdb'."
    case .failed(let failure):
      "DuckDB could not \(failure.isWriting ? "write" : "read") \(failure.subject): \(failure.sentence) "
        + (failure.isWriting ? "Check whether the disk is full." : "Check the file or the query.")
    case .system(let reason):
      "DuckDB could not be run: \(reason). Check the permissions of the program, and the limits of this "
        + "process ('ulimit -a')."
    }
  }
}

/// The failure of a DuckDB process.
package struct DuckDBFailure: Hashable, Sendable {
  /// The exit status; 128 plus the signal number if a signal ended the process.
  package var status: Int32
  /// The reason: the first lines of DuckDB's message, or a reason that Nightjar found. DuckDB's lines are
  /// joined, escaped, and cut to 600 characters.
  package var message: String
  /// Whether DuckDB was writing data, so that the disk is the likely cause. Otherwise the file or the query
  /// is the likely cause.
  package var isWriting: Bool
  /// The name of the input or output in messages.
  package var subject = "the data"

  /// The message with a period at its end.
  fileprivate var sentence: String {
    message.last.map { ".!?".contains($0) } == true ? message : message + "."
  }

  package init(status: Int32, message: String, isWriting: Bool) {
    self.status = status
    self.message = message
    self.isWriting = isWriting
  }

  /// Creates the failure of a process that wrote `errors` to standard error.
  init(status: Int32, errors: [UInt8], isWriting: Bool) {
    let lines = String(decoding: errors, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    // The part after an empty line contains the statement or advice on settings. A line with the original
    // input may contain personal data. Both are left out.
    let words = lines.prefix { !$0.isEmpty }.prefix(3).prefix { !$0.hasPrefix("Original Line") }
    let message = words.joined(separator: " ").unicodeScalars.prefix(600).map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F ? "\\u{\(String(scalar.value, radix: 16))}" : "\(scalar)"
    }.joined()
    self.init(
      status: status, message: message.isEmpty ? "it ended with status \(status)." : message,
      isWriting: isWriting)
  }
}
