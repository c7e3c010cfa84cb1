// swift-tools-version: 6.2
import PackageDescription

// One loop below gives every target these settings.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Products only: tests may be as unsafe as they like, and are not measured.
let productSettings: [SwiftSetting] = [
  // Types that own memory lend it out as spans.
  .enableExperimentalFeature("Lifetimes"),
  .strictMemorySafety(),
  // A call per element into another module costs 10 to 20 times as much without this.
  .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

let package = Package(
  name: "nightjar",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLAPACKE", pkgConfig: "lapacke openblas",
      providers: [.apt(["liblapacke-dev", "libopenblas-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .target(name: "CLinux"),
    .target(name: "Reproducible"),
    .target(name: "Tables", dependencies: ["CCrypto", "CLinux"]),
    .target(name: "Exports", dependencies: []),
    .target(
      name: "PipelineFile", dependencies: ["Exports", "Tables", .product(name: "Yams", package: "Yams")]),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .testTarget(name: "ReproducibleTests", dependencies: ["Reproducible"]),
  ]
)

for target in package.targets where target.type != .system && !target.name.hasPrefix("C") {
  let isTest = target.type == .test || target.name == "TestSupport"
  target.swiftSettings = (target.swiftSettings ?? []) + settings + (isTest ? [] : productSettings)
}
