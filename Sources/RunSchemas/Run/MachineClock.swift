internal import Foundation
package import Text

/// The machine's clock. Only `RunClock` and log lines read it, so results do not depend on it.
package enum MachineClock {
  package static var now: Instant {
    Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
