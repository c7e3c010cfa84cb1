// swift-tools-version: 6.2
import PackageDescription

// Every target gets these settings in the loop at the end.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Products only: tests may be as unsafe as they like, and are not measured.
let productSettings: [SwiftSetting] = [
  .strictMemorySafety(),
  // Types that own memory lend it out as spans.
  .enableExperimentalFeature("Lifetimes"),
  // A call per element into another module costs 10 to 20 times as much without this.
  .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
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
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // What Swift cannot call by itself.
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CLAPACKE", pkgConfig: "lapacke openblas",
      providers: [.apt(["liblapacke-dev", "libopenblas-dev"])]),
    .target(name: "CLinux"),
    .target(name: "CBytes"),
    .target(name: "CPrefetch"),
    .target(name: "CLanes"),
    .target(name: "CStart"),
    .target(
      name: "CSimdJSON", cxxSettings: [.define("SIMDJSON_THREADS_ENABLED", to: "1")],
      linkerSettings: [.linkedLibrary("simdjson")]),
    // Without pkg-config, whose flags SwiftPM warns of: the header and the library stand where compilers look.
    .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

    // The libraries, each knowing only those above it.
    .target(name: "Processes", dependencies: ["CLinux"]),
    .target(name: "Reproducible", dependencies: ["Processes"]),
    .target(name: "Geohash"),
    .target(
      name: "LeastSquares", dependencies: ["CLAPACKE", "Processes"],
      // `sqrt` of a program that does not load Foundation.
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(name: "Tables", dependencies: ["CCrypto", "CLinux", "CPrefetch", "Processes", "Reproducible"]),
    .target(name: "Erasure", dependencies: ["CCrypto", "Processes", "Tables"]),
    .target(name: "DuckDB", dependencies: ["CLinux", "Processes"]),
    .target(
      name: "Exports", dependencies: ["CBytes", "CSimdJSON", "CZlib", "CZstd", "DuckDB", "Processes"]),
    .target(
      name: "PipelineFile", dependencies: ["Exports", "Geohash", "Processes", "Tables", yams]),
    .target(name: "DataContract", dependencies: ["Exports", "PipelineFile", "Tables"]),
    .target(
      name: "Ingest",
      dependencies: [
        "CPrefetch", "Erasure", "Exports", "Geohash", "PipelineFile", "Processes", "Reproducible", "Tables",
      ]),
    .target(name: "SpatialIndex", dependencies: ["Geohash", "PipelineFile", "Reproducible", "Tables"]),
    .target(
      name: "Features",
      dependencies: ["CLanes", "CPrefetch", "Geohash", "PipelineFile", "Reproducible", "Tables"]),
    .target(
      name: "Preferences",
      dependencies: [
        "CLanes", "Features", "Geohash", "LeastSquares", "PipelineFile", "Processes", "Reproducible",
        "SpatialIndex", "Tables",
      ]),
    .target(
      name: "Ranking",
      dependencies: ["Features", "Geohash", "PipelineFile", "Reproducible", "SpatialIndex", "Tables"]),
    .target(
      name: "ServingStore",
      dependencies: grdb + [
        "CHiredis", "CPostgreSQL", "CSimdJSON", "Erasure", "Geohash", "Processes", "Reproducible", "Tables",
      ]),
    .target(
      name: "ParquetExport",
      dependencies: ["DuckDB", "Features", "PipelineFile", "Ranking", "Tables"]),
    .target(
      name: "Evaluation",
      dependencies: [
        "Features", "Geohash", "Ingest", "PipelineFile", "Preferences", "Processes", "Ranking",
        "Reproducible", "SpatialIndex", "Tables",
      ]),
    .target(
      name: "ErasedRuns",
      dependencies: ["Erasure", "Features", "Ingest", "PipelineFile", "SpatialIndex", "Tables"]),
    .target(
      name: "Reports",
      dependencies: [
        "CLinux", "Geohash", "PipelineFile", "Processes", "Tables",
        .product(name: "Mustache", package: "swift-mustache"),
      ]),
    .target(name: "Synthesis", dependencies: ["CZlib", "CZstd", "Reproducible", "Tables"]),
    // What all programs do around their work; what it needs, every program loads.
    .target(
      name: "StageSupport",
      dependencies: [
        "CLinux", "Erasure", "Exports", "PipelineFile", "Processes", "Reproducible", "Tables", argumentParser,
      ]),
    .target(
      name: "NightlyRuns",
      dependencies: [
        "DuckDB", "Erasure", "Exports", "Ingest", "LeastSquares", "PipelineFile", "Processes", "Reproducible",
        "ServingStore", "StageSupport", "Tables",
      ]),

    // The programs, each one call into a library; CStart for those that load OpenBLAS.
    .executableTarget(
      name: "nightjar-ingest",
      dependencies: ["Erasure", "Ingest", "StageSupport", "Tables", argumentParser]),
    .executableTarget(
      name: "nightjar-index", dependencies: ["SpatialIndex", "StageSupport", argumentParser]),
    .executableTarget(
      name: "nightjar-fit", dependencies: ["CStart", "Preferences", "StageSupport", argumentParser]),
    .executableTarget(
      name: "nightjar-rank", dependencies: ["Ranking", "StageSupport", argumentParser]),
    .executableTarget(
      name: "nightjar-evaluate",
      dependencies: ["CStart", "Evaluation", "StageSupport", "Tables", argumentParser]),
    .executableTarget(
      name: "nightjar-report",
      dependencies: ["PipelineFile", "Reports", "StageSupport", "Tables", argumentParser]),
    .executableTarget(
      name: "nightjar-publish",
      dependencies: [
        "Geohash", "PipelineFile", "ServingStore", "SpatialIndex", "StageSupport", "Tables",
        argumentParser,
      ]),
    .executableTarget(
      name: "nightjar",
      dependencies: [
        "CStart", "DataContract", "DuckDB", "ErasedRuns", "Erasure", "Features", "Geohash", "Ingest",
        "NightlyRuns", "ParquetExport", "PipelineFile", "Preferences", "Processes", "ServingStore",
        "StageSupport", "Synthesis", "Tables", argumentParser,
      ]),

    // What is measured beside other programs.
    .executableTarget(
      name: "kernels",
      dependencies: [
        "CStart",
        "LeastSquares", "PipelineFile", "Preferences", "Ranking", "StageSupport", "Tables", argumentParser,
      ],
      path: "Benchmarks/Kernels"),

    .target(name: "CLeakSuppressions", path: "Tests/CLeakSuppressions"),
    .target(name: "TestSupport", dependencies: ["CLeakSuppressions"], path: "Tests/TestSupport"),
    .target(
      name: "StageFixture",
      dependencies: [
        "Evaluation", "Ingest", "PipelineFile", "Preferences", "Ranking", "Reproducible", "SpatialIndex",
        "Tables",
      ],
      path: "Tests/StageFixture"),
    .target(
      name: "ParserChecks", dependencies: ["CLinux", "Exports", "Geohash", "PipelineFile", "Tables"],
      path: "Tests/Fuzz/Checks"),
    .testTarget(name: "FuzzTests", dependencies: ["ParserChecks", "TestSupport"]),
    .testTarget(
      name: "FeaturesTests",
      dependencies: [
        "Features", "Geohash", "PipelineFile", "Reproducible", "StageFixture", "Tables",
      ]),
    .testTarget(
      name: "PreferencesTests",
      dependencies: [
        "Features", "Geohash", "PipelineFile", "Preferences", "Reproducible", "StageFixture", "Tables",
        "TestSupport",
      ]),
    .testTarget(
      name: "RankingTests",
      dependencies: [
        "Features", "Geohash", "Ingest", "PipelineFile", "Ranking", "Reproducible", "SpatialIndex",
        "StageFixture", "Tables",
      ]),
    .testTarget(
      name: "EvaluationTests",
      dependencies: [
        "Evaluation", "PipelineFile", "Ranking", "Reproducible", "StageFixture", "Tables", "TestSupport",
      ]),
    .testTarget(name: "ErasureTests", dependencies: ["Erasure", "Tables", "TestSupport"]),
    .testTarget(
      name: "ErasedRunsTests",
      dependencies: [
        "ErasedRuns", "Erasure", "Evaluation", "Features", "Ingest", "PipelineFile", "Preferences", "Ranking",
        "Reproducible", "SpatialIndex", "StageFixture", "Tables", "TestSupport",
      ]),
    .testTarget(name: "ReproducibleTests", dependencies: ["Reproducible"]),
    .testTarget(name: "GeohashTests", dependencies: ["Geohash", "Reproducible", "TestSupport"]),
    .testTarget(name: "DuckDBTests", dependencies: ["DuckDB", "Reproducible", "TestSupport"]),
    .testTarget(
      name: "ExportsTests",
      dependencies: ["CZlib", "CZstd", "Exports", "ParserChecks", "Reproducible", "TestSupport"]),
    .testTarget(name: "LeastSquaresTests", dependencies: ["LeastSquares", "Reproducible", "TestSupport"]),
    .testTarget(
      name: "ServingStoreTests",
      dependencies: [
        "Erasure", "Geohash", "Reproducible", "ServingStore", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "StageTests",
      // The programs, so that they are built: these tests run them.
      dependencies: [
        "Geohash", "Reproducible", "ServingStore", "Tables", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
        "nightjar",
        "nightjar-evaluate", "nightjar-fit", "nightjar-index",
        "nightjar-ingest",
        "nightjar-publish", "nightjar-rank", "nightjar-report",
      ]),
    .testTarget(name: "ReportsTests", dependencies: ["Reports", "Tables", "TestSupport"]),
    .testTarget(name: "SynthesisTests", dependencies: ["Reproducible", "Synthesis", "Tables"]),
    .testTarget(name: "TablesTests", dependencies: ["Reproducible", "Tables", "TestSupport"]),
    .testTarget(
      name: "PipelineFileTests",
      dependencies: ["Exports", "PipelineFile", "Reproducible", "Tables", "TestSupport"]),
    .testTarget(
      name: "DataContractTests",
      dependencies: ["DataContract", "Exports", "PipelineFile", "Tables", "TestSupport"]),
    .testTarget(
      name: "IngestTests",
      dependencies: [
        "Erasure", "Exports", "Geohash", "Ingest", "PipelineFile", "Reproducible", "Tables", "TestSupport",
      ]),
    .testTarget(
      name: "SpatialIndexTests",
      dependencies: [
        "Geohash", "Ingest", "PipelineFile", "Reproducible", "SpatialIndex", "Tables", "TestSupport",
      ]),
    .testTarget(
      name: "StageSupportTests",
      dependencies: [
        "DuckDB", "Erasure", "Evaluation", "Exports", "Ingest", "LeastSquares", "PipelineFile", "Preferences",
        "Processes", "ServingStore", "StageSupport", "Tables", "TestSupport", argumentParser,
      ]),
    .testTarget(
      name: "NightlyRunsTests",
      dependencies: [
        "NightlyRuns", "PipelineFile", "Processes", "StageSupport", "Tables", "TestSupport",
      ]),
  ],
  cxxLanguageStandard: .cxx17
)

// `make fuzz` alone, which names libFuzzer's archive: the fuzzer's programs, and the counters that guide it.
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
  for target in package.targets where ["Exports", "Geohash", "PipelineFile"].contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-sanitize-coverage=\(counters)"])]
  }
  for target in package.targets where target.name == "CSimdJSON" {
    target.cxxSettings = (target.cxxSettings ?? []) + [.unsafeFlags(["-fsanitize=fuzzer-no-link"])]
  }
}

for target in package.targets where !target.name.hasPrefix("C") {
  let isTest = target.path?.hasPrefix("Tests/") ?? (target.type == .test)
  target.swiftSettings = (target.swiftSettings ?? []) + settings + (isTest ? [] : productSettings)
}
