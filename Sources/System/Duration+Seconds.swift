extension Duration {
  /// To the microsecond, so that records and events have six decimals, and not seventeen digits.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1e6
  }
}
