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
  .strictMemorySafety(),
  // A call per element into another module costs 10 to 20 times as much without this.
  .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

let package = Package(
  name: "nightjar",
  platforms: [.macOS(.v26)],
  dependencies: [],
  targets: [
    .systemLibrary(
      name: "CLAPACKE", pkgConfig: "lapacke openblas",
      providers: [.apt(["liblapacke-dev", "libopenblas-dev"])]),
    .target(name: "Reproducible"),
    .target(name: "Geohash"),
    .target(name: "LeastSquares", dependencies: ["CLAPACKE"]),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .testTarget(name: "ReproducibleTests", dependencies: ["Reproducible"]),
  ]
)

for target in package.targets where target.type != .system {
  let isTest = target.type == .test || target.name == "TestSupport"
  target.swiftSettings = (target.swiftSettings ?? []) + settings + (isTest ? [] : productSettings)
}
