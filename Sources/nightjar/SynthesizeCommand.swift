import ArgumentParser
import CommandLine
import Synthesis
import Text

struct SynthesizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "synthesize", abstract: "Writes invented exports: the same bytes for the same arguments.",
    discussion: """
      fusion: users as Firestore documents and swipes as CSV, of which a known sprinkling is broken; prints what was \
      planted. finding-friends: travellers, their check-ins and posts as Parse objects, some of them broken. fixit: \
      customers, workers and reviewed jobs as Firestore documents, some of them broken. madra: dog owners and minders, \
      dogs and requests as Firestore documents, some of them broken. funkify: musicians, bands, labels, events, follows and \
      posts as the tree of a Realtime Database, some of it broken. crowd: up to millions of people, in files without a \
      mistake, and the pipeline.yaml for them. In fusion \
      and crowd likes come from hidden tastes, so that there is something to learn. Prints what was written, as JSON.
      """)

  enum Product: String, CaseIterable, ExpressibleByArgument {
    case fusion, crowd, fixit, madra, funkify
    case findingFriends = "finding-friends"
  }

  @Option(
    help: """
      Whose exports: \(Product.allCases.map(\.rawValue).joined(separator: ", ")) (default: crowd with \
      --swipes-per-user, else fusion).
      """)
  var like: Product?

  @Option(help: "How many people.") var users = 2000
  @Option(help: "How many swipes, for fusion (default: 60000) and madra (default: five per user).")
  var swipes: Int?
  @Option(help: "How many swipes each makes on average, for crowd (default: 50).") var swipesPerUser: Int?
  @Option(help: "How many check-ins, for finding-friends (default: five per user).") var checkIns: Int?
  @Option(help: "How many follows, for funkify (default: four per user).") var follows: Int?
  @Option(help: "How many jobs, for fixit (default: six per user).") var jobs: Int?
  @Option(
    help:
      "For crowd: \(CrowdFormat.allCases.map(\.rawValue).joined(separator: " or ")) (default: csv).")
  var format: CrowdFormat?
  @Option(
    help: "For crowd: \(CrowdCompression.allCases.map(\.rawValue).joined(separator: " or ")) (default: none)."
  )
  var compress: CrowdCompression?
  @Option(help: "Another seed gives other people.") var seed: UInt64 = 42
  @Option(name: .customLong("out"), help: "The directory to write into.") var directory: String
  @Flag(help: "Replace exports that are there.") var force = false
  @OptionGroup var threads: ThreadOptions

  private var product: Product { like ?? (swipesPerUser == nil ? .fusion : .crowd) }

  func validate() throws {
    if checkIns != nil && product != .findingFriends {
      throw ValidationError("--check-ins is for --like finding-friends.")
    }
    if follows != nil && product != .funkify {
      throw ValidationError("--follows is for --like funkify.")
    }
    if jobs != nil && product != .fixit { throw ValidationError("--jobs is for --like fixit.") }
    switch product {
    case .fusion:
      if swipesPerUser != nil || format != nil || compress != nil {
        throw ValidationError("--swipes-per-user, --format and --compress are for --like crowd.")
      }
    case .crowd:
      if swipes != nil { throw ValidationError("--swipes is for --like fusion; give --swipes-per-user.") }
    case .madra:
      if swipesPerUser != nil || format != nil || compress != nil {
        throw ValidationError("--swipes-per-user, --format and --compress are for --like crowd.")
      }
    case .findingFriends, .fixit, .funkify:
      if swipes != nil || swipesPerUser != nil || format != nil || compress != nil {
        throw ValidationError(
          "--swipes is for --like fusion; --swipes-per-user, --format and --compress are for --like crowd.")
      }
    }
  }

  func run() throws {
    try StageMain.guarded {
      switch product {
      case .fusion: try writeFusion()
      case .crowd: try writeCrowd()
      case .findingFriends: try writeFriends()
      case .fixit: try writeFixIt()
      case .madra: try writeMadra()
      case .funkify: try writeFunkify()
      }
    }
  }

  private func writeFusion() throws {
    let export = try checked { () throws(SynthesisError) in
      try FusionExport(users: users, swipes: swipes ?? 60_000, seed: seed)
    }
    try SynthesizedFiles.refuse(
      [FusionExport.usersFile, FusionExport.swipesFile], in: directory, force: force)
    let summary = try export.write(into: directory)
    Console.result(SynthesizedFiles.json(summary))
    Console.tell(
      "\(summary.documents.grouped) documents and \(summary.swipes.grouped) swipes in '\(directory)', of which "
        + "\(summary.rejectedUsers + summary.rejectedSwipes) are broken on purpose")
  }

  private func writeFriends() throws {
    let export = try checked { () throws(SynthesisError) in
      // Of a number that is out of range the export tells, and five times it may be none.
      try FriendsExport(users: users, checkIns: checkIns ?? 5 * min(max(users, 2), 1_000_000), seed: seed)
    }
    try SynthesizedFiles.refuse(FriendsExport.files, in: directory, force: force)
    let summary = try export.write(into: directory)
    Console.result(SynthesizedFiles.json(summary))
    Console.tell(
      "\(summary.users.grouped) users, \(summary.checkIns.grouped) check-ins and \(summary.posts.grouped) posts in "
        + "'\(directory)', of which \(summary.rejected) are broken on purpose")
  }

  private func writeFixIt() throws {
    let export = try checked { () throws(SynthesisError) in
      try FixItExport(customers: users, jobs: jobs ?? 6 * min(max(users, 2), 1_000_000), seed: seed)
    }
    try SynthesizedFiles.refuse(FixItExport.files, in: directory, force: force)
    let summary = try export.write(into: directory)
    Console.result(SynthesizedFiles.json(summary))
    Console.tell(
      "\(summary.customers.grouped) customers, \(summary.workers.grouped) workers and \(summary.jobs.grouped) jobs in "
        + "'\(directory)', of which \(summary.rejected) are broken on purpose")
  }

  private func writeMadra() throws {
    let export = try checked { () throws(SynthesisError) in
      // Of a number that is out of range the export tells, and five times it may be none.
      try MadraExport(users: users, swipes: swipes ?? 5 * min(max(users, 2), 100_000), seed: seed)
    }
    try SynthesizedFiles.refuse(MadraExport.files, in: directory, force: force)
    let summary = try export.write(into: directory)
    Console.result(SynthesizedFiles.json(summary))
    Console.tell(
      "\(summary.accounts.grouped) accounts, \(summary.dogs.grouped) dogs and \(summary.swipes.grouped) swipes in "
        + "'\(directory)', a few of them broken on purpose")
  }

  private func writeFunkify() throws {
    let export = try checked { () throws(SynthesisError) in
      // Of a number that is out of range the export tells, and four times it may be none.
      try FunkifyExport(musicians: users, follows: follows ?? 4 * min(max(users, 3), 100_000), seed: seed)
    }
    try SynthesizedFiles.refuse(FunkifyExport.files, in: directory, force: force)
    let summary = try export.write(into: directory)
    Console.result(SynthesizedFiles.json(summary))
    Console.tell(
      "\(summary.musicians.grouped) musicians, \(summary.events.grouped) events and \(summary.follows.grouped) follows in "
        + "'\(directory)', of which \(summary.rejected) rows are broken on purpose")
  }

  private func writeCrowd() throws {
    let export = try checked { () throws(SynthesisError) in
      try CrowdExport(
        users: users, swipesPerUser: swipesPerUser ?? 50, seed: seed, format: format ?? .csv,
        compression: compress)
    }
    try SynthesizedFiles.refuse(export.fileNames, in: directory, force: force)
    let summary = try export.write(into: directory, threads: threads.count)
    Console.result(SynthesizedFiles.json(summary))
    Console.tell(
      "\(summary.users.grouped) users and \(summary.swipes.grouped) swipes in '\(directory)'; next: nightjar run "
        + "\(directory)/\(CrowdExport.pipelineFile)")
  }

  /// An export of sizes that go together, or a mistake of the command line.
  private func checked<Export>(_ make: () throws(SynthesisError) -> Export) throws -> Export {
    do {
      return try make()
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

extension CrowdFormat: ExpressibleByArgument {}
extension CrowdCompression: ExpressibleByArgument {}
