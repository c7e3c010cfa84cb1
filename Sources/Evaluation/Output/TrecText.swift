internal import Columns

/// Lists and relevance judgments in the TREC formats, so that trec_eval and similar tools can verify the
/// metrics.
///
/// Ids with characters outside visible ASCII are percent-encoded, because white space separates fields.
enum TrecText {
  /// Returns one line per place: `user Q0 candidate rank score tag`. The score is the number of places from
  /// the end of the list, so that all scores of a list differ. The method's own scores are unsuitable:
  /// trec_eval sorts by score in single precision, and would reorder equal scores.
  static func run(_ lists: MethodLists, tag: String, users: StringColumn, candidates: StringColumn) -> [UInt8]
  {
    let names = Names(users, candidates)
    var bytes: [UInt8] = []
    for user in 0..<lists.userCount {
      let list = lists[user]
      for (index, candidate) in list.enumerated() {
        bytes += names.user(user)
        bytes += " Q0 ".utf8
        bytes += names.candidate(Int(candidate))
        bytes += " \(index + 1) \(list.count - index) \(tag)\n".utf8
      }
    }
    return bytes
  }

  /// Returns one line per later decision of the users in `counted`: `user 0 candidate relevance`. These users
  /// have a later like. Other users have no value in any metric.
  static func qrels(
    _ decisions: LaterDecisions, of counted: [Int], users: StringColumn, candidates: StringColumn
  ) -> [UInt8] {
    let names = Names(users, candidates)
    var bytes: [UInt8] = []
    for user in counted {
      for index in decisions.range(ofUser: user) {
        bytes += names.user(user)
        bytes += " 0 ".utf8
        bytes += names.candidate(Int(decisions.candidates[index]))
        bytes += (decisions.isLike[index] ? " 1\n" : " 0\n").utf8
      }
    }
    return bytes
  }

  private struct Names {
    let users: StringColumn
    let candidates: StringColumn

    init(_ users: StringColumn, _ candidates: StringColumn) {
      self.users = users
      self.candidates = candidates
    }

    func user(_ row: Int) -> [UInt8] { TrecText.encoded(users.bytes(row)) }
    func candidate(_ row: Int) -> [UInt8] { TrecText.encoded(candidates.bytes(row)) }
  }

  /// Returns `id` with `%` and all bytes outside visible ASCII encoded as `%XX`.
  static func encoded(_ id: Span<UInt8>) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for index in id.indices {
      let byte = id[index]
      if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return bytes
  }
}
