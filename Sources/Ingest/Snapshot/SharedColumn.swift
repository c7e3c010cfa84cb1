internal import CPrefetch

/// A column of fixed length that several threads fill at the same time. Exactly one thread sets each element.
///
/// The memory is not zeroed, because zeroing it would take as long as filling it.
@safe final class SharedColumn<Element: BitwiseCopyable>: @unchecked Sendable {
  let count: Int
  private let base: UnsafeMutablePointer<Element>

  /// Creates a column whose elements are undefined until they are set.
  init(count: Int) {
    self.count = count
    let size = count * MemoryLayout<Element>.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(size, 1), alignment: 64)
    if size >= 1 << 22 { unsafe prefer_huge_pages(memory, size) }
    unsafe base = memory.bindMemory(to: Element.self, capacity: count)
  }

  deinit { unsafe base.deallocate() }

  /// The element at `index`. Do not access an element while another thread is setting it.
  @inline(__always)
  subscript(_ index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count, "the index is outside the column")
      return unsafe base[index]
    }
    set {
      precondition(index >= 0 && index < count, "the index is outside the column")
      unsafe base[index] = newValue
    }
  }

  /// A handle that prefetches the cache lines of elements.
  var prefetch: Prefetch<Element> { unsafe Prefetch(base) }

  /// All elements. Set each element before you read the span.
  var span: Span<Element> {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(Span(_unsafeStart: base, count: count), borrowing: self) }
  }
}

/// Prefetches cache lines of a column without retaining it, because reference counting would cost more than
/// the prefetch saves.
///
/// This is safe because a prefetch does not read a value. Prefetching freed memory has no effect.
@safe struct Prefetch<Element: BitwiseCopyable>: @unchecked Sendable {
  private let base: UnsafePointer<Element>

  init(_ base: UnsafePointer<Element>) { unsafe self.base = base }

  @inline(__always)
  func callAsFunction(_ index: Int) { unsafe prefetch_line(base + index) }
}

extension Span where Element: BitwiseCopyable {
  /// Prefetches the cache line of the element at `index`. The index may be out of bounds.
  @inline(__always)
  func prefetch(_ index: Int) {
    unsafe withUnsafeBufferPointer { elements in
      if let base = elements.baseAddress { unsafe prefetch_line(base + index) }
    }
  }

  /// Prefetches the cache lines of all elements.
  @inline(__always)
  func prefetch() {
    for index in stride(from: 0, to: count, by: max(1, 64 / MemoryLayout<Element>.stride)) { prefetch(index) }
  }
}

extension Array where Element: BitwiseCopyable {
  /// Creates an array of `count` elements. `body` must set each element, in any order; elements are undefined
  /// until then.
  ///
  /// The memory is not zeroed, because zeroing it would take nearly as long as setting the elements.
  @inline(__always)
  init(setting count: Int, _ body: (inout MutableSpan<Element>) -> Void) {
    if count == 0 {
      // All empty arrays share one object. The initializer below would write the count into this object, and
      // other threads may do so at the same time. That would be a data race.
      self = []
      var none = MutableSpan<Element>()
      body(&none)
      return
    }
    unsafe self.init(unsafeUninitializedCapacity: count) { memory, initialized in
      var elements = unsafe MutableSpan(_unsafeElements: memory.extracting(..<count))
      body(&elements)
      initialized = count
    }
  }
}
