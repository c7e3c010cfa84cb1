package import System

/// The reason why a whole export file cannot be read. A single bad record is a `RecordFault` instead and does
/// not stop the pass.
package struct ExportError: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error. The raw values are stable names for reports.
  package enum Code: String, CaseIterable, Sendable {
    /// The file or folder does not exist, or a folder or pattern yields no file.
    case missingFile = "missing_file"
    /// A file or folder cannot be opened, examined or read, a file name is not UTF-8, or memory for
    /// decompression cannot be allocated.
    case unreadable = "unreadable"
    /// The file is not UTF-8.
    case invalidUTF8 = "invalid_utf8"
    /// The compressed file is damaged or truncated, or its content does not match its compression suffix.
    case corruptCompression = "corrupt_compression"
    /// The compression is not supported.
    case unsupportedCompression = "unsupported_compression"
    /// The compressed file expands to more than the limits allow.
    case expansionLimit = "expansion_limit"
    /// The delimited file has no header line.
    case missingHeader = "missing_header"
    /// The header line violates the quoting rules, exceeds the record limit, or names too many columns.
    case badHeader = "bad_header"
    /// A requested field is not in the header.
    case missingColumn = "missing_column"
    /// The header contains a name more than once.
    case duplicateColumn = "duplicate_column"
    /// The file is not JSON, or contains JSON that this reader cannot represent.
    case badJSON = "bad_json"
    /// The file is JSON, but its structure does not match the format.
    case wrongShape = "wrong_shape"
    /// The requested field is not a path of keys.
    case badField = "bad_field"
    /// The export shows that records are missing.
    case incomplete
    /// A file in a folder or among the matches of a pattern probably does not belong to the export. A named
    /// pipe also has this code.
    case oddFile = "odd_file"
    /// An option is missing or invalid, or two options contradict each other.
    case badOption = "bad_option"
  }

  /// The place in the file.
  package enum Place: Hashable, Sendable {
    /// The number of a physical line, from 1.
    case line(Int)
    /// The number of an element of the array, from 1, and the offset of the element's first byte, from 0.
    case element(Int, byte: Int)
    /// The offset of a byte, from 0, and the number of its physical line, from 1.
    case byte(Int, line: Int)
    /// The offset of a byte, from 0, in the compressed file.
    case compressedByte(Int)
  }

  /// The kind of error.
  package var code: Code
  /// The file name as given to the reader.
  package var file: String
  /// The place in the file; `nil` if the error is about the whole file.
  package var place: Place?
  /// The human-readable explanation: the broken rule, the observed value, and how to correct the error.
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

  /// The error as one line: file, place, reason.
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
