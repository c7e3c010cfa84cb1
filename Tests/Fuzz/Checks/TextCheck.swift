internal import Geohash
internal import PipelineFile
internal import Readers

extension ParserCheck {
  /// Checks a pipeline file. An override follows the first NUL byte.
  func pipelineViolation(_ input: [UInt8]) -> String? {
    guard isUTF8(input) else { return nil }
    let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts.map { String(decoding: $0, as: UTF8.self) }
    do {
      let overrides = try texts.dropFirst().map { try Override($0) }
      let (first, second) = (
        try Pipeline(yaml: texts[0], file: "p.yaml", overrides: overrides),
        try Pipeline(yaml: texts[0], file: "p.yaml", overrides: overrides)
      )
      guard first == second else { return "the same file is two pipelines" }
      guard !first.name.isEmpty, !first.entities.isEmpty else {
        return "a pipeline without a name or an entity"
      }
    } catch let error as PipelineFileError {
      let isPlaced = ["p.yaml", "--set"].contains { error.place.hasPrefix($0) }
      return isPlaced && !error.reason.isEmpty ? nil : "a mistake that is nowhere: \(error)"
    } catch {
      return "an error of another kind: \(error)"
    }
    return nil
  }

  func geohashViolation(_ input: [UInt8]) -> String? {
    guard isUTF8(input) else { return nil }
    let text = String(decoding: input, as: UTF8.self)
    let alphabet = Set("0123456789bcdefghjkmnpqrstuvwxyzBCDEFGHJKMNPQRSTUVWXYZ".utf8)
    let isOne = (1...12).contains(input.count) && input.allSatisfy(alphabet.contains)
    do {
      let geohash = try Geohash(parsing: text)
      guard isOne else { return "\(geohash) from what is no geohash" }
      guard geohash.description == text.lowercased() else { return "it reads as \(geohash)" }
    } catch {
      guard !isOne, !error.description.isEmpty else { return "a geohash, but \(error)" }
    }
    return nil
  }
}
