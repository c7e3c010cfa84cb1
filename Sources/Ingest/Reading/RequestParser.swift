internal import PipelineFile
internal import Readers
internal import RunSchemas
internal import Text
internal import Tombstones

/// Extracts the fields of a request from a record.
///
/// This is a class, because copying a structure for each row would update the reference counts of all its
/// strings.
final class RequestParser: Sendable {
  let names: [String]
  private let requests: Pipeline.Requests
  private let user: Int
  private let candidate: Int
  private let at: Int
  private let status: Int
  private let changed: Int
  private let users: IdentityLookup
  private let candidates: IdentityLookup
  /// The rank of the person who receives a request, by the rank of the candidate. This person is the
  /// candidate or its owner. The property is `nil` if this person is not of the same entity as the users,
  /// because a user then cannot send a request to themselves.
  private let addressees: [UInt32]?
  /// The words that the pipeline file maps to statuses. They are compared as bytes.
  private let words: [(bytes: [UInt8], status: RequestStatus)]

  /// - Parameters:
  ///   - requests: The kind of requests, with the names of their fields.
  ///   - users: The ids of the users who make requests.
  ///   - candidates: The rows that can be requested.
  init(_ requests: Pipeline.Requests, users: RankedIdentities, candidates: EntityRows) {
    self.requests = requests
    self.users = IdentityLookup(users)
    self.candidates = IdentityLookup(candidates.ids)
    var list = FieldSlots()
    user = list.position(of: requests.user.from)
    candidate = list.position(of: requests.candidate.from)
    at = list.position(of: requests.at.from)
    status = list.position(of: requests.status.from)
    changed = list.position(of: requests.changed.from)
    names = list.names
    words = requests.status.map.map { (Array($0.key.utf8), $0.value) }
    if let owner = candidates.entity.owner {
      let owners = candidates.ids.numbers.map { candidates.rows[Int($0)].owner }
      addressees = owner.entity == requests.user.entity ? owners : nil
    } else {
      addressees =
        requests.candidate.entity == requests.user.entity
        ? Array(0..<UInt32(candidates.ids.count)) : nil
    }
  }

  /// The fields that at least one record must have. The time of the answer is not among them, because pending
  /// requests lack it.
  var required: [String] {
    [requests.user.from, requests.candidate.from, requests.at.from, requests.status.from]
  }

  /// Returns whether `isUser` returns true for the user's id, or `isCandidate` for the candidate's. An
  /// invalid id does not count as erased.
  func isErased(
    _ record: borrowing Record, user isUser: (Span<UInt8>) -> Bool,
    candidate isCandidate: (Span<UInt8>) -> Bool
  ) -> Bool {
    (try? record[user].withID(requests.user.from, isUser)) == true
      || (try? record[candidate].withID(requests.candidate.from, isCandidate)) == true
  }

  /// Returns the user as the account that wrote the record; see `RowRejected.account`.
  func account(of record: borrowing Record) -> UInt64? {
    record.fault == nil ? record[user].account : nil
  }

  /// Extracts the request.
  ///
  /// - Throws: The fault of the row.
  func read(_ record: borrowing Record) throws(RowRejected) -> RequestRow {
    let user = try record[user].rank(requests.user.from, in: users, orElse: .unknownUser)
    let candidate = try record[candidate].rank(
      requests.candidate.from, in: candidates, orElse: .unknownCandidate)
    if let addressees, addressees[Int(candidate)] == user {
      throw record[self.candidate].rejected(.selfInteraction, requests.candidate.from)
    }
    let at = try record[at].neededTime(requests.at)
    let found = try record[status].withText(requests.status.from, .unknownValue) { text in
      words.first { ByteOrder.equal($0.bytes.span, text) }?.status
    }
    guard let found, let status = found else {
      throw record[self.status].rejected(.unknownValue, requests.status.from)
    }
    guard status != .pending else {
      return RequestRow(user: user, candidate: candidate, asked: at, status: status)
    }
    // The time of the answer is needed for the status at an earlier as-of time.
    let answered = try record[changed].neededTime(requests.changed)
    return RequestRow(
      user: user, candidate: candidate, asked: at, answered: answered, status: status)
  }
}
