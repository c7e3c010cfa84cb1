package import Files
package import System

extension Pipeline {
  /// The permissions of report files, as the pipeline file sets them.
  package struct ReportFiles: Hashable, Sendable {
    /// The permission bits of a file; `nil` if the pipeline file does not set them.
    package var mode: UInt32?
    /// The name or the number of the group; `nil` if the pipeline file does not set it.
    package var group: String?
  }

  /// Returns the permissions of the files of reports, or `nil` if the pipeline file does not set them.
  ///
  /// - Throws: `UnknownGroup` if the machine has no such group.
  package func reportAccess() throws(UnknownGroup) -> FileAccess? {
    guard report.mode != nil || report.group != nil else { return nil }
    let group: UInt32?
    if let name = report.group {
      guard let number = FileAccess.group(named: name) else { throw UnknownGroup(name: name) }
      group = number
    } else {
      group = nil
    }
    return FileAccess(mode: report.mode ?? 0o640, group: group)
  }
}

/// The error if the pipeline file names a Unix group that does not exist on this machine.
package struct UnknownGroup: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package var exitStatus: ExitStatus { .badPipelineFile }

  package let name: String

  package var description: String {
    "'report.group' is '\(name)', but this machine has no such group. Name one of the groups that 'getent group' lists."
  }
}

extension Pipeline.ReportFiles {
  init(_ setting: Setting) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: ["mode", "group"])
    mode = try keys["mode"]?.fileMode()
    group = try keys["group"]?.text()
  }
}

extension Setting {
  /// Reads the permission bits of a file, such as `0640`. The digits are octal in every notation.
  fileprivate func fileMode() throws(PipelineFileError) -> UInt32 {
    let text = try text()
    let digits = text.hasPrefix("0o") ? text.dropFirst(2) : text[...]
    guard (3...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
      let mode = UInt32(digits, radix: 8), mode <= 0o777
    else { throw mistake("\(label) is '\(text)', but must be three or four octal digits such as 0640") }
    guard mode & 0o600 == 0o600, mode & 0o111 == 0 else {
      throw mistake(
        "\(label) is '\(text)', but must allow the owner to read and write the file, and must not have execute bits",
        advice: "Write a mode such as 0640. Nightjar adds the execute permission that directories need.")
    }
    guard mode & 0o002 == 0 else {
      throw mistake(
        "\(label) is '\(text)', but must not allow every account to write the file",
        advice: "Write a mode such as 0640 or 0664.")
    }
    return mode
  }
}
