internal import Columns
internal import PipelineFile
internal import RunSchemas

extension Section {
  /// Shows the taste of the population, its uncertainty, and the differences between users.
  ///
  /// - Throws: `FileError` if the models or the snapshot cannot be read.
  static func taste(_ run: ReportedRun) throws -> Section {
    var blocks: [Block] = []
    var introduced: Set<String> = []
    for model in run.pipeline.models {
      guard let fit = run.fit(ofModel: model.name) else { continue }
      if run.pipeline.models.count > 1 {
        blocks.append(.heading(model.name.map { "The model \($0)" } ?? "The unnamed model"))
      }
      let directory = run.directory + "/" + model.directory(in: "models")
      let table = try ModelTable(directory, columns: StringColumn(directory + "/columns").strings)
      let tastes = try Taste.all(table, fit, model, RareWords(run))
      for taste in tastes {
        blocks += taste.blocks(isIntroduced: introduced.insert(taste.kind.name).inserted)
      }
    }
    if blocks.isEmpty {
      blocks.append(.note("This pipeline has no model, so no taste is learned."))
    }
    return Section(id: "taste", title: "What users like", blocks: blocks)
  }
}
