import Files
import Foundation
import ServingStore
import Synchronization
import Testing
import TestSupport

/// The real program publishes many times. A quarter of the publishes are killed at random times,
/// while readers poll. No reader may see a partial or missing generation, or an older generation
/// after a newer one.
///
/// An ordinary test run publishes a few times. `make soak` publishes 200 times, and readers poll at least
/// 100,000 times.
struct SoakTests {
  private static let publishes = Soak.count(12, soak: 200)
  private static let polls = Soak.count(200, soak: 100_000)
  private static let users = 3000

  enum Store: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite, postgresql, redis

    static let allCases =
      [sqlite] + (PostgreSQLServer.isAvailable ? [postgresql] : []) + (RedisServer.isAvailable ? [redis] : [])

    var testDescription: String { rawValue }

    /// The address of an empty store: a file in `directory` or a server of the tests.
    func address(in directory: String) throws -> String {
      switch self {
      case .sqlite: "sqlite:" + directory + "/serving.sqlite"
      case .postgresql: try PostgreSQLServer.database()
      case .redis: "redis://127.0.0.1:\(try RedisServer.port())/\(RedisServer.database())"
      }
    }
  }

  /// The errors that readers found and the number of their polls.
  private final class Watch: Sendable {
    let complaints = Mutex<[String]>([])
    let polls = Atomic(0)
    let isDone = Atomic(false)

    func complain(_ text: String) { complaints.withLock { $0.append(text) } }
  }

  @Test(arguments: Store.allCases)
  func `readers see only complete generations in order, even if publishes are killed`(store: Store) throws {
    let product = try SmallProduct()
    let address = try store.address(in: product.directory.path)
    try product.replace("store: \"sqlite:serving.sqlite\"", by: "store: \"\(address)\"")
    try #require(try product.run("--until", "rank").ending == .status(0))
    var random = SystemRandomNumberGenerator()

    try night(1, product)
    #expect(try publish(1, product) == .status(0))
    let watch = Watch()
    let readers = DispatchGroup()
    for _ in 0..<3 {
      readers.enter()
      Thread.detachNewThread {
        defer { readers.leave() }
        poll(address, watch)
      }
    }
    defer {
      watch.isDone.store(true, ordering: .releasing)
      readers.wait()
    }
    var served = 1
    var number = 1
    while number <= Self.publishes || watch.polls.load(ordering: .relaxed) < Self.polls {
      number += 1
      try night(number, product)
      let delay = number % 4 == 0 ? Double.random(in: 0...0.25, using: &random) : nil
      let ending = try publish(number, product, killedAfter: delay)
      if delay != nil, store == .redis { try endLock(address) }
      if ending == .status(0) {
        served = number
      } else {
        #expect(delay != nil, "publish \(number): \(ending)")
      }
      try FileManager.default.removeItem(atPath: product.run(number))
      if watch.complaints.withLock({ !$0.isEmpty }) { break }
    }
    // If the kill came too late, the newest generation may be served although the publisher
    // reported no success.
    #expect(try publish(served, product, isAvailable: false) == .status(0))
    watch.isDone.store(true, ordering: .releasing)
    readers.wait()
    #expect(watch.complaints.withLock { $0 } == [])
    #expect(watch.polls.load(ordering: .relaxed) >= 3)
  }

  /// Removes the lock of a killed publisher. Otherwise it would last for half a minute.
  private func endLock(_ address: String) throws {
    let database = address.split(separator: "/").last.flatMap { Int($0) } ?? 0
    _ = try RedisServer.run(["DEL", "nightjar:{small}:lock"], database: database)
  }

  /// Repeatedly reads the lists of some users in one generation.
  private func poll(_ address: String, _ watch: Watch) {
    do {
      let store = try StoreAddress(parsing: address, relativeTo: "/").open(for: .reading)
      var last = 0
      var random = SystemRandomNumberGenerator()
      while !watch.isDone.load(ordering: .acquiring) {
        let found = try store.read(pipeline: "small") { generation -> (Int, Set<String>) in
          var found: Set = ["\"run\":\(generation.summary.run),"]
          for _ in 0..<5 {
            let user = StoredID("u\(Int.random(in: 0..<Self.users, using: &random))")
            let document = try generation.document(list: "partners", user: user)
            let text = document.map { String(decoding: $0, as: UTF8.self) } ?? "missing"
            found.insert(text.split(separator: " ").dropFirst().first.map(String.init) ?? text)
          }
          return (generation.summary.number, found)
        }
        guard let (number, texts) = found else { return watch.complain("nothing is served") }
        if texts.count != 1 { watch.complain("generation \(number) is mixed: \(texts)") }
        if number < last { watch.complain("\(number) came after \(last)") }
        last = number
        watch.polls.wrappingAdd(1, ordering: .relaxed)
      }
    } catch {
      watch.complain("\(error)")
    }
  }

  /// Creates a run directory in which all documents contain the number of the run.
  private func night(_ number: Int, _ product: SmallProduct) throws {
    if number > 1 { try FileManager.default.copyItem(atPath: product.run(1), toPath: product.run(number)) }
    var lines = ""
    for user in 0..<Self.users {
      lines += "{\"user\":\"u\(user)\", \"run\":\(number), \"recommendations\":[], \"shortfall\":null}\n"
    }
    try lines.write(
      toFile: product.run(number) + "/rankings/partners/part-00000.jsonl", atomically: false, encoding: .utf8)
    // The manifest must match the new lists. Without checksums, only lengths are compared.
    let rankings = product.run(number) + "/rankings"
    var manifest = try Manifest(of: rankings)
    for index in manifest.outputs.indices {
      manifest.outputs[index].crc32c = nil
      if manifest.outputs[index].path.hasSuffix("part-00000.jsonl"),
        manifest.outputs[index].path.contains("partners/")
      {
        manifest.outputs[index].bytes = lines.utf8.count
      }
    }
    try Data(manifest.json).write(to: URL(filePath: rankings + "/manifest.json"))
  }

  private func publish(
    _ number: Int, _ product: SmallProduct, killedAfter delay: Double? = nil, isAvailable: Bool = true
  ) throws -> Program.Ending {
    if !isAvailable, number > 1 { try night(number, product) }
    let arguments = [product.pipelineFile, "--run-dir", product.run(number), "--force", "--quiet"]
    guard let delay else { return try Program.run("nightjar-publish", arguments).ending }
    let process = Process()
    process.executableURL = URL(filePath: Program.products + "/nightjar-publish")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    Thread.sleep(forTimeInterval: delay)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return process.terminationReason == .exit
      ? .status(process.terminationStatus) : .signal(process.terminationStatus)
  }
}
