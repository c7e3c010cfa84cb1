// swift-tools-version: 6.2
import PackageDescription

// The loop at the end applies these settings to every Swift target.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// The libraries of the tests are optimized, because they contain slow reference implementations that run
// thousands of times. The tests themselves are not optimized, because this would double the time of the
// build.
let testLibrarySettings: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

// The settings of the products. Tests do not use them: tests may use unsafe code, and benchmarks do not
// measure their speed.
let productSettings: [SwiftSetting] = [
  .strictMemorySafety(),
  // Some functions return spans of memory that their type owns, and declare the lifetime of the span.
  .enableExperimentalFeature("Lifetimes"),
  // Without this option, a call per element into another module takes 10 to 20 times as long.
  .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
  // Debug builds are optimized, because tests run the programs thousands of times.
  .unsafeFlags(["-O"], .when(configuration: .debug)),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb: [Target.Dependency] = [
  .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
]
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
  name: "nightjar",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-algorithms", from: "1.2.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // C code and system libraries.
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // The next two targets load their libraries when the program first uses them.
    .target(name: "CLAPACKE"),
    .target(name: "CPostgreSQL"),
    .target(name: "CLinux"),
    .target(name: "CBytes"),
    .target(name: "CChecksum"),
    .target(name: "CPrefetch"),
    .target(name: "CLanes"),
    .target(
      name: "CSimdJSON", cxxSettings: [.define("SIMDJSON_THREADS_ENABLED", to: "1")],
      linkerSettings: [.linkedLibrary("simdjson")]),
    // This target does not use pkg-config, because SwiftPM warns about the flags of hiredis. Compilers find
    // the header and the library by default.
    .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

    // The libraries. Each library depends only on targets above it.
    .target(name: "System", dependencies: ["CLinux"]),
    .target(name: "Concurrency", dependencies: ["System"]),
    .target(name: "Geohash"),
    .target(
      name: "LeastSquares", dependencies: ["CLAPACKE", "System"],
      // Provides `sqrt` for programs that do not load Foundation.
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(name: "Text", dependencies: ["CLinux"]),
    .target(
      name: "Files", dependencies: ["CChecksum", "CCrypto", "CLinux", "Concurrency", "System", "Text"]),
    .target(
      name: "Columns",
      dependencies: ["CPrefetch", "Files", "Text"]),
    .target(
      name: "RunSchemas",
      dependencies: ["Columns", "Concurrency", "Files", "System", "Text"]),
    .target(name: "DuckDB", dependencies: ["CLinux", "System"]),
    .target(
      name: "Readers", dependencies: ["CBytes", "CSimdJSON", "CZlib", "CZstd", "DuckDB", "System", "Text"]),
    .target(
      name: "PipelineFile",
      dependencies: ["Columns", "Files", "Geohash", "Readers", "RunSchemas", "System", "Text", yams]),
    .target(
      name: "Tombstones", dependencies: ["CCrypto", "Files", "PipelineFile", "RunSchemas", "System", "Text"]),
    .target(name: "DataContract", dependencies: ["PipelineFile", "Readers", "RunSchemas", "Text"]),
    .target(
      name: "Ingest",
      dependencies: [
        "CPrefetch", "Columns", "Concurrency", "Files", "Geohash", "PipelineFile", "Readers", "RunSchemas",
        "System", "Text", "Tombstones",
      ]),
    .target(
      name: "Index",
      dependencies: ["Columns", "Concurrency", "Files", "Geohash", "PipelineFile", "RunSchemas", "Text"]),
    .target(
      name: "Features",
      dependencies: [
        "CPrefetch", "Columns", "Concurrency", "Files", "Geohash", "PipelineFile", "RunSchemas", "Text",
      ]),
    .target(
      name: "Discovery",
      dependencies: [
        "Columns", "Concurrency", "Features", "Geohash", "LeastSquares", "RunSchemas", "Text",
        .product(name: "Algorithms", package: "swift-algorithms"),
      ]),
    .target(
      name: "Models",
      dependencies: [
        "CLanes", "Columns", "Concurrency", "Discovery", "Features", "Files", "Geohash", "Index",
        "LeastSquares",
        "PipelineFile", "RunSchemas", "System", "Text",
      ]),
    .target(
      name: "Search",
      dependencies: ["CLanes", "Columns", "Concurrency", "Features", "Geohash", "PipelineFile", "RunSchemas"]),
    .target(
      name: "Ranking",
      dependencies: [
        "Columns", "Concurrency", "Discovery", "Features", "Files", "Geohash", "Index", "PipelineFile",
        "RunSchemas",
        "Search", "Text",
      ]),
    .target(
      name: "ServingStore",
      dependencies: [
        "CHiredis", "CPostgreSQL", "CSimdJSON", "Concurrency", "Files", "Geohash", "System", "Text",
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    .target(
      name: "SnapshotEditing",
      dependencies: ["Columns", "Files", "Ingest", "PipelineFile", "RunSchemas", "Text", "Tombstones"]),
    .target(
      name: "Checking",
      dependencies: [
        "Columns", "Features", "Files", "Geohash", "Index", "Ingest", "PipelineFile", "Ranking", "Readers",
        "RunSchemas", "Text", "Tombstones",
      ]),
    .target(
      name: "Parquet",
      dependencies: [
        "Columns", "DuckDB", "Features", "Files", "PipelineFile", "Ranking", "RunSchemas", "Text",
      ]),
    .target(
      name: "Evaluation",
      dependencies: [
        "Columns", "Concurrency", "Discovery", "Features", "Files", "Geohash", "Index", "Models",
        "PipelineFile",
        "Ranking", "RunSchemas", "Search", "SnapshotEditing", "System", "Text",
      ]),
    .target(
      name: "Reports",
      dependencies: [
        "CLinux", "Columns", "Files", "Geohash", "PipelineFile", "Readers", "RunSchemas", "System", "Text",
        .product(name: "Mustache", package: "swift-mustache"),
      ]),
    .target(
      name: "Synthesis",
      dependencies: [
        "CZlib", "CZstd", "Concurrency", "Files", .product(name: "Algorithms", package: "swift-algorithms"),
      ]),
    .target(
      name: "Publishing",
      dependencies: [
        "Columns", "Files", "Geohash", "Index", "PipelineFile", "RunSchemas", "ServingStore", "System",
        "Text", "Tombstones",
      ]),
    .target(
      name: "Erasure",
      dependencies: [
        "Columns", "Features", "Files", "Index", "PipelineFile", "Publishing", "RunSchemas", "ServingStore",
        "SnapshotEditing", "System", "Text", "Tombstones",
      ]),
    // The common code of all commands. Every command loads the dependencies of this target.
    .target(
      name: "CommandLine",
      dependencies: [
        "CLinux", "Concurrency", "Files", "PipelineFile", "Readers", "RunSchemas", "System", "Text",
        argumentParser,
      ]),
    .target(
      name: "NightlyRuns",
      dependencies: [
        "CLinux", "CommandLine", "Concurrency", "DuckDB", "Files", "Ingest", "LeastSquares", "PipelineFile",
        "Publishing", "Readers", "RunSchemas", "ServingStore", "System", "Text", "Tombstones",
      ]),

    // The program. Its subcommands are the stages and all other commands.
    .executableTarget(
      name: "nightjar",
      dependencies: [
        "Checking", "CommandLine", "Concurrency", "DataContract", "Erasure", "Evaluation", "Files", "Geohash",
        "Index", "Ingest", "Models", "NightlyRuns", "Parquet", "PipelineFile", "Publishing", "Ranking",
        "Readers",
        "Reports", "RunSchemas", "ServingStore", "Synthesis", "System", "Text", "Tombstones", argumentParser,
      ]),

    // The program of the benchmarks.
    .executableTarget(
      name: "kernels",
      dependencies: [
        "Columns", "CommandLine", "Concurrency", "Files", "LeastSquares", "Models", "PipelineFile",
        "Ranking", "RunSchemas", "Search", "System", argumentParser,
      ],
      path: "Benchmarks/Kernels"),

    .target(name: "CLeakSuppressions", path: "Tests/CLeakSuppressions"),
    .target(name: "CSyncs", path: "Tests/CSyncs"),
    .target(name: "TestSupport", dependencies: ["CLeakSuppressions", "CSyncs"], path: "Tests/TestSupport"),
    .target(
      name: "IngestFixture",
      dependencies: [
        "Columns", "Files", "Ingest", "PipelineFile", "Readers", "RunSchemas", "TestSupport", "Text",
      ], path: "Tests/IngestFixture"),
    .target(
      name: "StageFixture",
      dependencies: [
        "Columns", "Concurrency", "Evaluation", "Files", "Index", "Ingest", "Models", "PipelineFile",
        "Ranking", "RunSchemas", "Text",
      ],
      path: "Tests/StageFixture"),
    .target(
      name: "ParserChecks", dependencies: ["CLinux", "Geohash", "PipelineFile", "Readers", "Text"],
      path: "Tests/Fuzz/Checks"),
    .testTarget(name: "FuzzTests", dependencies: ["ParserChecks", "TestSupport"]),
    .testTarget(
      name: "FeaturesTests",
      dependencies: [
        "Columns", "Concurrency", "Features", "Files", "Geohash", "PipelineFile", "RunSchemas",
        "StageFixture", "Text",
      ]),
    .testTarget(
      name: "DiscoveryTests",
      dependencies: [
        "Columns", "Concurrency", "Discovery", "Features", "Files", "Geohash", "LeastSquares", "PipelineFile",
        "RunSchemas", "StageFixture", "TestSupport", "Text",
      ]),
    .testTarget(
      name: "ModelsTests",
      dependencies: [
        "Columns", "Concurrency", "Discovery", "Features", "Files", "Geohash", "Models", "PipelineFile",
        "RunSchemas", "StageFixture", "System", "TestSupport", "Text",
      ]),
    .testTarget(
      name: "SearchTests",
      dependencies: [
        "Columns", "Concurrency", "Features", "Files", "Geohash", "Index", "Ingest", "PipelineFile",
        "Ranking", "RunSchemas", "Search", "StageFixture", "Text",
      ]),
    .testTarget(
      name: "RankingTests",
      dependencies: [
        "Checking", "Columns", "Concurrency", "Files", "Geohash", "Index", "Ingest", "Models", "PipelineFile",
        "Ranking", "RunSchemas", "Search", "StageFixture", "Text",
      ]),
    .testTarget(
      name: "EvaluationTests",
      dependencies: [
        "Columns", "Concurrency", "Evaluation", "Files", "Index", "Ingest", "Models", "PipelineFile",
        "Ranking",
        "RunSchemas", "SnapshotEditing", "StageFixture", "System", "TestSupport", "Text",
      ]),
    .testTarget(
      name: "TombstonesTests",
      dependencies: [
        "Columns", "Files", "PipelineFile", "RunSchemas", "System", "TestSupport", "Text", "Tombstones",
      ]),
    .testTarget(
      name: "ErasureTests",
      dependencies: [
        "Columns", "Concurrency", "Erasure", "Files", "Ingest", "PipelineFile", "Publishing", "RunSchemas",
        "ServingStore", "StageFixture", "System", "TestSupport", "Text", "Tombstones",
      ]),
    .testTarget(
      name: "DocumentationTests",
      // The program is a dependency, because the tests compare the reference with its output.
      dependencies: [
        "Ingest", "PipelineFile", "ServingStore", "System", "TestSupport", "nightjar",
      ]),
    .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency"]),
    .testTarget(name: "GeohashTests", dependencies: ["Concurrency", "Geohash", "TestSupport"]),
    .testTarget(name: "DuckDBTests", dependencies: ["Concurrency", "DuckDB", "TestSupport"]),
    .testTarget(
      name: "ReadersTests",
      dependencies: [
        "CZlib", "CZstd", "Concurrency", "ParserChecks", "Readers", "System", "TestSupport", "Text",
      ]),
    .testTarget(name: "LeastSquaresTests", dependencies: ["Concurrency", "LeastSquares", "TestSupport"]),
    .testTarget(
      name: "ServingStoreTests",
      dependencies: [
        "Concurrency", "Files", "Geohash", "ServingStore", "System", "TestSupport", "Text",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "StageTests",
      // The program is a dependency, because these tests run it.
      dependencies: [
        "Columns", "Concurrency", "Files", "Geohash", "RunSchemas", "ServingStore", "TestSupport", "Text",
        "nightjar",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], exclude: ["Versions/Version010"]),
    .testTarget(name: "SystemTests", dependencies: ["System"]),
    .testTarget(
      name: "PublishingTests",
      dependencies: [
        "Files", "Geohash", "PipelineFile", "Publishing", "RunSchemas", "ServingStore", "StageFixture",
        "System", "TestSupport", "Text", "Tombstones", .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "RunSchemasTests",
      dependencies: ["Columns", "Files", "RunSchemas", "System", "TestSupport", "Text"]),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "Columns", "Concurrency", "Files", "Geohash", "Ingest", "PipelineFile", "Reports", "RunSchemas",
        "StageFixture",
        "System", "TestSupport", "Text",
      ]),
    .testTarget(
      name: "SynthesisTests", dependencies: ["Concurrency", "Files", "Synthesis", "TestSupport"]),
    .testTarget(
      name: "TextTests",
      dependencies: ["Columns", "Concurrency", "Files", "RunSchemas", "TestSupport", "Text"]),
    .testTarget(
      name: "FilesTests",
      dependencies: [
        "CChecksum", "Columns", "Concurrency", "Files", "RunSchemas", "System", "TestSupport", "Text",
      ]),
    .testTarget(
      name: "ColumnsTests",
      dependencies: ["Columns", "Concurrency", "Files", "RunSchemas", "TestSupport", "Text"]),
    .testTarget(
      name: "PipelineFileTests",
      dependencies: [
        "Columns", "Concurrency", "Files", "Geohash", "IngestFixture", "PipelineFile", "Readers",
        "RunSchemas",
        "TestSupport", "Text",
      ]),
    .testTarget(
      name: "DataContractTests",
      dependencies: ["DataContract", "PipelineFile", "Readers", "TestSupport", "Text"]),
    .testTarget(
      name: "IngestTests",
      dependencies: [
        "Checking", "Columns", "Concurrency", "Files", "Geohash", "Ingest", "IngestFixture", "PipelineFile",
        "Readers", "RunSchemas", "SnapshotEditing", "System", "TestSupport", "Text", "Tombstones",
      ]),
    .testTarget(
      name: "SnapshotEditingTests",
      dependencies: [
        "Columns", "Concurrency", "Files", "Ingest", "IngestFixture", "PipelineFile", "RunSchemas",
        "SnapshotEditing", "TestSupport", "Text", "Tombstones",
      ]),
    .testTarget(
      name: "CheckingTests",
      dependencies: [
        "Checking", "Columns", "Concurrency", "Ingest", "IngestFixture", "PipelineFile", "RunSchemas",
        "StageFixture", "TestSupport", "Text", "Tombstones",
      ]),
    .testTarget(
      name: "IndexTests",
      dependencies: [
        "Columns", "Concurrency", "Files", "Geohash", "Index", "Ingest", "PipelineFile", "RunSchemas",
        "TestSupport", "Text",
      ]),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "CommandLine", "Concurrency", "DuckDB", "Evaluation", "Files", "Ingest", "LeastSquares", "Models",
        "PipelineFile", "Readers", "RunSchemas", "ServingStore", "System", "Text", "Tombstones",
        argumentParser,
      ]),
    .testTarget(
      name: "ParquetTests",
      dependencies: [
        "Columns", "DuckDB", "Files", "Parquet", "PipelineFile", "RunSchemas", "StageFixture", "TestSupport",
        "Text",
      ]),
    .testTarget(
      name: "NightlyRunsTests",
      dependencies: [
        "CommandLine", "Concurrency", "Files", "NightlyRuns", "PipelineFile", "RunSchemas", "ServingStore",
        "System", "TestSupport", "Text", "Tombstones",
      ]),
  ],
  cxxLanguageStandard: .cxx17
)

// The fuzz targets, and the coverage counters that guide libFuzzer. They exist only for `make fuzz`, which
// sets the path of libFuzzer's archive.
if let fuzzer = Context.environment["NIGHTJAR_FUZZ"] {
  let parsers = [
    "csv", "tsv", "jsonl", "json", "firestore", "parse", "realtime", "gzip", "zstd", "scalars", "pipeline",
    "geohash", "validation",
  ]
  package.targets += [
    .target(name: "CLibFuzzer", path: "Tests/Fuzz/CLibFuzzer"),
    .target(
      name: "FuzzDriver", dependencies: ["CLeakSuppressions", "CLibFuzzer", "ParserChecks"],
      path: "Tests/Fuzz/Driver", linkerSettings: [.unsafeFlags([fuzzer, "-lstdc++"])]),
  ]
  package.targets += parsers.map { parser in
    .executableTarget(
      name: "fuzz-\(parser)", dependencies: ["FuzzDriver", "ParserChecks"],
      path: "Tests/Fuzz/Programs/\(parser)")
  }
  let counters = "edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table"
  for target in package.targets where ["Readers", "Geohash", "PipelineFile"].contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-sanitize-coverage=\(counters)"])]
  }
  for target in package.targets where target.name == "CSimdJSON" {
    target.cxxSettings = (target.cxxSettings ?? []) + [.unsafeFlags(["-fsanitize=fuzzer-no-link"])]
  }
}

// The names of C targets start with C and another capital letter.
for target in package.targets where target.name.prefixMatch(of: /C[A-Z]/) == nil {
  let isTest = target.path?.hasPrefix("Tests/") ?? (target.type == .test)
  let own = target.type == .test ? [] : isTest ? testLibrarySettings : productSettings
  target.swiftSettings = (target.swiftSettings ?? []) + settings + own
}
