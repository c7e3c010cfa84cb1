import Foundation
import TestSupport

/// The Swift files of the repository.
struct SwiftFiles {
  let path: String
  let text: String

  static var all: [SwiftFiles] {
    get throws { try cached.get() }
  }

  private static let cached = Result {
    try ["Sources", "Tests", "Benchmarks"].flatMap { folder in
      let root = SharedData.repository.appending(path: folder).path
      let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
      return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
        SwiftFiles(
          path: "\(folder)/\(name)", text: try String(contentsOfFile: "\(root)/\(name)", encoding: .utf8))
      }
    }
  }

  /// The text of comments, with their line numbers. A `//` within a string literal does not start a
  /// comment.
  var comments: [(line: Int, text: String)] {
    var comments: [(Int, String)] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let bytes = Array(line.utf8)
      var isQuoted = false
      var place = 0
      while place + 1 < bytes.count {
        if bytes[place] == UInt8(ascii: "\\") { place += 2; continue }
        if bytes[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
        if !isQuoted, bytes[place] == UInt8(ascii: "/"), bytes[place + 1] == UInt8(ascii: "/") {
          comments.append((index + 1, String(decoding: bytes[place...], as: UTF8.self)))
          break
        }
        place += 1
      }
    }
    return comments
  }

  /// The string literals outside comments, with their line numbers. A multiline literal gives one
  /// text per line.
  var quotedTexts: [(line: Int, text: String)] {
    var texts: [(Int, String)] = []
    var isWithin = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let quotes = line.matches(of: /"""/).count
      if quotes % 2 == 1 {
        isWithin.toggle()
      } else if isWithin {
        texts.append((index + 1, String(line)))
      } else if line.wholeMatch(of: /\s*\/\/.*/) == nil {
        texts += line.matches(of: /"((?:[^"\\]|\\.)*)"/).map { (index + 1, String($0.1)) }
      }
    }
    return texts
  }
}
