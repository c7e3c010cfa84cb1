import Columns
import Files
import TestSupport
import Text

extension ScratchDirectory {
  /// Writes the stage directory `name` with the files of `write`, and returns its manifest.
  @discardableResult
  func stage(_ name: String, _ write: (inout StageDirectory) throws -> Void) throws -> Manifest {
    var directory = try StageDirectory(name, in: path)
    try write(&directory)
    return try directory.complete(
      Manifest(
        tool: "test", stage: name, pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0,
        counts: .null))
  }

  /// Replaces the file `name` of a stage with a column of `values`, and updates the manifest. The file
  /// therefore passes the check of its checksum.
  func replace<Element: ColumnElement>(_ name: String, of stage: String, by values: [Element]) throws {
    let other = try ScratchDirectory()
    let written = try other.stage("other") { try Column.write(values, to: name, in: &$0) }
    try write(other.bytes("other/" + name), to: stage + "/" + name)
    var manifest = try Manifest(of: self(stage))
    manifest.outputs.removeAll { $0.path == name }
    manifest.outputs += written.outputs
    try write(manifest.json, to: stage + "/manifest.json")
  }
}
