/// Writes swipes as rows of equal length. For each row, the type copies a template and then writes the digits
/// over the copy.
///
/// Creating a string for each of fifty million rows would be too slow.
struct CrowdSwipeText: Sendable {
  let header: String
  private let format: CrowdFormat
  private let ids: CrowdIDs
  /// The offsets of four values in a row: the digits of the user's id, the digits of the target's id, the
  /// like, and the minutes.
  private let places: (user: Int, target: Int, liked: Int, minute: Int)

  init(_ format: CrowdFormat, _ ids: CrowdIDs) {
    self.format = format
    self.ids = ids
    switch format {
    case .csv:
      header = "swiper_id,target_id,liked,swiped_at\n"
      let target = ids.length + 2
      let liked = target + ids.width + 1
      places = (1, target, liked, liked + 2 + "2025-12-31T23:".utf8.count)
    case .jsonl:
      header = ""
      let user = #"{"swiper_id":"u"#.utf8.count
      let target = user + ids.width + #"","target_id":"u"#.utf8.count
      let liked = target + ids.width + #"","liked":"#.utf8.count
      places = (user, target, liked, liked + 1 + #","swiped_at":"2025-12-31T23:"#.utf8.count)
    }
  }

  /// The number of bytes of a row.
  var length: Int { pattern(hour: 0).utf8.count }

  /// Appends `count` rows of the hour that begins at `hour`, in milliseconds since 1970. For each row, `row`
  /// returns the numbers of the user and the target, whether the swipe is a like, and the second within the
  /// hour.
  func append(
    _ count: Int, hour: Int64, to bytes: inout [UInt8],
    _ row: (Int) -> (user: Int, target: Int, isLike: Bool, second: Int)
  ) {
    let pattern = Array(pattern(hour: hour).utf8)
    var start = bytes.count
    for _ in 0..<count { bytes += pattern }
    var span = bytes.mutableSpan
    for index in 0..<count {
      let (user, target, isLike, second) = row(index)
      CrowdDigits.write(user, at: start + places.user, width: ids.width, into: &span)
      CrowdDigits.write(target, at: start + places.target, width: ids.width, into: &span)
      span[start + places.liked] = UInt8(ascii: isLike ? "1" : "0")
      CrowdDigits.write(second / 60, at: start + places.minute, width: 2, into: &span)
      CrowdDigits.write(second % 60, at: start + places.minute + 3, width: 2, into: &span)
      start += pattern.count
    }
  }

  private func pattern(hour: Int64) -> String {
    let time = CivilTime.text(hour, .none)
    let id = ids.text(0)
    return switch format {
    case .csv: "\(id),\(id),0,\(time)\n"
    case .jsonl: #"{"swiper_id":"\#(id)","target_id":"\#(id)","liked":0,"swiped_at":"\#(time)"}"# + "\n"
    }
  }
}
