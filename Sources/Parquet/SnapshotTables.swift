internal import Columns
internal import PipelineFile
internal import RunSchemas
internal import Text

/// Writes the tables of a snapshot as Parquet files.
struct SnapshotTables {
  let snapshot: Snapshot
  let threads: Int

  /// Writes the rows of one entity, and returns their number. The columns are the id, the position, the
  /// creation time, the owner, the attributes and the computed attributes.
  func write(_ entity: Pipeline.Entity, _ created: Column<Int64>?, to path: String) throws -> Int {
    guard let table = snapshot.entities[entity.name] else {
      preconditionFailure("the snapshot was opened without '\(entity.name)'")
    }
    var columns = [ParquetColumn("id", .text)]
    var longest = table.ids.longest
    if entity.hasPosition {
      columns += [ParquetColumn("latitude", .number), ParquetColumn("longitude", .number)]
    }
    if created != nil { columns.append(ParquetColumn("created", .time)) }
    let owners = entity.owner.flatMap { snapshot.entities[$0.entity]?.ids }
    if let owners {
      columns.append(ParquetColumn("owner_id", .text))
      longest += owners.longest
    }
    for attribute in entity.attributes {
      columns.append(ParquetColumn(attribute.name, attribute.type.kind))
      longest += table.categories[attribute.name]?.vocabulary.longest ?? 0
      longest += table.texts[attribute.name]?.longest ?? 0
      longest += table.tags[attribute.name]?.longest ?? 0
      longest += table.intervals[attribute.name]?.longest ?? 0
    }
    for attribute in entity.computed { columns.append(ParquetColumn(attribute.name, .number)) }
    return try ParquetFile(path: path, threads: threads).write(columns, longestTexts: longest) { rows in
      for row in 0..<table.count {
        rows.append(table.ids.bytes(row))
        if let latitude = table.latitude, let longitude = table.longitude {
          rows.append(latitude[row])
          rows.append(longitude[row])
        }
        if let created {
          // The smallest time value means that the time is missing.
          if created[row] == .min { rows.appendNothing() } else { rows.append(created[row]) }
        }
        if let owner = table.owner, let owners {
          if owner[row] == EntityTable.noOwner {
            rows.appendNothing()
          } else {
            rows.append(owners.bytes(Int(owner[row])))
          }
        }
        for attribute in entity.attributes { table.append(attribute.name, row, to: &rows) }
        for attribute in entity.computed { table.append(attribute.name, row, to: &rows) }
        try rows.endRow()
      }
    }
  }

  /// Writes the interactions of one kind in the order of the snapshot, and returns their number.
  func write(_ kind: Pipeline.Interaction, to path: String) throws -> Int {
    guard let table = snapshot.interactions[kind.name], let users = snapshot.entities[kind.user.entity]?.ids,
      let candidates = snapshot.entities[kind.candidate.entity]?.ids
    else { preconditionFailure("the snapshot was opened without '\(kind.name)'") }
    let columns = [
      ParquetColumn("user_id", .text), ParquetColumn("candidate_id", .text), ParquetColumn("at", .time),
      ParquetColumn("value", .number),
    ]
    let longest = users.longest + candidates.longest
    return try ParquetFile(path: path, threads: threads).write(columns, longestTexts: longest) { rows in
      for user in 0..<users.count {
        for row in table.range(ofUser: user) {
          rows.append(users.bytes(user))
          rows.append(candidates.bytes(Int(table.candidate[row])))
          rows.append(table.at[row])
          rows.append(table.value[row])
          try rows.endRow()
        }
      }
    }
  }
}

extension AttributeType {
  fileprivate var kind: ParquetColumn.ParquetType {
    switch self {
    case .category, .text: .text
    case .number: .number
    case .flag: .flag
    case .tags, .intervals: .texts
    case .date: .time
    }
  }
}

extension EntityTable {
  /// Appends the attribute `name` of `row`. An empty text or set becomes NULL, because ingest reads an empty
  /// value as a missing value.
  fileprivate func append(_ name: String, _ row: Int, to rows: inout ParquetRows) {
    if let category = categories[name] {
      let code = category.codes[row]
      if code == CategoryColumn.missing {
        rows.appendNothing()
      } else {
        rows.append(category.vocabulary.bytes(Int(code)))
      }
    } else if let text = texts[name] {
      if text.bytes(row).isEmpty { rows.appendNothing() } else { rows.append(text.bytes(row)) }
    } else if let number = number(name) {
      rows.append(number[row])
    } else if let flag = flags[name] {
      rows.append(flag[row] == 1)
    } else if let date = dates[name] {
      if date[row] == .min { rows.appendNothing() } else { rows.append(date[row]) }
    } else if let tags = tags[name] {
      if tags.range(row).isEmpty { rows.appendNothing() } else { rows.append(tags.json(row).bytes.span) }
    } else if let intervals = intervals[name] {
      if intervals.range(row).isEmpty {
        rows.appendNothing()
      } else {
        rows.append(intervals.json(row).bytes.span)
      }
    } else {
      preconditionFailure("the snapshot was opened without the attribute '\(name)'")
    }
  }
}

extension IntervalColumn {
  /// Returns the intervals of `row` as a JSON array of ISO 8601 texts.
  fileprivate func json(_ row: Int) -> JSONText {
    var text = JSONText()
    text.append(raw: "[")
    for (place, interval) in intervals(row).enumerated() {
      if place > 0 { text.append(raw: ",") }
      let ends = [interval.lowerBound, interval.upperBound].map { "\(Instant(milliseconds: $0))" }
      text.append(string: Array(ends.joined(separator: "/").utf8).span)
    }
    text.append(raw: "]")
    return text
  }

  /// The number of bytes of the longest row's JSON.
  fileprivate var longest: Int {
    (0..<count).reduce(2) { max($0, range($1).isEmpty ? 2 : json($1).bytes.count) }
  }
}

extension TagColumn {
  /// Returns the tags of `row` as a JSON array.
  fileprivate func json(_ row: Int) -> JSONText {
    var text = JSONText()
    text.append(raw: "[")
    for (place, index) in range(row).enumerated() {
      if place > 0 { text.append(raw: ",") }
      text.append(string: vocabulary.bytes(Int(codes[index])))
    }
    text.append(raw: "]")
    return text
  }

  /// An upper bound on the number of bytes of the longest row's JSON: every byte may become an escape of six
  /// bytes.
  fileprivate var longest: Int {
    (0..<count).reduce(0) { longest, row in
      max(longest, range(row).reduce(2) { $0 + 6 * vocabulary.bytes(Int(codes[$1])).count + 3 })
    }
  }
}
