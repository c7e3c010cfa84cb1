import Foundation
import Glibc

/// The password of the server, which is never in the pipeline file and never printed.
enum RedisPassword {
  /// The environment variable with the password itself. redis-cli uses the same variable.
  static let variable = "REDISCLI_AUTH"
  /// The environment variable with the path of a file that contains the password and possibly a line break.
  static let fileVariable = "NIGHTJAR_REDIS_PASSWORD_FILE"

  /// Finds the password in the environment, or in the file to which the environment refers; `nil` if the
  /// environment has neither.
  ///
  /// - Throws: `cannotOpen` if the file cannot be read, is not a regular file, is empty, or has any
  ///   permission other than reading and writing by its owner.
  static func find(
    in environment: [String: String], _ address: StoreAddress
  ) throws(ServingStoreError) -> [UInt8]? {
    if let password = environment[variable], !password.utf8.isEmpty { return Array(password.utf8) }
    guard let path = environment[fileVariable], !path.utf8.isEmpty else { return nil }
    func failure(_ found: String) -> ServingStoreError {
      ServingStoreError(
        .cannotOpen, address: address.description, found: "the file that \(fileVariable) names \(found)",
        nextStep: "write only the password into a regular file, as one line, and set its mode to 0600")
    }
    // The file is opened before it is checked, so that the check and the read concern the same file. With
    // O_NONBLOCK, the opening of a named pipe does not block.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("cannot be opened: \(systemMessage(errno))") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw failure("is not a regular file")
    }
    guard status.st_mode & 0o177 == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw failure("has mode 0\(mode), but only its owner may read and write it")
    }
    let data: Data
    do { data = try file.read(upToCount: 1 << 16) ?? Data() } catch { throw failure("cannot be read") }
    var password = Array(data)
    if password.last == 0x0A { password.removeLast() }
    if password.last == 0x0D { password.removeLast() }
    guard !password.isEmpty else { throw failure("is empty") }
    return password
  }
}
