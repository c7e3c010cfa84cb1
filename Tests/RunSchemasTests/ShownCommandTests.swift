import RunSchemas
import Testing

struct ShownCommandTests {
  @Test(
    arguments: [
      ("p.yaml", [], nil, ["--resume"], "nightjar run p.yaml --resume"),
      ("p.yaml", [], "var", [], "nightjar run p.yaml"),
      ("p.yaml", [], "work/a", ["--resume"], "nightjar run p.yaml --resume --work work/a"),
      ("my file.yaml", ["seed=5"], "w", [], "nightjar run 'my file.yaml' --work w --set seed=5"),
      ("it's.yaml", ["a.b={ c: 1 }"], nil, [], #"nightjar run 'it'\''s.yaml' --set 'a.b={ c: 1 }'"#),
      ("", ["a=$x"], nil, [], "nightjar run '' --set 'a=$x'"),
    ] as [(String, [String], String?, [String], String)])
  func `a command in a message is quoted for a shell`(
    file: String, overrides: [String], work: String?, options: [String], expected: String
  ) {
    let shown =
      options.isEmpty
      ? ShownCommand.text("run", file, set: overrides, work: work)
      : ShownCommand.text("run", file, set: overrides, work: work, options[0])
    #expect(shown == expected)
  }
}
