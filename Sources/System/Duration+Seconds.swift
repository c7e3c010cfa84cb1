extension Duration {
  /// The duration in seconds, truncated to microseconds, so that records and events have at most six
  /// decimals.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1e6
  }
}
