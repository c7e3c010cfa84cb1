import Testing

@testable import NightlyRuns

struct PrometheusTextTests {
  @Test func `a gauge has a value for each set of labels`() {
    var text = PrometheusText(pipeline: "p")
    text.add("rows", "Rows.", [([("source", "a")], 1), ([("source", "b\"\\\n")], 0.5)])
    text.add("run", "Number.", 7)
    #expect(
      text.text == """
        # HELP nightjar_rows Rows.
        # TYPE nightjar_rows gauge
        nightjar_rows{pipeline="p",source="a"} 1
        nightjar_rows{pipeline="p",source="b\\"\\\\\\n"} 0.5
        # HELP nightjar_run Number.
        # TYPE nightjar_run gauge
        nightjar_run{pipeline="p"} 7

        """)
  }

  @Test(arguments: [
    (0, "0"), (-7, "-7"), (0.5, "0.5"), (999_999_999_999_999, "999999999999999"),
    (1e15, "1000000000000000.0"),
    (-1e15, "-1000000000000000.0"),
    (1e300, "1e+300"),
  ])
  func `whole numbers have no decimals`(value: Double, written: String) {
    var text = PrometheusText(pipeline: "p")
    text.add("n", "N.", value)
    #expect(text.text.hasSuffix("\nnightjar_n{pipeline=\"p\"} \(written)\n"))
  }

  @Test func `a gauge without values is left out`() {
    var text = PrometheusText(pipeline: "p")
    text.add("rows", "Rows.", [])
    #expect(text.text == "")
  }
}
