internal import CPrefetch
internal import Files

/// For texts of rows that are all over a column: each look waits for memory twice, and so many are to wait together. First
/// `prefetchOffsets` for all that will be looked at, then `prefetchTexts`, then the texts themselves.
extension StringColumn {
  /// Has the processor fetch where the texts of `rows` begin and end.
  package func prefetchOffsets(of rows: Span<UInt32>) {
    unsafe offsets.span.withUnsafeBufferPointer { offsets in
      guard let base = offsets.baseAddress else { return }
      for index in rows.indices { unsafe prefetch_line(base + Int(rows[index])) }
    }
  }

  /// Has the processor fetch where the texts of `rows`, which exist, begin.
  package func prefetchTexts(of rows: Span<UInt32>) {
    let offsets = offsets.span
    unsafe blob.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for index in rows.indices { unsafe prefetch_line(base + Int(offsets[Int(rows[index])])) }
    }
  }
}
