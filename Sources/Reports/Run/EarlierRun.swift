/// The complete run that precedes another run.
package enum EarlierRun: Sendable {
  case none
  /// An earlier run that this program cannot read.
  case unreadable(Int)
  case read(ReportedRun)
}
