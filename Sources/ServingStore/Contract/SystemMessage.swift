import Glibc

/// Returns the C library's message for an `errno`.
func systemMessage(_ number: Int32) -> String {
  // strerror never returns null, and its text is copied at once.
  unsafe String(cString: strerror(number))
}
