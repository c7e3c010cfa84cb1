internal import Geohash
package import PipelineFile
package import Tables

/// What a model can know of a candidate: the features of a pipeline, bound to the columns of a snapshot.
///
/// A category has one column per word of its vocabulary, a number one, a position two (latitude, longitude), a
/// distance one. Values are held in memory, one per candidate row, because fitting and ranking read them at
/// random.
package struct FeatureSpace: Sendable {
  /// A feature and its first column; the others follow it.
  package struct Feature: Sendable {
    package var values: Values
    package var firstColumn: Int
    /// As the pipeline file calls it, for reasons: `business_field`, `latitude`, `distance_km`.
    package var name: String
  }

  package enum Values: Sendable {
    /// Codes and their vocabulary.
    case category([UInt32], [String])
    /// NaN is missing. `low` and `high` are the words for values under and over a mean.
    case number([Double], low: String, high: String)
    /// Worked out for each pair.
    case distance
  }

  package let features: [Feature]
  /// The names of the columns: `business_field=Technology`, `experience_years`, `latitude`.
  package let columns: [String]
  package let candidates: Positions
  package let users: Positions

  /// Binds `features` to the attributes and positions of `candidates`, seen by `users`.
  ///
  /// The pipeline file was checked: an attribute that is missing here is a bug.
  package init(_ features: [Pipeline.Feature], users: EntityTable, candidates: EntityTable) {
    var bound: [Feature] = []
    var columns: [String] = []
    func add(_ name: String, _ values: Values, _ names: [String]) {
      bound.append(Feature(values: values, firstColumn: columns.count, name: name))
      columns += names
    }
    for feature in features {
      switch feature {
      case .category(let name):
        guard let column = candidates.categories[name] else { preconditionFailure("no category '\(name)'") }
        let vocabulary = column.vocabulary.strings
        add(name, .category(column.codes.elements, vocabulary), vocabulary.map { "\(name)=\($0)" })
      case .number(let name):
        guard let column = candidates.numbers[name] else { preconditionFailure("no number '\(name)'") }
        add(name, .number(column.elements, low: "low", high: "high"), [name])
      case .position:
        guard let latitude = candidates.latitude, let longitude = candidates.longitude else {
          preconditionFailure("no position")
        }
        add("latitude", .number(latitude.elements, low: "south", high: "north"), ["latitude"])
        add("longitude", .number(longitude.elements, low: "west", high: "east"), ["longitude"])
      case .distance:
        add("distance_km", .distance, ["distance_km"])
      }
    }
    self.features = bound
    self.columns = columns
    self.candidates = Positions(candidates)
    self.users = Positions(users)
  }
}
