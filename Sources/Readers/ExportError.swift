package import System

/// Why a whole export file cannot be read. One bad record is a `RecordFault` instead and stops nothing.
package struct ExportError: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, to switch on. The raw values are stable names for reports.
  package enum Code: String, CaseIterable, Sendable {
    /// There is no such file.
    case missingFile = "missing_file"
    /// The file cannot be opened or read, or is a directory.
    case unreadable = "unreadable"
    /// The file is not UTF-8.
    case invalidUTF8 = "invalid_utf8"
    /// A compressed file that is damaged or cut off.
    case corruptCompression = "corrupt_compression"
    /// A file with an unsupported compression.
    case unsupportedCompression = "unsupported_compression"
    /// A compressed file that expands to more than the limits allow.
    case expansionLimit = "expansion_limit"
    /// A delimited file without a header line.
    case missingHeader = "missing_header"
    /// The header line violates the quoting rules, exceeds the record limit, or names too many columns.
    case badHeader = "bad_header"
    /// A requested field is not in the header.
    case missingColumn = "missing_column"
    /// The header contains a name more than once.
    case duplicateColumn = "duplicate_column"
    /// The file is not JSON, or not JSON that this reader can represent.
    case badJSON = "bad_json"
    /// The file is JSON of another shape than the format's.
    case wrongShape = "wrong_shape"
    /// The requested field is not a path of keys.
    case badField = "bad_field"
    /// The options contradict each other.
    case badOption = "bad_option"
  }

  /// The place in the file.
  package enum Place: Hashable, Sendable {
    /// A physical line from 1.
    case line(Int)
    /// An element of the array from 1, and the offset of its first byte.
    case element(Int, byte: Int)
    /// A byte's offset from 0, and the physical line from 1 that it is on.
    case byte(Int, line: Int)
    /// A byte's offset from 0 in the file as it is compressed.
    case compressedByte(Int)
  }

  /// What went wrong, to switch on.
  package var code: Code
  /// The file as it was named to the reader.
  package var file: String
  /// The place in the file; `nil` if the error is about the whole file.
  package var place: Place?
  /// The broken rule, the observed value and the remedy, as text for people.
  package var reason: String

  package init(_ code: Code, file: String, place: Place? = nil, reason: String) {
    self.code = code
    self.file = file
    self.place = place
    self.reason = reason
  }

  package var exitStatus: ExitStatus {
    switch code {
    case .missingFile: .missingInput
    case .unreadable: .ioError
    case .badField, .badOption: .badPipelineFile
    default: .badData
    }
  }

  /// The error as a line for people: file, place, reason.
  package var description: String {
    switch place {
    case nil: "\(file): \(reason)"
    case .line(let line): "\(file):\(line): \(reason)"
    case .element(let element, let byte): "\(file): element \(element), byte \(byte): \(reason)"
    case .byte(let byte, let line): "\(file):\(line): byte \(byte): \(reason)"
    case .compressedByte(let byte): "\(file): compressed byte \(byte): \(reason)"
    }
  }
}
