import ArgumentParser
import CommandLine
import Files
internal import RunSchemas
import Synthesis
internal import System
import Text

struct SynthesizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "synthesize",
    abstract: "Writes synthetic exports. The same arguments give the same bytes.",
    discussion: """
      Prints a summary as JSON. The products are:

        fusion           users as Firestore documents, and swipes as CSV
        finding-friends  travelers, check-ins and posts as Parse objects
        fixit            customers, workers and reviewed jobs as Firestore documents
        madra            dog owners, minders, dogs and swipes as Firestore documents
        funkify          musicians, bands, events, follows and posts as a Realtime Database
        crowd            up to millions of users and their swipes, with a pipeline.yaml

      All products except crowd contain a few broken rows on purpose. In fusion, madra and crowd, likes follow hidden tastes \
      that a model can learn.


      """ + ExitStatus.table, version: Tool.version)

  enum Product: String, CaseIterable, ExpressibleByArgument {
    case fusion, crowd, fixit, madra, funkify
    case findingFriends = "finding-friends"
  }

  @Option(
    help: """
      The product: \(Product.allCases.map(\.rawValue).joined(separator: ", ")) (default: crowd with \
      --swipes-per-user, otherwise fusion).
      """)
  var like: Product?

  @Option(help: "The number of people.") var users = 2000
  @Option(help: "The number of swipes, for fusion (default: 60000) and madra (default: five per user).")
  var swipes: Int?
  @Option(help: "The average number of swipes per person, for crowd (default: 50).") var swipesPerUser: Int?
  @Option(help: "The number of check-ins, for finding-friends (default: five per user).") var checkIns: Int?
  @Option(help: "The number of follows, for funkify (default: four per user).") var follows: Int?
  @Option(help: "The number of jobs, for fixit (default: six per user).") var jobs: Int?
  @Option(
    help:
      "The format, for crowd: \(CrowdFormat.allCases.map(\.rawValue).joined(separator: " or ")) (default: csv)."
  )
  var format: CrowdFormat?
  @Option(
    help:
      "The compression, for crowd: \(CrowdCompression.allCases.map(\.rawValue).joined(separator: " or ")) (default: none)."
  )
  var compress: CrowdCompression?
  @Option(help: "The seed of the random numbers. Another seed gives other people.") var seed: UInt64 = 42
  @Option(name: .customLong("out"), help: "The output directory.") var directory: String
  @Flag(help: "Replace existing exports.") var force = false
  @OptionGroup var threads: ThreadOptions

  private var product: Product { like ?? (swipesPerUser == nil ? .fusion : .crowd) }

  /// The options that are valid only for some products.
  private var options: [(name: String, isGiven: Bool, products: [Product])] {
    [
      ("--swipes", swipes != nil, [.fusion, .madra]), ("--swipes-per-user", swipesPerUser != nil, [.crowd]),
      ("--check-ins", checkIns != nil, [.findingFriends]), ("--follows", follows != nil, [.funkify]),
      ("--jobs", jobs != nil, [.fixit]), ("--format", format != nil, [.crowd]),
      ("--compress", compress != nil, [.crowd]),
    ]
  }

  func validate() throws {
    for option in options where option.isGiven && !option.products.contains(product) {
      let products = option.products.map(\.rawValue).joined(separator: " or ")
      throw ValidationError("\(option.name) requires --like \(products).")
    }
  }

  func run() throws {
    try StageMain.guarded {
      switch product {
      case .fusion:
        try write(FusionExport(users: users, swipes: swipes ?? 60_000, seed: seed)) {
          "\($0.documents.grouped) documents and \($0.swipes.grouped) swipes in '\(directory)'; "
            + "\(($0.usersBreaking.rejected + $0.swipesBreaking.rejected).grouped) of them are broken on purpose"
        }
      case .crowd:
        let swipes = swipesPerUser ?? 50
        try write(
          CrowdExport(
            users: users, swipesPerUser: swipes, seed: seed, format: format ?? .csv, compression: compress)
        ) {
          "\($0.users.grouped) users and \($0.swipes.grouped) swipes in '\(directory)'; next: nightjar run "
            + "\(directory)/\(CrowdExport.pipelineFile)"
        }
      case .findingFriends:
        let checkIns = checkIns ?? 5 * usersInRange(upTo: 1_000_000)
        try write(FriendsExport(users: users, checkIns: checkIns, seed: seed)) {
          "\($0.users.grouped) users, \($0.checkIns.grouped) check-ins and \($0.posts.grouped) posts in "
            + "'\(directory)'; \($0.rejected.grouped) of them are broken on purpose"
        }
      case .fixit:
        let jobs = jobs ?? 6 * usersInRange(upTo: 1_000_000)
        try write(FixItExport(customers: users, jobs: jobs, seed: seed)) {
          "\($0.customers.grouped) customers, \($0.workers.grouped) workers and \($0.jobs.grouped) jobs in "
            + "'\(directory)'; \($0.rejected.grouped) of them are broken on purpose"
        }
      case .madra:
        let swipes = swipes ?? 5 * usersInRange(upTo: 100_000)
        try write(MadraExport(users: users, swipes: swipes, seed: seed)) {
          "\($0.accounts.grouped) accounts, \($0.dogs.grouped) dogs and \($0.swipes.grouped) swipes in "
            + "'\(directory)', a few of them broken on purpose"
        }
      case .funkify:
        let follows = follows ?? 4 * usersInRange(upTo: 100_000)
        try write(FunkifyExport(musicians: users, follows: follows, seed: seed)) {
          "\($0.musicians.grouped) musicians, \($0.events.grouped) events and \($0.follows.grouped) follows in "
            + "'\(directory)'; \($0.rejected.grouped) rows are broken on purpose"
        }
      }
    }
  }

  /// Returns the number of users, clamped to a range in which its multiples do not overflow. The export
  /// rejects a number outside its own limits.
  private func usersInRange(upTo most: Int) -> Int { min(max(users, 3), most) }

  /// Writes `export`, prints its counts as JSON, and then prints the message that `closing` returns.
  ///
  /// - Throws: `ValidationError` if a number is outside its range; `FileError` if a file exists and `--force`
  ///   is not given, or if a file cannot be written.
  private func write<Export: SyntheticExport>(
    _ export: @autoclosure () throws(SynthesisError) -> Export, _ closing: (Export.Summary) -> String
  ) throws {
    let made: Export
    do {
      made = try export()
    } catch {
      throw ValidationError("\(error)")
    }
    for name in made.fileNames where !force && Directories.exists(directory + "/" + name) {
      throw FileError(
        .create, directory + "/" + name, reason: "it already exists", advice: "To replace it, add --force.")
    }
    let summary = try made.write(into: directory, threads: threads.count)
    Console.result(String(decoding: JSONValue.encoded(summary).dropLast(), as: UTF8.self))
    Console.print(closing(summary))
  }
}

extension CrowdFormat: ExpressibleByArgument {}
extension CrowdCompression: ExpressibleByArgument {}
