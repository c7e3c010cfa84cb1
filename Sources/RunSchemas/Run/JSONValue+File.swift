package import Files
internal import Foundation
package import Text

extension JSONValue {
  /// Reads the JSON value in the file at `path`.
  ///
  /// - Throws: `FileError` if the file cannot be read or does not contain JSON.
  package init(contentsOf path: String) throws(FileError) {
    do {
      let file = try MappedFile(checking: path)
      self = try JSONDecoder().decode(JSONValue.self, from: Data(copying: file))
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError(damaged: path, "it is not JSON")
    }
  }
}
