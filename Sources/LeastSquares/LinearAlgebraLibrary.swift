internal import CLAPACKE
package import System

/// The library that solves linear systems: OpenBLAS, through LAPACKE.
package enum LinearAlgebraLibrary {
  private static let loaded: Result<lapacke_functions, MissingLibrary> = {
    var functions = lapacke_functions()
    guard let reason = unsafe lapacke_load(&functions) else { return .success(functions) }
    return .failure(
      MissingLibrary(unsafe String(cString: reason), package: "liblapacke and libopenblas0-pthread"))
  }()

  /// Loads the library and makes it solve each system on the calling thread only.
  ///
  /// Call this function before the process starts threads, because it sets an environment variable.
  ///
  /// - Throws: `MissingLibrary`.
  package static func load() throws(MissingLibrary) {
    _ = try loaded.get()
  }

  /// The functions of the library. Traps if the library is not installed.
  static var functions: lapacke_functions {
    switch loaded {
    case .success(let functions): functions
    case .failure(let missing): preconditionFailure("\(missing)")
    }
  }

  /// Returns the library's name and version, and the processor type that it is optimized for.
  ///
  /// - Throws: `MissingLibrary`.
  package static func name() throws(MissingLibrary) -> String {
    guard let text = try loaded.get().openblas_get_config() else { return "OpenBLAS" }
    let words = unsafe String(cString: text).split(separator: " ").filter { !$0.contains("=") }
    // The build options are between the version and the processor.
    return ([words.prefix(2).joined(separator: " ")] + words.dropFirst(2).suffix(1).map(String.init))
      .joined(separator: ", ")
  }

  /// Returns the number of threads that the library uses for one solve. The number should be 1. Otherwise,
  /// the last bits of a result may depend on the number of processors.
  ///
  /// - Throws: `MissingLibrary`.
  package static func threads() throws(MissingLibrary) -> Int {
    Int(try loaded.get().openblas_get_num_threads())
  }
}
