internal import PipelineFile
internal import Tables

extension Section {
  /// What the population likes, how sure that is, and how different people are.
  ///
  /// - Throws: `FileError` where the models cannot be read.
  static func taste(_ run: ReportedRun) throws -> Section {
    var blocks: [Block] = []
    for model in run.pipeline.models {
      guard let fit = run.models?.counts["by_name"].map({ $0[model.name ?? ""] }) ?? run.models?.counts else {
        continue
      }
      if let name = model.name { blocks.append(.heading("The model \(name)")) }
      let directory = run.directory + "/models" + (model.name.map { "/" + $0 } ?? "")
      let table = try ModelTable(directory, columns: StringColumn(directory + "/columns").strings)
      let tastes = try Taste.all(table, fit, model, RareWords(run))
      for taste in tastes { blocks += taste.blocks }
    }
    if blocks.isEmpty {
      blocks.append(.note("This pipeline has no model: its lists are ordered without one."))
    }
    return Section(id: "taste", title: "What people like", blocks: blocks)
  }
}
