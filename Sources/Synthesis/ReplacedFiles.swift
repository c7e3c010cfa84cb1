internal import Files

/// Files that appear in a directory together, once all of them are complete.
enum ReplacedFiles {
  /// Has `body` write files beside those called `names`, then puts each in its place.
  ///
  /// - Parameters:
  ///   - names: The files. Those that exist are replaced.
  ///   - directory: Is made with what is missing above it.
  ///   - body: Is given a path for each name.
  /// - Returns: What `body` returned.
  /// - Throws: `FileError`; no file was replaced then.
  static func write<Summary>(
    _ names: [String], into directory: String, _ body: ([String]) throws(FileError) -> Summary
  ) throws(FileError) -> Summary {
    try Directories.create(directory)
    let partials = names.map { "\(directory)/.\($0).partial" }
    for partial in partials { try Directories.remove(partial) }
    do throws(FileError) {
      let summary = try body(partials)
      for (name, partial) in zip(names, partials) {
        try Directories.rename(partial, over: directory + "/" + name)
      }
      return summary
    } catch {
      // The first error is the one to tell; what cannot be removed either is hidden and replaced next time.
      for partial in partials { try? Directories.remove(partial) }
      throw error
    }
  }
}
