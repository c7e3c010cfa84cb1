import Foundation
import TestSupport

extension MarkdownPage {
  /// Every Markdown file of the repository.
  static func repository() throws -> [MarkdownPage] {
    let root = SharedData.repository.path
    let names = try FileManager.default.contentsOfDirectory(atPath: root).sorted()
    // These folders contain the outputs of builds and runs.
    return try names.filter { ![".build", ".git", ".swiftpm", "var"].contains($0) }.flatMap { name in
      name.hasSuffix(".md") ? [try MarkdownPage(name)] : try MarkdownPage.pages(in: name)
    }
  }
}
