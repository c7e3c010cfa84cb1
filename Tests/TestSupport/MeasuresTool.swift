internal import Foundation

/// Runs ir-measures, which computes metrics of rankings with trec_eval's code. `make test` installs
/// it in `.build/tools`.
public enum MeasuresTool {
  private static let python = SharedData.repository.appending(path: ".build/tools/bin/python3").path

  public static let isAvailable: Bool =
    FileManager.default.isExecutableFile(atPath: python)
    && (try? Command.run(python, ["-c", "import ir_measures"]).status) == 0

  /// Returns the values of `measures`, such as `nDCG@10`, by query and measure for the run in the
  /// file `run`.
  ///
  /// A judged query that is missing from the run has the value 0.
  public static func values(_ measures: [String], qrels: String, run: String) throws -> [String: [String:
    Double]]
  {
    let script = """
      import json, sys, ir_measures
      measures = [ir_measures.parse_measure(name) for name in sys.argv[3:]]
      qrels = list(ir_measures.read_trec_qrels(sys.argv[1]))
      run = list(ir_measures.read_trec_run(sys.argv[2]))
      values = {q.query_id: {str(m): 0.0 for m in measures} for q in qrels}
      for value in ir_measures.iter_calc(measures, qrels, run):
          values[value.query_id][str(value.measure)] = value.value
      print(json.dumps(values))
      """
    let (output, status) = try Command.run(python, ["-c", script, qrels, run] + measures)
    guard status == 0 else { throw Program.Failure("ir-measures ended with status \(status)") }
    return try JSONDecoder().decode([String: [String: Double]].self, from: Data(output.utf8))
  }
}
