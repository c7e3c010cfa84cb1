/// The complete run before another run.
package enum EarlierRun: Sendable {
  case none
  /// The number of an earlier run that this program cannot read.
  case unreadable(Int)
  case read(ReportedRun)
}
