/// The complete run before one.
package enum EarlierRun: Sendable {
  case none
  /// There is one, which this program cannot read.
  case unreadable(Int)
  case read(ReportedRun)
}
