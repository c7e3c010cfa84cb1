internal import RunSchemas
internal import Text

/// The groups of candidates, such as new accounts or the words of a category, with their exposure and the
/// likes that they later received.
struct CandidateGroups: Sendable {
  private let ranking: JudgedRanking
  /// The groups by property, in display order. Each group has enough candidates and later likes to show.
  private let properties: [(name: String, groups: [JSONValue])]

  init(_ ranking: JudgedRanking) {
    self.ranking = ranking
    let all = ranking.figures["candidate_groups"]?.members ?? [:]
    properties = all.map { (name: $0.key, groups: $0.value.elements.filter(Self.isShown)) }
      .filter { $0.groups.count > 1 }
      .sorted { (Self.order($0.name), $0.name) < (Self.order($1.name), $1.name) }
  }

  private static func isShown(_ group: JSONValue) -> Bool {
    ["candidates", "later_likes"].allSatisfy { (group[$0]?.integerValue ?? 0) >= Disclosure.leastPeople }
  }

  /// The sort position. The properties that every pipeline has come first.
  private static func order(_ property: String) -> Int {
    ["received_likes", "account"].firstIndex(of: property) ?? 2
  }

  private static func title(_ property: String) -> Words {
    switch property {
    case "received_likes": "likes received before the cut"
    case "account": "age of the account"
    default: Words(data: property)
    }
  }

  /// A table with an explanation; empty if there are too few candidates or later likes in each group.
  var blocks: [Block] {
    guard !properties.isEmpty else { return [] }
    let methods = ["pipeline", "without_exposure"].filter { ranking.methods.contains($0) }
    var table = Table(
      "\(ranking.name): shares of groups of candidates in the later likes and in the exposure on lists",
      [.text("Group of candidates"), .number("Candidates"), .number("Of later likes")]
        + methods.map { .number($0 == "pipeline" ? "Of exposure" : "Of exposure without limits") })
    for property in properties {
      for group in property.groups {
        let text = group["group"]?.stringValue ?? ""
        let name = Words(data: Self.order(property.name) < 2 ? text.replacing("-", with: "–") : text)
        let exposures = methods.map { group["share_of_exposure"]?[$0]?.numberValue }
        table.add(
          [
            .init("\(Self.title(property.name)): \(name)"),
            .init(.count(group["candidates"]?.integerValue ?? 0)),
            .init(group["share_of_later_likes"]?.numberValue.map(Figure.share)),
          ] + exposures.map { .init($0.map(Figure.share)) })
      }
    }
    return [
      .paragraph(
        """
        If a group’s share of exposure is far below its share of the later likes, the lists show the group less often than its likes \
        suggest. Later likes partly depend on what users were shown. The table omits groups with fewer than \
        \(.count(Disclosure.leastPeople)) candidates or later likes.
        """),
      .table(table),
    ]
  }
}
