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

  @Test func `a gauge without values is left out`() {
    var text = PrometheusText(pipeline: "p")
    text.add("rows", "Rows.", [])
    #expect(text.text == "")
  }
}
