internal import Foundation
package import Text

/// The machine's clock. Only `RunClock` and log lines read the clock, so results depend on it at most through
/// the as-of time.
package enum MachineClock {
  package static var now: Instant {
    Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
