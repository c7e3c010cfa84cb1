extension Duration {
  /// Rounded to microseconds, so that records and events have six decimals instead of seventeen digits.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1e6
  }
}
