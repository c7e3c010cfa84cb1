import Foundation
import TestSupport
import Testing

/// The files for schedulers, tried with what they are for.
struct ScheduleTests {
  private static let analyze = "/usr/bin/systemd-analyze"

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: analyze), "systemd-analyze is not installed"))
  func `systemd takes the units`() throws {
    let scratch = try ScratchDirectory()
    // The program that the unit names has to be there.
    for name in ["nightjar@.service", "nightjar@.timer"] {
      let text = try String(contentsOfFile: "pipelines/schedule/\(name)", encoding: .utf8)
      try scratch.write(
        text.replacingOccurrences(of: "/usr/local/bin/nightjar", with: Program.products + "/nightjar"),
        to: name.replacingOccurrences(of: "@", with: "@fusion"))
    }
    try scratch.write(
      String(contentsOfFile: "pipelines/schedule/network.conf", encoding: .utf8),
      to: "nightjar@fusion.service.d/network.conf")
    for name in ["nightjar@fusion.service", "nightjar@fusion.timer"] {
      let ended = try Program.run(Self.analyze, ["verify", scratch(name)])
      // It also tells of the system's own units.
      let complaints = ended.errors.split(separator: "\n").filter {
        $0.contains("nightjar") && !$0.contains("man page")
      }
      #expect(complaints == [], "\(ended.errors)")
    }
  }

  /// The commands of the DAG as Python makes them, without Airflow.
  private func commands(pipeline: String, work: String) throws -> [String] {
    let text = try String(contentsOfFile: "pipelines/schedule/nightjar_dag.py", encoding: .utf8)
    let start = try #require(text.range(of: "PIPELINE = "))
    let end = try #require(text.range(of: "with DAG("))
    let script = String(text[start.lowerBound..<end.lowerBound])
      .replacingOccurrences(of: "/etc/nightjar/fusion.yaml", with: pipeline)
      .replacingOccurrences(of: "/var/lib/nightjar", with: work)
    let python = try #require(Command.path(of: "python3"))
    let ended = try Program.run(python, ["-c", script + "\nfor stage in STAGES: print(command(stage))"])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return ended.lines
  }

  @Test(.enabled(if: Command.path(of: "python3") != nil, "python3 is not installed"))
  func `the tasks of the DAG make one run`() throws {
    let product = try SmallProduct()
    let commands = try commands(pipeline: product.pipelineFile, work: product.work)
    #expect(commands.count == 5)
    for command in commands {
      let words = command.split(separator: " ").map(String.init)
      let ended = try Program.run(words[0], Array(words.dropFirst()))
      #expect(ended.ending == .status(0), "\(command): \(ended.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: product.work + "/small/runs") == ["1"])
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: product.work + "/small/latest") == "runs/1")
    #expect(product.directory.exists("serving.sqlite"))
  }

  @Test(arguments: ["nightjar@.service", "nightjar.cron"])
  func `the command of a night is one that nightjar takes`(file: String) throws {
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
