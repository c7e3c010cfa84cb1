internal import CLAPACKE

/// The linear algebra library that LAPACK calls use.
package enum LinearAlgebraLibrary {
  /// The library's name and version, and the processor type that it is optimized for.
  package static var name: String {
    useOneThreadPerSolve()
    guard let text = unsafe openblas_get_config() else { return "OpenBLAS" }
    let words = unsafe String(cString: text).split(separator: " ").filter { !$0.contains("=") }
    // The build options are between the version and the processor.
    return ([words.prefix(2).joined(separator: " ")] + words.dropFirst(2).suffix(1).map(String.init))
      .joined(separator: ", ")
  }

  /// The number of threads that the library uses.
  package static var threads: Int {
    useOneThreadPerSolve()
    return Int(openblas_get_num_threads())
  }
}
