internal import Foundation
package import Text

/// The machine's clock.
package enum MachineClock {
  package static var now: Instant {
    Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
