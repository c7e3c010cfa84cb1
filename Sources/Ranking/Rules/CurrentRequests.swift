internal import Columns
package import PipelineFile
package import RunSchemas
internal import Text

/// A request that is in force at the snapshot's as-of time.
struct CurrentRequest: Sendable {
  /// The row of the requester.
  var user: UInt32
  /// The row of the addressee: the owner of the requested item, or the requested person.
  var addressee: UInt32
  /// The time of the last change of the status in milliseconds since 1970 UTC; `Int64.min` if pending.
  var changed: Int64
  /// The code of the `RequestStatus`.
  var status: UInt8
}

/// The requests of one kind that are in force, sorted by requester.
struct CurrentRequests: Sendable {
  /// The entity of the requesters. `addressees` is the entity of the addressees.
  let askers: String
  let addressees: String
  let all: [CurrentRequest]

  init(_ kind: Pipeline.Requests, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    guard let table = snapshot.requests[kind.name], let candidates = snapshot.entities[kind.candidate.entity]
    else { preconditionFailure("the snapshot does not contain '\(kind.name)'") }
    askers = kind.user.entity
    addressees = pipeline.addressee(of: kind)
    let owners = pipeline.entity(kind.candidate.entity)?.owner == nil ? nil : candidates.owner?.elements
    var all: [CurrentRequest] = []
    for index in table.inForce {
      let candidate = table.candidate[index]
      let addressee = owners.map { $0[Int(candidate)] } ?? candidate
      // An addressee who does not exist at an evaluation's cut cannot answer.
      guard addressee != EntityTable.noOwner else { continue }
      all.append(
        CurrentRequest(
          user: table.user[index], addressee: addressee, changed: table.changed[index],
          status: table.status[index]))
    }
    self.all = all
  }

  /// Returns the requests with the status `status`.
  func all(_ status: RequestStatus) -> [CurrentRequest] { all.filter { $0.status == status.code } }
}

/// Rows of one entity, grouped by row of another entity. Each group is ascending and without repetition.
struct RowGroups: Sendable {
  private let ends: [Int]
  private let members: [UInt32]

  /// Groups the pairs, which may repeat and be in any order.
  ///
  /// - Parameters:
  ///   - count: The number of groups.
  ///   - pairs: The pairs of a group and one of its members.
  init(count: Int, _ pairs: [(group: UInt32, member: UInt32)]) {
    let keys = Set(pairs.map { UInt64($0.group) << 32 | UInt64($0.member) }).sorted()
    var ends = [Int](repeating: 0, count: count + 1)
    for key in keys { ends[Int(key >> 32) + 1] += 1 }
    for group in 0..<count { ends[group + 1] += ends[group] }
    self.ends = ends
    members = keys.map { UInt32(truncatingIfNeeded: $0) }
  }

  subscript(_ group: Int) -> ArraySlice<UInt32> { members[ends[group]..<ends[group + 1]] }
}

extension Snapshot {
  /// Returns all friendships from accepted requests of one kind, sorted by requester and then by addressee. A
  /// friendship begins with the oldest acceptance that is in force.
  ///
  /// If two people of one kind accepted each other's requests, they have one friendship. Its requester is the
  /// person whose request was accepted first.
  package func friendships(_ kind: Pipeline.Requests, _ pipeline: Pipeline) -> [Match] {
    let requests = CurrentRequests(kind, pipeline, self)
    var since: [UInt64: Int64] = [:]
    for request in requests.all(.accepted) {
      let pair = UInt64(request.user) << 32 | UInt64(request.addressee)
      since[pair] = min(since[pair] ?? .max, request.changed)
    }
    let isOneKind = requests.askers == requests.addressees
    return since.sorted { $0.key < $1.key }.compactMap { pair, instant in
      let back = pair << 32 | pair >> 32
      if isOneKind, back != pair, let other = since[back], (other, back) < (instant, pair) { return nil }
      return Match(
        first: UInt32(pair >> 32), second: UInt32(truncatingIfNeeded: pair),
        since: Instant(milliseconds: instant))
    }
  }
}
