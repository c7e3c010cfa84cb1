import Testing

@testable import Readers

/// Files that do not belong to an export.
struct OddFilesTests {
  /// Returns the odd ones of `names` in the folder `e`.
  private static func odd(
    _ names: [String], named: [String] = [], _ format: ExportFormat = .csv
  ) -> [String] {
    let files = names.map { ExportFile(shown: "e/" + $0, path: "/data/e/" + $0) }
    return OddFiles.among(files, named: named.map { "e/" + $0 }, format).map { String($0.shown.dropFirst(2)) }
  }

  @Test(arguments: [
    "x.csv~", "x.bak", "x.csv.bak", "x.csv.BACKUP", "x.tmp", "x.temp", "x.part", "x.partial", "x.filepart",
    "x.crdownload", "x.download", "x.csv.old", "x.orig", "x.save", ".x.swp", ".x.swo", "y.json", "notes.txt",
    "README",
    "x (1).csv", "x (12).csv", "x - Copy.csv", "x_copy2.csv", "x - Kopie.csv", "x copia.csv", "Copy of x.csv",
    "x.bak.csv",
    "x_old2.csv", "x-previous.csv", "x orig.csv", "old_x.csv", "backup-x.csv", "prev x.csv", "x.csv.gz",
    "x.csv.zst",
    "backup/x.csv", "Old/x.csv",
  ])
  func `a backup, copy or file of another kind is odd beside its original`(name: String) {
    #expect(Self.odd(["x.csv", name]) == [name])
    #expect(Self.odd([name, "x.csv", "z.csv"]) == [name])
    // The pipeline file may name any file.
    #expect(Self.odd(["x.csv", name], named: [name]) == [])
  }

  @Test(arguments: [
    "x (1).csv", "x_copy2.csv", "Copy of x.csv", "x_old2.csv", "old_x.csv", "x.csv.gz", "backup/x.csv",
    "x().csv", "bold.csv",
    "x(1).csv", "golden x.csv", "copycat.csv", "bakery.csv", "old/y.csv", "archive/x.csv", "backup.csv",
  ])
  func `a file with the ending of the format is not odd without its original`(name: String) {
    #expect(Self.odd(["a.csv", name]) == [])
  }

  @Test(
    arguments: [
      // If no file has the ending of the format, any ending may be usual for the app.
      (["a", "b.txt"], .csv, []), (["a", "b.txt", "c.tsv"], .csv, []),
      (["a", "b.txt", "c.csv"], .csv, ["a", "b.txt"]),
      (["a.csv", "b.jsonl"], .jsonl, ["a.csv"]), (["a.json", "b.jsonl"], .json, ["b.jsonl"]),
      (["a.json", "b.jsonl", "c.csv"], .firestore, ["c.csv"]), (["a.json", "b.ndjson", "c"], .parse, ["c"]),
      (["a.jsonl", "b.tsv"], .realtime, ["b.tsv"]), (["a.parquet", "b.csv"], .parquet, ["b.csv"]),
    ] as [([String], ExportFormat, [String])])
  func `an ending is odd if another file has the ending of the format`(
    names: [String], format: ExportFormat, odd: [String]
  ) {
    #expect(Self.odd(names, format) == odd)
  }

  @Test func `a named file does not decide which endings are usual`() {
    #expect(Self.odd(["a.csv", "b.txt"], named: ["a.csv"]) == [])
    #expect(Self.odd(["a.csv", "a (1).csv"], named: ["a.csv"]) == ["a (1).csv"])
  }
}
