import Foundation
import Testing
import TestSupport
import Text

/// Checks the files for schedulers with the schedulers' own programs.
struct ScheduleTests {
  private static let analyze = "/usr/bin/systemd-analyze"

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: analyze), "systemd-analyze is not installed"))
  func `systemd accepts the units`() throws {
    let scratch = try ScratchDirectory()
    // The program that a unit names must exist.
    for name in ["nightjar@.service", "nightjar@.timer", "nightjar-alert@.service"] {
      let text = try String(contentsOfFile: "pipelines/schedule/\(name)", encoding: .utf8)
      try scratch.write(
        text.replacingOccurrences(of: "/usr/local/bin/nightjar", with: Program.products + "/nightjar"),
        to: name.replacingOccurrences(of: "@", with: "@fusion"))
    }
    try scratch.write(
      String(contentsOfFile: "pipelines/schedule/network.conf", encoding: .utf8),
      to: "nightjar@fusion.service.d/network.conf")
    for name in ["nightjar@fusion.service", "nightjar@fusion.timer", "nightjar-alert@fusion.service"] {
      let ended = try Program.run(Self.analyze, ["verify", scratch(name)])
      // The output also contains warnings about the units of the system.
      let complaints = ended.errors.split(separator: "\n").filter {
        $0.contains("nightjar") && !$0.contains("man page")
      }
      #expect(complaints == [], "\(ended.errors)")
    }
  }

  @Test func `the timer names UTC, so that no time zone skips or repeats a run`() throws {
    let timer = try String(contentsOfFile: "pipelines/schedule/nightjar@.timer", encoding: .utf8)
    let calendars = timer.split(separator: "\n").filter { $0.hasPrefix("OnCalendar=") }
    #expect(calendars.count == 1 && calendars[0].hasSuffix(" UTC"), "\(calendars)")
  }

  private static let promtool = "/usr/bin/promtool"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: promtool), "promtool is not installed"))
  func `every alert fires when it should, and is silent on a good run`() throws {
    let rules = FileManager.default.currentDirectoryPath + "/pipelines/schedule/alerts.yaml"
    let checked = try Program.run(Self.promtool, ["check", "rules", rules])
    #expect(checked.ending == .status(0), "\(checked.output)\(checked.errors)")
    // For each alert, the first series fires the alert after eight days, and the second does not.
    let cases: [(alert: String, bad: String, good: String)] = [
      ("NightjarNoSuccess", "nightjar_last_success_timestamp_seconds{} 518400", "{} 691200"),
      ("NightjarFailed", "nightjar_run_status{} 65", "{} 0"),
      ("NightjarOldData", "nightjar_data_age_seconds{} 172801", "{} 172800"),
      (
        "NightjarMoreRejects", #"nightjar_rejected_rows{source="likes"} 101x7 203"#,
        #"{source="likes"} 101x7 201"#
      ),
      ("NightjarEmptyLists", #"nightjar_empty_lists_ratio{list="near"} 0.21"#, #"{list="near"} 0.2"#),
      (
        "NightjarQualityDropped",
        #"nightjar_quality{list="near",metric="ndcg",statistic="high"} 0.08; nightjar_quality{list="near",metric="ndcg",statistic="mean"} 0.1"#,
        #"{list="near",metric="ndcg",statistic="high"} 0.12; nightjar_quality{list="near",metric="ndcg",statistic="mean"} 0.1"#
      ),
      (
        "NightjarWorseThanMethod",
        #"nightjar_quality_difference{list="near",method="random",statistic="high"} -0.01"#,
        #"{list="near",method="random",statistic="high"} 0.01"#
      ),
    ]
    let named = try String(contentsOfFile: rules, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.contains("- alert: ") ? $0.split(separator: " ").last.map(String.init) : nil }
    #expect(cases.map(\.alert) == named)
    let scratch = try ScratchDirectory()
    for (alert, bad, good) in cases {
      let metric = String(bad.prefix { $0 != "{" })
      for (series, fires) in [(bad, true), (metric + good, false)] {
        let inputs = series.components(separatedBy: "; ").map { one in
          let parts = one.components(separatedBy: "} ")
          let values = parts[1].contains("x") ? parts[1] : parts[1] + "x8"
          let separator = parts[0].hasSuffix("{") ? "" : ","
          return "      - { series: '\(parts[0])\(separator)pipeline=\"small\"}', values: '\(values)' }"
        }
        try scratch.write(
          """
          rule_files: [\(rules)]
          evaluation_interval: 1d
          tests:
            - interval: 1d
              input_series:
          \(inputs.joined(separator: "\n"))
              promql_expr_test:
                - expr: count(ALERTS{alertname="\(alert)"}) or vector(0)
                  eval_time: 8d
                  exp_samples: [{ labels: '{}', value: \(fires ? 1 : 0) }]

          """, to: "test.yaml")
        let tested = try Program.run(Self.promtool, ["test", "rules", scratch("test.yaml")])
        #expect(tested.ending == .status(0), "\(alert) with \(series): \(tested.output)\(tested.errors)")
      }
    }
  }

  @Test(arguments: ["alerts.yaml", "grafana-dashboard.json"])
  func `every query names metrics that a run writes`(file: String) throws {
    let reference = try String(contentsOfFile: "docs/reference/metrics.md", encoding: .utf8)
    let text = try String(contentsOfFile: "pipelines/schedule/\(file)", encoding: .utf8)
    let names = Set(text.matches(of: /nightjar_[a-z_]+/).map { String($0.output) })
    #expect(names.count >= 8)
    // Other tests ensure that the headings of the reference equal the metrics of a run.
    for name in names { #expect(reference.contains("### `\(name)`\n"), "\(name)") }
    if file.hasSuffix(".json") {
      let dashboard = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
      #expect(dashboard["panels"]?.elements.count == 13)
    }
  }

  /// Returns the DAG for `product` instead of the product in the file.
  private func dag(of product: SmallProduct) throws -> String {
    try String(contentsOfFile: "pipelines/schedule/nightjar_dag.py", encoding: .utf8)
      .replacingOccurrences(of: "/etc/nightjar/fusion.yaml", with: product.pipelineFile)
      .replacingOccurrences(of: "/var/lib/nightjar", with: product.work)
  }

  /// Returns the commands of the DAG. Python creates them without Airflow.
  private func commands(of product: SmallProduct) throws -> [String] {
    let text = try dag(of: product)
    let start = try #require(text.range(of: "PIPELINE = "))
    let end = try #require(text.range(of: "with DAG("))
    let script = String(text[start.lowerBound..<end.lowerBound])
    let python = try #require(Command.path(of: "python3"))
    let ended = try Program.run(python, ["-c", script + "\nfor stage in STAGES: print(command(stage))"])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return ended.lines
  }

  private func expectOneNight(_ product: SmallProduct) throws {
    #expect(try FileManager.default.contentsOfDirectory(atPath: product.work + "/small/runs") == ["1"])
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: product.work + "/small/latest") == "runs/1")
    #expect(product.directory.exists("serving.sqlite"))
  }

  @Test(.enabled(if: Command.path(of: "python3") != nil, "python3 is not installed"))
  func `the tasks of the DAG form one run`() throws {
    let product = try SmallProduct()
    let commands = try commands(of: product)
    #expect(commands.count == 6)
    for command in commands {
      let words = command.split(separator: " ").map(String.init)
      let ended = try Program.run(words[0], Array(words.dropFirst()))
      #expect(ended.ending == .status(0), "\(command): \(ended.errors)")
    }
    try expectOneNight(product)
  }

  private static let airflowProgram = FileManager.default.currentDirectoryPath + "/.build/airflow/bin/airflow"

  /// Runs Airflow with a separate home directory. Its tasks find the built programs in their path.
  private func airflow(_ home: String, _ arguments: String...) throws -> Program.Finished {
    try Program.run(
      "/usr/bin/env",
      [
        "AIRFLOW_HOME=" + home, "AIRFLOW__CORE__LOAD_EXAMPLES=False", "AIRFLOW__CORE__UNIT_TEST_MODE=False",
        "PATH=\(Program.products):/usr/local/bin:/usr/bin:/bin", Self.airflowProgram,
      ] + arguments)
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: airflowProgram), "Airflow is not installed"))
  func `Airflow loads the DAG and runs the pipeline with it`() throws {
    let product = try SmallProduct()
    let home = product.directory("airflow")
    try product.directory.write(dag(of: product), to: "airflow/dags/nightjar_dag.py")
    let made = try airflow(home, "db", "migrate")
    try #require(made.ending == .status(0), "\(made.errors.suffix(2_000))")
    let ran = try airflow(home, "dags", "test", "nightjar_fusion", "2026-11-20")
    #expect(ran.ending == .status(0), "\(ran.errors.suffix(2_000))")
    let reported = ran.output + ran.errors
    #expect(
      reported.contains("state=success") && !reported.contains("new_state=failed"),
      "\(reported.suffix(2_000))")
    try expectOneNight(product)

    // A failed task fails the run in Airflow, here without retries. The served lists stay.
    try product.directory.write(
      dag(of: product).replacingOccurrences(of: "\"retries\": 2", with: "\"retries\": 0"),
      to: "airflow/dags/nightjar_dag.py")
    try product.replace("from,to,answer,at", by: "from,to,reply,at", in: "swipes.csv")
    let failed = try airflow(home, "dags", "test", "nightjar_fusion", "2026-11-21")
    #expect((failed.output + failed.errors).contains("exit code 65"), "\(failed.errors.suffix(2_000))")
    #expect(try product.directory.text("var/reports/small.html").contains("failed in ingest"))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: product.work + "/small/latest") == "runs/1")
  }

  @Test(arguments: ["nightjar@.service", "nightjar.cron"])
  func `nightjar accepts the command of a run`(file: String) throws {
    let product = try SmallProduct()
    let text = try String(contentsOfFile: "pipelines/schedule/\(file)", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.contains("/usr/local/bin/nightjar run") })
    let command = try #require(line.components(separatedBy: "/usr/local/bin/nightjar ").last)
      .components(separatedBy: " 2>&1")[0]
      .replacingOccurrences(of: "/etc/nightjar/%i.yaml", with: product.pipelineFile)
      .replacingOccurrences(of: "/etc/nightjar/fusion.yaml", with: product.pipelineFile)
      .replacingOccurrences(of: "/var/lib/nightjar", with: product.work)
      .replacingOccurrences(of: "%i", with: "small")
    let ended = try Program.run("nightjar", command.split(separator: " ").map(String.init))
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: product.work).contains { $0.hasSuffix(".prom") })
  }
}
