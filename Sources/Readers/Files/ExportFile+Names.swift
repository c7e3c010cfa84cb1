import Glibc

extension ExportFile {
  /// Resolves `names` to files.
  ///
  /// A name that exists is literal, even if it contains `*`, `?` or `[`. A file, an unnamed pipe or a device
  /// yields itself. A folder yields the regular files at any depth below it.
  ///
  /// Any other name is a glob(3) pattern with `*`, `?` and `[...]`; matching folders are expanded too. In
  /// folders, names that begin with `.` or `_`, such as `_SUCCESS`, are skipped. A pattern matches a name
  /// that begins with `.` or `_` only if the same component of the pattern begins with the same character.
  ///
  /// Symbolic links are followed, and each folder is visited once. `-` stays `-`.
  ///
  /// - Parameters:
  ///   - names: Paths and patterns, absolute or relative to `directory`.
  ///   - directory: The directory of relative names, absolute or relative to the current directory. If it is
  ///     `.`, relative names stay unchanged.
  /// - Returns: The files without duplicates, in ascending byte order of `shown`.
  /// - Throws: `odd_file` for a named pipe, even in a folder; `missing_file` if a name matches no file, or
  ///   for a link to a missing file; `unreadable` if a file cannot be examined or a folder cannot be listed,
  ///   or if a name is not UTF-8.
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
        guard !matches.isEmpty else { throw try place.nothing(isPattern: GlobPattern.isPattern(name)) }
        for match in matches {
          guard let status = try FileStatus(match.path) else { throw try match.nothing(isPattern: false) }
          files += try match.expanded(status)
        }
      }
    }
    files.sort { $0.shown.utf8.lexicographicallyPrecedes($1.shown.utf8) }
    // Bytes are compared, because `String` equality would merge different encodings of an accent.
    var seen: Set<[UInt8]> = []
    return files.filter { seen.insert(realPath($0.path)).inserted }
  }

  /// Returns the file itself, or the files of the folder.
  private func expanded(_ status: FileStatus) throws(ExportError) -> [ExportFile] {
    guard status.isFolder else {
      // A pipe between two processes, as in `<(command)`, has no name and ends with its writer.
      // Reading a named pipe could wait forever.
      if status.isPipe, Self.hasName(path) {
        throw ExportError(namedPipe: path)
      }
      return [self]
    }
    var walk = FolderWalk()
    try walk.visit(self, status)
    guard !walk.files.isEmpty else {
      let left =
        walk.ignored == 0
        ? "" : "; files whose names begin with '.' or '_' are ignored (\(walk.ignored) here)"
      throw ExportError(
        .missingFile, file: path,
        reason: "the folder contains no export file\(left); check the path in the pipeline file")
    }
    return walk.files
  }

  /// Returns the error for a missing file. The message lists up to five names in the deepest existing folder
  /// of the path, and may suggest a similar name.
  ///
  /// - Throws: `unreadable` if this account cannot list that folder.
  private func nothing(isPattern: Bool) throws(ExportError) -> ExportError {
    // The loop finds the deepest folder that exists.
    var folder = Substring(path)
    var missing = folder
    repeat {
      missing = folder.split(separator: "/").last ?? ""
      folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
    } while !folder.isEmpty && (try? FileStatus(String(folder)))?.isFolder != true
    let place = folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(folder)
    let what = isPattern ? "no file matches this pattern" : "the file or folder does not exist"
    guard unsafe access(place, R_OK) == 0 else {
      let words = unsafe String(cString: strerror(errno))
      throw ExportError(
        .unreadable, file: path,
        reason: "\(what), and the folder '\(place)' cannot be listed: \(words); check the path in the "
          + "pipeline file and the permissions of the folder")
    }
    let names = ((try? FolderWalk.names(in: place)) ?? []).filter { !FolderWalk.isIgnored($0) }
    let listed =
      names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", and \(names.count - 5) more" : "")
    let hint = isPattern ? "" : inlineSuggestion(for: String(missing), among: names)
    let found = names.isEmpty ? "no usable file was found in '\(place)'" : "'\(place)' contains \(listed)"
    return ExportError(
      .missingFile, file: path, reason: "\(what)\(hint); \(found); check the path in the pipeline file")
  }
}

extension ExportFile {
  private static func hasName(_ path: String) -> Bool {
    guard let real = unsafe realpath(path, nil) else { return false }
    unsafe free(real)
    return true
  }
}

/// Resolves symbolic links and `..` in `path`. A path that cannot be resolved, such as a pipe at /dev/stdin,
/// stays unchanged.
private func realPath(_ path: String) -> [UInt8] {
  guard path != "-", let real = unsafe realpath(path, nil) else { return Array(path.utf8) }
  defer { unsafe free(real) }
  return unsafe UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
}
