internal import Files
internal import Text

/// Writes a page and, in separate files, its charts.
struct PageWriter {
  let directory: String
  /// The permissions of the files and directories; `nil` for the default permissions.
  var access: FileAccess?

  /// Writes `page` to the file `name`. Each chart is written into the directory `figures`, as SVG and as CSV
  /// with its numbers.
  ///
  /// - Returns: The path of the page.
  /// - Throws: `FileError` if a file cannot be written.
  func write(_ page: Page, to name: String, figures: String) throws(FileError) -> String {
    let charts = page.sections.flatMap(\.blocks.charts)
    let place = directory + "/" + figures
    try Directories.create(directory, access)
    if !charts.isEmpty { try Directories.create(place, access) }
    for chart in charts {
      let title = chart.title.plain + ". " + chart.description.plain
      try Directories.replace(
        "\(place)/\(chart.name).svg", with: chart.chart.drawing(.wide).document(title: title), access)
      try Directories.replace("\(place)/\(chart.name).csv", with: chart.data.csv, access)
    }
    if Directories.exists(place) { try removeOthers(than: Set(charts.map(\.name)), in: place) }
    let path = directory + "/" + name
    try Directories.replace(path, with: PageRenderer().html(page), access)
    return path
  }

  /// Removes the files of charts that only an earlier page had, so that readers do not mistake them for
  /// current charts. Also removes all Vega-Lite files, which only earlier versions of the program wrote.
  private func removeOthers(than names: Set<String>, in place: String) throws(FileError) {
    for file in try Directories.names(in: place) {
      guard let ending = Self.endings.first(where: file.hasSuffix) else { continue }
      let name = String(file.dropLast(ending.count))
      let isShown = names.contains(name)
      if !isShown { try Directories.remove("\(place)/\(name).csv") }
      if !isShown || ending != Self.endings[0] { try Directories.remove("\(place)/\(file)") }
    }
  }

  /// The endings of the chart files: `.svg` for a drawing, and `.vl.json` for the Vega-Lite specification
  /// that earlier versions of the program wrote.
  private static let endings = [".svg", ".vl.json"]
}
