internal import Files
internal import Text

/// The result of writing a page.
package struct WrittenPage: Sendable {
  /// The path of the page.
  package var path: String
  /// The reason why its charts are missing; `nil` if they are rendered.
  package var chartsMissing: String?
}

/// Renders a page's charts, and writes the page and its files.
struct PageWriter {
  let directory: String
  let charts: ChartProgram?

  /// Writes `page` as `name`, and the specifications and numbers of its charts into the directory `figures`.
  ///
  /// - Throws: `FileError`. Charts that cannot be rendered are not an error, because their tables are on the
  ///   page.
  func write(_ page: Page, to name: String, figures: String) throws -> WrittenPage {
    let all = page.sections.flatMap(\.blocks.charts)
    var page = page
    let (drawings, missing) = drawings(all)
    if let missing {
      page.notices.append(
        "This page has no charts, because \(missing). The tables contain the numbers of each chart.")
    }
    let place = directory + "/" + figures
    try Directories.create(directory)
    if !all.isEmpty { try Directories.create(place) }
    for chart in all {
      try Directories.replace(
        "\(place)/\(chart.name).vl.json", with: ChartSpecification(chart, .wide).json.pretty)
      try Directories.replace("\(place)/\(chart.name).csv", with: chart.data.csv)
    }
    if Directories.exists(place) { try removeOthers(than: Set(all.map(\.name)), in: place) }
    let path = directory + "/" + name
    try Directories.replace(path, with: PageRenderer().html(page, drawings))
    return WrittenPage(path: path, chartsMissing: missing)
  }

  /// Removes the files of charts that an earlier page had and this page lacks, so that readers do not mistake
  /// them for current ones.
  private func removeOthers(than names: Set<String>, in place: String) throws {
    let ending = ".vl.json"
    for file in try Directories.names(in: place) where file.hasSuffix(ending) {
      let name = String(file.dropLast(ending.count))
      if names.contains(name) { continue }
      try Directories.remove("\(place)/\(file)")
      try Directories.remove("\(place)/\(name).csv")
    }
  }

  private func drawings(_ figures: [ChartFigure]) -> (Drawings, missing: String?) {
    var drawings = Drawings()
    guard !figures.isEmpty else { return (drawings, nil) }
    guard let charts else {
      return (drawings, "the chart program is not installed; ‘make charts’ installs it")
    }
    let wanted = figures.flatMap { figure in ChartLayout.allCases.map { (figure, $0) } }
    do throws(ChartFailure) {
      let drawn = try charts.draw(wanted.map { ChartSpecification($0, $1).json })
      for ((figure, layout), svg) in zip(wanted, drawn) {
        guard let drawing = DrawingCleaner.drawing(svg) else {
          throw ChartFailure("the drawing of \(figure.name) is not a valid SVG document")
        }
        drawings[figure.name, layout] = drawing
      }
      return (drawings, nil)
    } catch {
      return (Drawings(), "the chart program failed: \(error)")
    }
  }
}
