internal import CPrefetch
internal import Files

/// Random access to the texts of many rows. Each access waits for memory twice, so the waits of several rows
/// should overlap. Call `prefetchOffsets` for all rows, then `prefetchTexts`, then read the texts.
extension StringColumn {
  /// Prefetches the offsets of the texts of `rows`.
  package func prefetchOffsets(of rows: Span<UInt32>) {
    unsafe offsets.span.withUnsafeBufferPointer { offsets in
      guard let base = offsets.baseAddress else { return }
      for index in rows.indices { unsafe prefetch_line(base + Int(rows[index])) }
    }
  }

  /// Prefetches the starts of the texts of `rows`, which must exist.
  package func prefetchTexts(of rows: Span<UInt32>) {
    let offsets = offsets.span
    unsafe blob.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for index in rows.indices { unsafe prefetch_line(base + Int(offsets[Int(rows[index])])) }
    }
  }
}
