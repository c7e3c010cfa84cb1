import Glibc

extension ExportFile {
  /// The files that `names` mean.
  ///
  /// A name that exists is itself, whatever characters it has: a file, a named pipe or a device as it is, a folder
  /// the regular files at any depth below it. Any other name is a pattern of glob(3): `*`, `?`, `[...]`; folders
  /// that it matches are expanded too. Files and folders whose names begin with `.` or `_` (such as `_SUCCESS`) are
  /// left out of folders, and of patterns unless the pattern itself begins its name so. Symbolic links are followed;
  /// a folder is entered once. `-` stays `-`.
  ///
  /// - Parameters:
  ///   - names: Relative to `directory`, or absolute.
  ///   - directory: Relative to where the process stands, or absolute; `.` adds nothing to paths.
  /// - Returns: Each file once, however it was reached, in ascending byte order of `shown`.
  /// - Throws: `missing_file` where a name means no file; `unreadable` where a folder cannot be listed, or holds a
  ///   name that is not UTF-8.
  package static func files(named names: [String], in directory: String) throws(ExportError) -> [ExportFile] {
    var files: [ExportFile] = []
    for name in names {
      let place = ExportFile(shown: name, path: joined(directory, name))
      if name == "-" {
        files.append(ExportFile(shown: name, path: name))
      } else if let status = try FileStatus(place.path) {
        files += try place.expanded(status)
      } else {
        let matches = try GlobPattern(name, in: directory).matches()
        guard !matches.isEmpty else { throw place.nothing(isPattern: GlobPattern.isPattern(name)) }
        for match in matches {
          guard let status = try FileStatus(match.path) else { throw match.nothing(isPattern: false) }
          files += try match.expanded(status)
        }
      }
    }
    files.sort { $0.shown.utf8.lexicographicallyPrecedes($1.shown.utf8) }
    // Bytes, as String's == takes two spellings of an accent for one name.
    var seen: Set<[UInt8]> = []
    return files.filter { seen.insert(realPath($0.path)).inserted }
  }

  /// Itself, or the files of the folder that it is.
  private func expanded(_ status: FileStatus) throws(ExportError) -> [ExportFile] {
    guard status.isFolder else { return [self] }
    var walk = FolderWalk()
    try walk.visit(self, status)
    guard !walk.files.isEmpty else {
      let left = walk.leftOut == 0 ? "" : ", and \(walk.leftOut) whose name begins with '.' or '_'"
      throw ExportError(.missingFile, file: path, reason: "the folder has no file to read\(left)")
    }
    return walk.files
  }

  /// The error that there is no such file, with what there is instead.
  private func nothing(isPattern: Bool) -> ExportError {
    // The deepest folder that is there.
    var folder = Substring(path)
    var missing = folder
    repeat {
      missing = folder.split(separator: "/").last ?? ""
      folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
    } while !folder.isEmpty && (try? FileStatus(String(folder)))?.isFolder != true
    let place = folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(folder)
    let names = ((try? FolderWalk.names(in: place)) ?? []).filter { !FolderWalk.isLeftOut($0) }
    let listed =
      names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", and \(names.count - 5) more" : "")
    let what = isPattern ? "no file matches this pattern" : "there is no such file or folder"
    let hint = isPattern ? "" : suggestion(for: String(missing), among: names)
    let found = names.isEmpty ? "'\(place)' is empty" : "'\(place)' has \(listed)"
    return ExportError(
      .missingFile, file: path, reason: "\(what)\(hint); \(found); check the path in the pipeline file")
  }
}

/// The path of `path` without symbolic links and detours; for what has none, such as a pipe behind /dev/stdin, `path`.
private func realPath(_ path: String) -> [UInt8] {
  guard path != "-", let real = unsafe realpath(path, nil) else { return Array(path.utf8) }
  defer { unsafe free(real) }
  return unsafe UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
}
