internal import CPostgreSQL
internal import System

/// PostgreSQL's client library, which is loaded at its first use: it brings 25 other libraries, and most commands need
/// none of them.
enum LibPQ {
  private static let loaded: Result<libpq_functions, MissingLibrary> = {
    var functions = libpq_functions()
    guard let reason = unsafe libpq_load(&functions) else { return .success(functions) }
    return .failure(MissingLibrary(unsafe String(cString: reason), package: "libpq5"))
  }()

  /// The functions of the library.
  ///
  /// - Throws: `MissingLibrary`.
  static func functions() throws(MissingLibrary) -> libpq_functions { try loaded.get() }
}
