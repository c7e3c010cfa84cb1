/// A point in time that an export contains, to the nanosecond.
///
/// Nightjar stores milliseconds. The finer digits only order rows of the same millisecond.
package struct Moment: Hashable, Comparable, BitwiseCopyable, Sendable {
  /// The number of milliseconds since 1970 UTC.
  package var milliseconds: Int64
  /// Nanoseconds after the millisecond, 0 to 999 999.
  package var finer: UInt32

  package init(milliseconds: Int64, finer: UInt32 = 0) {
    self.milliseconds = milliseconds
    self.finer = finer
  }

  package static func < (left: Moment, right: Moment) -> Bool {
    (left.milliseconds, left.finer) < (right.milliseconds, right.finer)
  }
}
