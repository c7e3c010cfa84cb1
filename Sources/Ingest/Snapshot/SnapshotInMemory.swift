internal import Columns
internal import Files
internal import Geohash
internal import PipelineFile
package import RunSchemas
internal import Text

extension IngestedExports {
  /// Returns the kept rows in memory, as the snapshot will contain them. Rules that are evaluated before the
  /// snapshot is written need these rows.
  ///
  /// - Parameter names: The entities to include. Unreadable entities are left out.
  /// - Returns: A snapshot without texts, creation and change times, earlier versions, interactions and
  ///   computed attributes.
  package func snapshot(of names: Set<String>) -> Snapshot {
    var tables: [String: EntityTable] = [:]
    for name in names { tables[name] = entities[name].map(table) }
    return Snapshot(
      Manifest(
        tool: "", stage: IngestStage.name, pipeline: pipeline.name, configuration: pipeline.configuration,
        asOf: asOf.instant, seed: pipeline.seed, counts: .null),
      entities: tables)
  }

  private func table(of entities: EntityRows) -> EntityTable {
    let kind = entities.entity
    let (rows, ids) = (entities.rows, entities.ids)
    let numbers = keptEntities(kind.name).numbers(among: ids).map { Int($0) }
    let owners = kind.owner.map { keptEntities($0.entity) }
    return EntityTable(
      ids: StringColumn(inMemory: numbers.map { ids.id(number: $0) }),
      position: kind.hasPosition
        ? (
          Column(inMemory: numbers.map { rows[$0].position?.latitude ?? .nan }),
          Column(inMemory: numbers.map { rows[$0].position?.longitude ?? .nan })
        ) : nil,
      owner: owners.map { owners in
        Column(
          inMemory: numbers.map {
            let owner = rows[$0].owner
            return owner == EntityTable.noOwner ? owner : owners.rowOfRank[Int(owner)]
          })
      }, attributes: columns(of: entities, numbers))
  }

  private func columns(of entities: EntityRows, _ numbers: [Int]) -> AttributeColumns {
    var categories: [String: CategoryColumn] = [:]
    var amounts: [String: Column<Double>] = [:]
    var flags: [String: Column<UInt8>] = [:]
    var tags: [String: TagColumn] = [:]
    var dates: [String: Column<Int64>] = [:]
    var intervals: [String: IntervalColumn] = [:]
    for (attribute, values) in zip(entities.entity.attributes, entities.attributes) {
      let name = attribute.name
      switch values.type {
      case .category:
        categories[name] = CategoryColumn(
          inMemory: numbers.map { values.codes[$0] }, in: values.vocabulary.all)
      case .number: amounts[name] = Column(inMemory: numbers.map { values.numbers[$0] })
      case .flag: flags[name] = Column(inMemory: numbers.map { values.flags[$0] })
      case .text: continue
      case .tags:
        tags[name] = TagColumn(inMemory: numbers.map { values.sets[$0] }, in: values.vocabulary.all)
      case .date: dates[name] = Column(inMemory: numbers.map { values.instants[$0] })
      case .intervals: intervals[name] = IntervalColumn(inMemory: numbers.map { values.intervals[$0] })
      }
    }
    return AttributeColumns(
      categories: categories, numbers: amounts, flags: flags, tags: tags, dates: dates, intervals: intervals)
  }
}
