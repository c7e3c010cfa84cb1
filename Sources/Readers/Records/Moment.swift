/// A point in time from an export, with a resolution of one nanosecond.
///
/// Nightjar stores only the milliseconds. The finer digits determine the order of rows in the same
/// millisecond.
package struct Moment: Hashable, Comparable, BitwiseCopyable, Sendable {
  /// The number of milliseconds since 1970 UTC.
  package var milliseconds: Int64
  /// The number of nanoseconds after the millisecond, 0 to 999 999.
  package var finer: UInt32

  package init(milliseconds: Int64, finer: UInt32 = 0) {
    self.milliseconds = milliseconds
    self.finer = finer
  }

  package static func < (left: Moment, right: Moment) -> Bool {
    (left.milliseconds, left.finer) < (right.milliseconds, right.finer)
  }
}
