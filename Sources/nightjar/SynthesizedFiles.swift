import Files
import Text

/// What every synthesis does with its directory.
enum SynthesizedFiles {
  /// Throws where one of `names` exists in `directory`, unless `force` is set.
  static func refuse(_ names: [String], in directory: String, force: Bool) throws {
    for name in names where !force && Directories.exists(directory + "/" + name) {
      throw FileError(
        .create, directory + "/" + name, reason: "it exists already", advice: "Pass --force to replace it.")
    }
    try Directories.create(directory)
  }

  static func json(_ summary: some Encodable) -> String {
    String(decoding: JSONValue.encoded(summary).dropLast(), as: UTF8.self)
  }
}
