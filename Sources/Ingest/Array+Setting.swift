extension Array where Element: BitwiseCopyable {
  /// An array of `count` elements, which `body` sets, each of them, in any order: they are undefined until then.
  ///
  /// Setting all to zero first would take nearly as long as setting them.
  @inline(__always)
  init(setting count: Int, _ body: (inout MutableSpan<Element>) -> Void) {
    if count == 0 {
      // All empty arrays are one object: the initializer below would set its count, with other threads.
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
