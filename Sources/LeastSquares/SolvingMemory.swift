internal import Glibc
package import System

/// The error if the process cannot allocate the buffers that OpenBLAS needs.
package struct NoMemoryForSolving: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package var threads: Int

  package var exitStatus: ExitStatus { .tryAgain }

  package var description: String {
    "cannot solve linear systems with --threads \(threads): OpenBLAS needs \(SolvingMemory.size >> 20) MiB of address space "
      + "per thread, but this process cannot allocate that much. Reduce --threads, or raise the limit: 'ulimit -v' in a "
      + "shell, or LimitAS in a systemd service."
  }
}

/// The memory that OpenBLAS allocates when a thread first solves a system.
package enum SolvingMemory {
  /// The size of one thread's buffer in bytes: OpenBLAS's `BUFFER_SIZE` on x86-64.
  static let size = 32 << 22
  /// The number of bytes that a thread allocates between this check and its first solve, for a stack and a
  /// malloc arena.
  private static let besides = 72 << 20

  /// Checks that `threads` threads can allocate the memory to solve systems at the same time.
  ///
  /// OpenBLAS retries a failed allocation forever, so the memory is checked first. Call this function right
  /// before solving, when the process has allocated most of its other memory.
  ///
  /// - Parameter threads: The number of threads, at least 1.
  /// - Throws: `NoMemoryForSolving`.
  package static func require(threads: Int) throws(NoMemoryForSolving) {
    var taken: [(start: UnsafeMutableRawPointer, size: Int)] = unsafe []
    defer { unsafe taken.forEach { _ = unsafe munmap($0.start, $0.size) } }
    for index in 0..<2 * threads {
      // The memory is allocated in separate pieces, as in OpenBLAS.
      let size = index < threads ? size : besides
      let piece = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let piece = unsafe piece, unsafe piece != MAP_FAILED else {
        throw NoMemoryForSolving(threads: threads)
      }
      unsafe taken.append((piece, size))
    }
  }
}
