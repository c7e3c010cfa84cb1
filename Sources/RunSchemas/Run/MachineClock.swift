internal import Foundation
package import Text

/// The machine's clock. Results do not depend on it: only `RunClock` and log lines read it.
package enum MachineClock {
  package static var now: Instant {
    Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
