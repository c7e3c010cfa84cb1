import Foundation
import Testing
import TestSupport

/// The bundled exports with a part of their people. With all people, the pages would take minutes
/// in a debug build.
struct ThinnedExports {
  /// The files of `datasets` in the order of their references, the prefix of people's ids, and the
  /// share that is kept. All invalid rows stay, so a smaller share would exceed `reject_limit`. With
  /// fewer swipes, the models would also need more iterations.
  private static let products: [(prefix: String, share: Int, files: [String])] = [
    ("u", 10, ["fusion/users.json", "fusion/swipes.csv"]),
    ("c", 8, ["fixit/customers.jsonl", "fixit/jobs.jsonl"]),
    // The numbers of bands' and labels' leaders are multiples of 6, so only some shares keep any of
    // them.
    ("m", 7, ["funkify/export.json"]),
    ("minder", 4, ["madra/accounts.json", "madra/swipes.json"]),
  ]

  /// The people who are always kept.
  let kept: Set<String>
  private let prefix: String
  private let share: Int
  /// The ids of removed lines. Lines that refer to them are removed too.
  private var dropped: Set<String> = []

  init(_ prefix: String, oneIn share: Int, keeping kept: Set<String>) {
    (self.prefix, self.share, self.kept) = (prefix, share, kept)
  }

  /// Thins the exports in the folder `datasets`.
  static func thin(_ datasets: String, keeping kept: Set<String>) throws {
    for product in products {
      var exports = ThinnedExports(product.prefix, oneIn: product.share, keeping: kept)
      for file in product.files {
        let path = "\(datasets)/\(file)"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let thinned = exports.thinned(text)
        #expect(thinned.utf8.count > 5_000 && thinned.utf8.count < text.utf8.count / 2, "\(file)")
        try thinned.write(toFile: path, atomically: true, encoding: .utf8)
      }
    }
  }

  /// Returns the lines whose ids are all kept, and the lines that open or close a part of the
  /// export. Each line is one element.
  mutating func thinned(_ text: String) -> String {
    var lines: [Substring] = []
    for (index, line) in text.split(separator: "\n").enumerated() {
      let ids = Self.ids(in: line)
      let isFrame = index == 0 && !line.hasPrefix("{\"name\"") || line.utf8.count <= 16
      if ids.contains(where: { !isKept($0) }) {
        dropped.insert(ids[0])
      } else if !ids.isEmpty || isFrame {
        if line.hasPrefix("}") || line.hasPrefix("]"), let last = lines.last, last.hasSuffix(",") {
          lines[lines.count - 1] = last.dropLast()
        }
        lines.append(line)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func isKept(_ id: String) -> Bool {
    if kept.contains(id) { return true }
    let digits = id.drop { $0.isLetter }
    guard id.dropLast(digits.count) == prefix else { return !dropped.contains(id) }
    return Int(digits).map { $0 % share == 1 } == true
  }

  /// Returns the words that consist of lowercase letters and four or five digits.
  private static func ids(in line: Substring) -> [String] {
    var ids: [String] = []
    var word: [UInt8] = []
    func end() {
      let letters = word.prefix { (97...122).contains($0) }.count
      if letters > 0, (4...5).contains(word.count - letters),
        word.dropFirst(letters).allSatisfy({ (48...57).contains($0) })
      {
        ids.append(String(decoding: word, as: UTF8.self))
      }
      word.removeAll(keepingCapacity: true)
    }
    for byte in line.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 48...57, 95, 128...:
        word.append(byte)
      default:
        if !word.isEmpty { end() }
      }
    }
    end()
    return ids
  }

  @Suite struct Tests {
    @Test func `removing a person also removes the lines that refer to that person`() {
      var exports = ThinnedExports("m", oneIn: 4, keeping: ["m00004"])
      let text = """
        {"musicians":{
        "m00002":{"name":"A long enough name"},
        "m00005":{"name":"A long enough name"},
        "m00004":{"name":"A long enough name"},
        "mx-lost":{"name":"A long enough name"}
        },
        "events":{
        "e00001":{"organiser":"m00002","title":"soul"},
        "e00003":{"organiser":"m00005","title":"soul"}
        },
        "likes":{
        "-000001":{"by":"m00004","event":"e00001"},
        "-000002":{"by":"m00004","event":"e00003"},
        "-000003":{"by":"m00002","event":"e00003"}
        }}

        """
      #expect(
        exports.thinned(text) == """
          {"musicians":{
          "m00005":{"name":"A long enough name"},
          "m00004":{"name":"A long enough name"}
          },
          "events":{
          "e00003":{"organiser":"m00005","title":"soul"}
          },
          "likes":{
          "-000002":{"by":"m00004","event":"e00003"}
          }}

          """)
    }
  }
}
