import Files
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

/// The captions and charts of the comparison with other methods.
@Suite struct MethodChartTests {
  @Test(
    arguments: [
      (0.1...0.3, "the pipeline is better", .third), (-0.3...(-0.1), "the method is better", .second),
      (-0.1...0.3, "no significant difference", .sixth),
    ] as [(ClosedRange<Double>, String, ChartColor)])
  func `a chart has its numbers, its color and its legend`(
    _ interval: ClosedRange<Double>, _ result: String, _ color: ChartColor
  ) throws {
    let methods = MethodTable(
      Found.judged(Found.ranking(areaDifference: Found.estimate(0.2, interval))))
    let figure = methods.chart("auc")
    #expect(figure.name == "auc-differences-near")
    #expect(figure.title.shown == "near: AUC difference, pipeline minus each other method")
    #expect(
      figure.description.shown.hasSuffix(
        "By the declared tests, the pipeline is better than random order."))
    #expect(figure.data.fields == ["method", "difference", "low", "high", "result"])
    let row: [JSONValue] = [
      .string("random order"), .number(0.2), .number(interval.lowerBound), .number(interval.upperBound),
      .string(result),
    ]
    #expect(figure.data.rows == [row])
    let chart = try #require(figure.chart as? RowChart)
    #expect(chart.title == "difference of AUC" && chart.rows.map(\.name) == ["random order"])
    #expect(
      chart.legend.map(\.name) == [
        "the pipeline is better", "the method is better", "no significant difference",
      ])
    #expect(chart.legend.map(\.color) == [.third, .second, .sixth])
    #expect(chart.lines.map(\.value) == [0] && chart.lines.map(\.isDashed) == [false])
    var marks: [String] = []
    for mark in chart.rows[0].marks {
      if case .point(let value, let ends, let band, let shown) = mark {
        marks.append("\(value) \(ends?.low ?? 9) \(ends?.high ?? 9) \(band == nil) \(shown)")
      }
    }
    #expect(marks == ["0.2 \(interval.lowerBound) \(interval.upperBound) true \(color)"])
    #expect(figure.table.caption.shown == "near: AUC difference, pipeline minus the method")
    #expect(figure.table.columns.map(\.title) == ["Method", "Difference", "95 % interval"])
  }

  @Test func `intervals in the table are over clusters if there are enough clusters`() {
    let area = Found.estimate(0.55, 0.54...0.56, byCluster: 0.4...0.6)
    func table(_ clusters: Int) -> Table {
      MethodTable(Found.judged(Found.ranking(area: area, clusters: .integer(clusters)))).table
    }
    #expect(
      table(5).caption.shown.contains(
        "with 95 % bootstrap intervals, resampled by cluster (5 clusters of users who share candidates). "
          + "A difference is bold"))
    #expect(
      table(4).caption.shown.contains(
        "with 95 % bootstrap intervals, resampled by user. A difference is bold"))
    #expect(table(5).rows[0][3].shown == "0.550 (0.400 to 0.600)")
    #expect(table(4).rows[0][3].shown == "0.550 (0.540 to 0.560)")
    #expect(
      table(5).columns.map(\.title) == [
        "Method", "nDCG@10", "Difference in nDCG@10", "AUC", "Difference in AUC",
      ])
    #expect(table(5).rows[0][0].words.isStrong && !table(5).rows[1][0].words.isStrong)
    #expect(table(5).rows.map { $0[2].shown } == ["–", "*+0.200* (+0.100 to +0.300)"])
    #expect(table(4).rows.map { $0[1].shown } == ["0.300 (0.250 to 0.340)", "0.100 (0.050 to 0.140)"])
  }

  @Test func `a method that its short name does not describe has its title below`() {
    var figures = Found.ranking(tests: [Found.test("popular", "auc", difference: 0.2, p: 0.001)]).members
    var methods = figures["methods"]?.members ?? [:]
    let popular: JSONValue = ["title": "the most liked candidates", "finding": [:], "ordering": [:]]
    methods["popular"] = popular
    figures["methods"] = .object(methods)
    figures["method_order"] = .array(["pipeline", "popular", "random"])
    let rows = MethodTable(Found.judged(.object(figures))).table.rows
    #expect(rows[1][0].shown == "most popular first (the most liked candidates)")
    #expect(rows[0][0].below.plain == "" && rows[2][0].below.plain == "")
  }

  @Test func `every length has a table, the shortest first`() {
    let tables = MethodTable(Found.judged(Found.ranking())).everyMetric
    #expect(
      tables.map(\.caption.shown) == [
        "near, the first 3 places: means over 50 users", "near, the first 10 places: means over 50 users",
      ])
    #expect(tables.map { $0.columns.map(\.title) } == [["Method", "nDCG"], ["Method", "nDCG"]])
    #expect(tables[0].shown == ["this pipeline | 0.300", "random order | 0.100"])
  }
}
