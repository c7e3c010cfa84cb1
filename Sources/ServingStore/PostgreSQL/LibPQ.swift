internal import CPostgreSQL
internal import System

/// PostgreSQL's client library. This program loads the library at its first use, because the library loads 25
/// other libraries, and most commands do not need them.
enum LibPQ {
  private static let loaded: Result<libpq_functions, MissingLibrary> = {
    var functions = libpq_functions()
    guard let reason = unsafe libpq_load(&functions) else { return .success(functions) }
    return .failure(MissingLibrary(unsafe String(cString: reason), package: "libpq5"))
  }()

  /// Loads the library.
  ///
  /// - Parameter address: The address of the store that needs the library, for the message.
  /// - Returns: The functions of the library.
  /// - Throws: `cannotOpen` if the library is not installed.
  static func functions(for address: String) throws(ServingStoreError) -> libpq_functions {
    do throws(MissingLibrary) {
      return try loaded.get()
    } catch {
      throw ServingStoreError(
        .cannotOpen, address: address, found: "cannot load libpq: \(error.reason)",
        nextStep: "install the Debian package \(error.package)")
    }
  }
}
