package import Files

/// A column file of a stage directory that is written in pieces while other files are written. See
/// `StageDirectory.open`.
package struct ColumnWriter<Element: ColumnElement>: ~Copyable {
  fileprivate var writer: FileWriter
  fileprivate let name: String
  /// The number of elements that the header states. `written` is the number of elements appended so far.
  private let count: Int
  private var written = 0

  fileprivate init(_ writer: consuming FileWriter, name: String, count: Int) {
    self.writer = writer
    self.name = name
    self.count = count
  }

  package mutating func append(_ elements: [Element]) throws(FileError) {
    written += elements.count
    unsafe try writer.append(elements.span.bytes)
  }

  /// The file's digest, which another thread may update. The digest must receive the elements in order, and
  /// each element before `append(digested:)` receives that element.
  package var digest: RunningDigest { writer.digest }

  /// Appends elements that `digest` has already received.
  package mutating func append(digested elements: [Element]) throws(FileError) {
    written += elements.count
    unsafe try writer.append(digested: elements.span.bytes)
  }

  fileprivate consuming func close(in directory: borrowing StageDirectory) throws(FileError) {
    precondition(written == count, "\(name) has \(written) elements instead of \(count)")
    try directory.add(writer, as: name, rows: count)
  }
}

extension StageDirectory {
  /// Starts the column file `name`, which will have `count` elements, and preallocates its disk space.
  package mutating func open<Element: ColumnElement>(
    _ name: String, _ type: Element.Type, count: Int
  ) throws(FileError) -> ColumnWriter<Element> {
    var writer = try FileWriter(creating: try place(name))
    let header = NumPyHeader(type: Element.numpyName, count: count).bytes
    try writer.reserve(header.count + count * MemoryLayout<Element>.stride)
    try writer.append(header)
    // The header must be digested before elements are digested on another thread.
    try writer.flush()
    return ColumnWriter(writer, name: name, count: count)
  }

  /// Completes a column file. The caller must already have appended all elements.
  package mutating func close<Element: ColumnElement>(
    _ column: consuming ColumnWriter<Element>
  ) throws(FileError) {
    try column.close(in: self)
  }
}

extension RunningDigest {
  /// Adds the bytes of all elements, in memory order.
  package func update<Element: ColumnElement>(_ elements: [Element]) {
    unsafe update(elements.span.bytes)
  }
}
