import Synchronization
internal import System

/// Maps chunks of `0..<count` on up to `threads` threads and returns the results in chunk order.
///
/// The module `Concurrency` runs work on several threads. The results never depend on the number of threads.
/// Every module except `System` may use this module, so it depends only on `System`.
///
/// Chunk boundaries depend only on `count` and `chunkSize`, and results are ordered by chunk. Therefore, the
/// result is the same for any number of threads. A free thread takes the next chunk, so one slow chunk does
/// not leave the other threads idle.
///
/// - Parameters:
///   - count: The number of items; 0 gives no chunks.
///   - chunkSize: The number of items per chunk; at least 1. The last chunk may be shorter.
///   - threads: The maximum number of threads; at least 1.
///   - body: Called once per chunk with its half-open range of items.
/// - Returns: One result per chunk, in the order of the chunks.
/// - Throws: The error of the first failed chunk, in chunk order.
package func parallelMap<Result: Sendable, Failure: Error>(
  count: Int, chunkSize: Int, threads: Int,
  _ body: @Sendable (Range<Int>) throws(Failure) -> Result
) throws(Failure) -> [Result] {
  precondition(chunkSize > 0, "chunkSize must be at least 1, not \(chunkSize)")
  precondition(threads > 0, "threads must be at least 1, not \(threads)")
  let chunks = (count + chunkSize - 1) / chunkSize
  let next = Atomic(0)
  let failed = Atomic(false)
  let slots = Guarded<[Swift.Result<Result, Failure>?]>(Array(repeating: nil, count: chunks))
  SideThread.crew(min(threads, chunks)) {
    while !failed.load(ordering: .relaxed) {
      let chunk = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard chunk < chunks else { return }
      let range = chunk * chunkSize..<min(count, (chunk + 1) * chunkSize)
      let result: Swift.Result<Result, Failure>
      do throws(Failure) {
        result = .success(try body(range))
      } catch {
        result = .failure(error)
        failed.store(true, ordering: .relaxed)
      }
      slots.withLock { $0[chunk] = result }
    }
  }
  var results: [Result] = []
  results.reserveCapacity(chunks)
  for slot in slots.withLock({ $0 }) {
    // Chunks are taken in order, so every chunk before a failed one was taken and has its slot filled.
    guard let slot else { break }
    results.append(try slot.get())
  }
  return results
}
