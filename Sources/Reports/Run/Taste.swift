internal import Columns
internal import PipelineFile
internal import RunSchemas
internal import Text

/// The learned coefficients of a population, of a group of users, or of the individual users.
struct Taste: Sendable {
  enum Learning: Sendable {
    /// The mean of the population with its standard error, and the spread of users around the mean.
    case population
    /// One regression for all users, with the standard errors of its coefficients.
    case shared
    /// A regression per user. Coefficients are medians over users.
    case perPerson(users: Int)

    /// The kind of model, without the number of users.
    var name: String {
      switch self {
      case .population: "population"
      case .shared: "shared"
      case .perPerson: "per person"
      }
    }
  }

  struct Coefficient: Sendable {
    var column: String
    /// The coefficient in original units.
    var coefficient: Double
    /// The standard deviation of the column, or 1 if each user has a separate model. Coefficients that are
    /// multiplied by their standard deviations are comparable between columns.
    var scale: Double
    /// The standard error of the coefficient; `nil` if it is unknown.
    var error: Double?
    /// The interval of one standard deviation between users on each side of the coefficient. If each user has
    /// a separate model, the interval from the first to the ninth decile of users' coefficients.
    var spread: ClosedRange<Double>?
    /// The number of users with this coefficient; `nil` unless each user has a separate model.
    var users: Int?
  }

  let name: String
  let group: String
  let kind: Learning
  let rows: [Coefficient]
  /// The number of columns that the report hides, for example because their words are rare or reveal places,
  /// or because their coefficients are not finite.
  let hidden: Int

  static func all(_ table: ModelTable, _ fit: JSONValue, _ model: Pipeline.Model, _ rare: RareWords) throws
    -> [Taste]
  {
    guard let prior = table.prior else { return [perPerson(table, model, rare)] }
    let names = table.columns.strings
    let isShared = if case .everybody = model.method { true } else { false }
    let facts = fit["prior"]?.elements ?? []
    return prior.groups.enumerated().map { index, group in
      let errors = Dictionary(
        (facts.indices.contains(index) ? facts[index]["columns"]?.elements ?? [] : []).compactMap { column in
          column["column"]?.stringValue.map { ($0, column["standard_error"]?.numberValue) }
        }, uniquingKeysWith: { first, _ in first })
      let all = prior.columns.enumerated().map { place, shared in
        let (coefficient, deviation) = (group.coefficients[place], group.deviations[place])
        let column = names[Int(shared.column)]
        return Coefficient(
          column: column, coefficient: coefficient, scale: shared.scale,
          error: isShared ? deviation : errors[column] ?? nil,
          spread: isShared || !deviation.isFinite || !coefficient.isFinite
            ? nil : coefficient - deviation...coefficient + deviation
        )
      }
      let shown = all.filter { rare.mayBeNamed($0.column) && $0.coefficient.isFinite }
      return Taste(
        name: model.name ?? "", group: group.name, kind: isShared ? .shared : .population,
        rows: shown.enumerated().sorted {
          (abs($1.element.coefficient * $1.element.scale), $0.offset) < (
            abs($0.element.coefficient * $0.element.scale), $1.offset
          )
        }.map(\.element),
        hidden: all.count - shown.count)
    }
  }

  /// Returns the taste from one model per user: for each column, quantiles of the coefficient over users.
  private static func perPerson(_ table: ModelTable, _ model: Pipeline.Model, _ rare: RareWords) -> Taste {
    var values = [[Double]](repeating: [], count: table.columns.count)
    var own = ColumnModel()
    var users = 0
    for user in 0..<table.count where table.read(user, into: &own) {
      users += 1
      for column in own.columns where own.coefficients[Int(column)].isFinite {
        values[Int(column)].append(own.coefficients[Int(column)])
      }
    }
    let names = table.columns.strings
    var rows: [Coefficient] = []
    var hidden = 0
    for (column, coefficients) in values.enumerated() where !coefficients.isEmpty {
      guard coefficients.count >= Disclosure.leastPeople, rare.mayBeNamed(names[column]) else {
        hidden += 1
        continue
      }
      let sorted = coefficients.sorted()
      func quantile(_ share: Double) -> Double { sorted[Int((share * Double(sorted.count - 1)).rounded())] }
      rows.append(
        Coefficient(
          column: names[column], coefficient: quantile(0.5), scale: 1, error: nil,
          spread: quantile(0.1)...quantile(0.9),
          users: coefficients.count))
    }
    rows = rows.enumerated().sorted {
      ($1.element.users ?? 0, $0.offset) < ($0.element.users ?? 0, $1.offset)
    }
    .map(\.element)
    return Taste(
      name: model.name ?? "", group: "", kind: .perPerson(users: users), rows: rows, hidden: hidden)
  }
}
