internal import PipelineFile

/// The most important changes since the previous complete run.
struct RunChanges {
  let answer: Page.Answer
  /// The changes as a check, which contributes to the verdict on the run.
  let check: Page.Check

  /// The maximum number of changed figures in the answer. The section 'Main figures' contains all figures.
  private static let mostFigures = 3

  init(from previous: EarlierRun, to run: ReportedRun) {
    func answer(_ mark: Page.Mark, _ answer: String, _ sentences: [Words]) -> Page.Answer {
      Page.Answer(
        id: "change", mark: mark, question: "What changed?", answer: answer, sentences: sentences)
    }
    var check = Page.Check(mark: .good, title: "Changes", figure: "none", meaning: "")
    switch previous {
    case .none:
      self.answer = answer(
        .unknown, "Unknown", ["There is no earlier complete run to compare with."])
    case .unreadable(let number):
      self.answer = answer(
        .unknown, "Unknown", ["This version of the program cannot read run \(.count(number))."])
    case .read(let earlier):
      let drift = Drift(from: earlier, to: run, titles: (earlier.title, run.title))
      let settings: [Words] =
        drift.haveSameSettings ? [] : ["The pipeline file has changed since \(earlier.title)."]
      guard drift.changed.isEmpty else {
        check.mark = .attention
        check.reservation =
          drift.changed.count == 1
          ? "a main figure changed considerably" : "main figures changed considerably"
        check.step = "Check that \("the changes", to: "#changes") are intended."
        var figures = drift.changed.prefix(Self.mostFigures).map { change in
          "\(change.name): from \(change.from) in \(earlier.title) to \(change.to)" as Words
        }
        let rest = drift.changed.count - figures.count
        if rest > 0 { figures.append("\(rest, "more figure")") }
        self.answer = answer(
          .attention, drift.changed.count == 1 ? "One figure" : "\(drift.changed.count) figures",
          figures + settings)
        self.check = check
        return
      }
      if RunPair(earlier, run).readSameExports {
        self.answer = answer(
          .good, "Nothing", ["This run read the same exports as \(earlier.title)."] + settings)
      } else {
        self.answer = answer(
          .good, "Little",
          [
            "Since \(earlier.title), no number changed by more than a tenth, no share by more than 5 points, and no metric by more than 0.05."
          ] + settings)
      }
    }
    self.check = check
  }
}

extension Section {
  /// Shows the changes in the main figures since the previous complete run; `nil` if there is no previous
  /// complete run, or if that run cannot be read.
  static func changes(_ run: ReportedRun, since previous: EarlierRun) -> Section? {
    guard case .read(let earlier) = previous else { return nil }
    let drift = Drift(from: earlier, to: run, titles: (earlier.title, run.title))
    var blocks: [Block] = [.table(drift.table)]
    if !drift.haveSameSettings, let one = earlier.record?.number, let other = run.record?.number {
      blocks.append(
        .paragraph(
          """
          The settings differ, so a change may be due to them rather than to the data. \
          \(code: "nightjar report PIPELINE --compare \(one) \(other)") lists the differences.
          """))
    }
    return Section(id: "changes", title: "Main figures", blocks: blocks)
  }
}
