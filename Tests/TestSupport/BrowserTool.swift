import Foundation

/// Headless Chromium, which opens a page as readers do; `make test` installs it.
public enum BrowserTool {
  private static let program = Command.path(of: "chromium") ?? Command.path(of: "google-chrome")
  private static let script = SharedData.repository.appending(path: "Tests/Browser/inspect_page.py").path

  public static let isAvailable = program != nil && Command.path(of: "python3") != nil

  /// Files of Liberation Sans, which is as wide as what most systems have.
  public static let usualFonts = "/usr/share/fonts/truetype/liberation*"

  /// Whether both the usual fonts and the fonts of a minimal Linux are installed; the latter are a sixth wider.
  public static let hasFonts: Bool = ["Liberation Sans", "DejaVu Sans"].allSatisfy { font in
    (try? Command.run("/usr/bin/fc-match", [font, "family"]).output.hasPrefix(font)) ?? false
  }

  /// The findings for one view of a page.
  public struct View: Decodable, Sendable {
    /// The problems found; empty if there are none.
    public var findings: [String]
    /// The number of visible charts; not counted on paper.
    public var charts: Int?
    /// The lowest contrast of any text with its background.
    public var lowestContrast: Double?
    /// The color of the page's background.
    public var background: String?
    /// Sheets of paper.
    public var pages: Int?
  }

  /// Opens the page at `path` by day and in the dark, in a wide window and on a phone, and prints it; pictures go to
  /// `directory`. Without fonts whose files match the pattern `fonts`.
  public static func views(
    of path: String, pictures directory: String, without fonts: String? = nil
  ) throws -> [String: View] {
    guard let program else { throw Program.Failure("there is no Chromium") }
    let (output, status) = try Command.run(
      "python3", [script, program, path, directory] + (fonts.map { [$0] } ?? []))
    guard status == 0 else { throw Program.Failure("Chromium ended with status \(status): \(output)") }
    return try JSONDecoder().decode([String: View].self, from: Data(output.utf8))
  }
}
