import Foundation

/// Opens a page in headless Chromium as readers do. `make test` installs Chromium.
public enum BrowserTool {
  private static let program = Command.path(of: "chromium") ?? Command.path(of: "google-chrome")
  private static let script = SharedData.repository.appending(path: "Tests/Browser/inspect_page.py").path

  public static let isAvailable = program != nil && Command.path(of: "python3") != nil

  /// The files of Liberation Sans, which is as wide as the fonts of most systems.
  public static let usualFonts = "/usr/share/fonts/truetype/liberation*"

  /// The script of axe, an accessibility checker. `make test` installs it.
  private static let axe = try? FileManager.default.contentsOfDirectory(
    at: SharedData.repository.appending(path: ".build/tools/lib"), includingPropertiesForKeys: nil
  ).lazy.map { $0.appending(path: "site-packages/axe_playwright_python/axe.min.js").path }
    .first(where: FileManager.default.fileExists)

  public static let hasAxe = axe != nil

  /// Whether the usual fonts and the fonts of a minimal Linux are installed. The fonts of a minimal Linux are
  /// a sixth wider.
  public static let hasFonts: Bool = ["Liberation Sans", "DejaVu Sans"].allSatisfy { font in
    (try? Command.run("/usr/bin/fc-match", [font, "family"]).output.hasPrefix(font)) ?? false
  }

  /// The results for one view of a page.
  public struct View: Decodable, Sendable {
    /// The problems that were found. Empty if there are none.
    public var findings: [String]
    /// The number of visible charts. `nil` on paper.
    public var charts: Int?
    /// The lowest contrast between any text and its background.
    public var lowestContrast: Double?
    /// The color of the page's background.
    public var background: String?
    /// The number of printed pages.
    public var pages: Int?
  }

  /// Opens the page at `path` in light and dark mode, in a wide window and on a phone, and prints it. Checks
  /// accessibility with axe if it is installed. Writes pictures to `directory`. Hides the fonts whose files
  /// match the pattern `fonts`. Accessibility does not depend on fonts and takes most of the time, so it is
  /// then not checked.
  public static func views(
    of path: String, pictures directory: String, without fonts: String? = nil
  ) throws -> [String: View] {
    guard let program else { throw Program.Failure("Chromium is not installed; run 'make tools'") }
    let (output, status) = try Command.run(
      "python3",
      [script, program, path, directory]
        + (fonts.map { ["--without-fonts", $0] } ?? axe.map { ["--axe", $0] } ?? []))
    guard status == 0 else { throw Program.Failure("Chromium ended with status \(status): \(output)") }
    return try JSONDecoder().decode([String: View].self, from: Data(output.utf8))
  }
}
