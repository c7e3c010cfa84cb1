import ArgumentParser
import CommandLine
import Geohash

/// The commands for geohashes. They check their arguments in `validate`, because ArgumentParser then prints
/// the usage of the command after the error message.
struct GeohashCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geohash",
    abstract: "Encodes and decodes geohashes, lists neighboring cells, and covers circles with cells.",
    discussion:
      "Prints one result per line, with columns separated by tabs. Positions are in degrees, latitude first.",
    subcommands: [Encode.self, Decode.self, Neighbors.self, Cover.self])

  // Each command sets `commandName`. Otherwise, the parser would derive the names by reflection in every
  // process, and reflection would take a quarter of the instructions at startup.
  struct Encode: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "encode", abstract: "Prints the geohash of a position.")

    @OptionGroup var position: PositionArguments
    @Option(help: "The number of characters, from 1 to 12.") var precision = 12

    func validate() throws { _ = try checked(precision: precision) }

    func run() throws {
      let geohash = Geohash(try position.coordinate(), precision: precision)
      Console.result(geohash.description)
    }
  }

  struct Decode: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "decode", abstract: "Prints the center and the bounds of each cell.",
      discussion:
        "The columns are the latitude and longitude of the center, then south, west, north and east.")

    @Argument(help: "One or more geohashes.") var hashes: [String]

    func validate() throws { for hash in hashes { _ = try parsed(hash) } }

    func run() throws {
      for hash in hashes {
        let cell = try parsed(hash)
        let (center, box) = (cell.center, cell.boundingBox)
        let numbers = [center.latitude, center.longitude, box.south, box.west, box.north, box.east]
        Console.result(numbers.map(\.description).joined(separator: "\t"))
      }
    }
  }

  struct Neighbors: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "neighbors", abstract: "Prints the neighbors of a cell.",
      discussion:
        "The columns are the direction (n, ne, e, se, s, sw, w or nw) and the geohash. A cell at a pole has five neighbors."
    )

    @Argument(help: "A geohash.") var hash: String

    func validate() throws { _ = try parsed(hash) }

    func run() throws {
      let cell = try parsed(hash)
      for direction in CompassDirection.allCases {
        if let neighbor = cell.neighbor(direction) {
          Console.result("\(direction.abbreviation)\t\(neighbor)")
        }
      }
    }
  }

  struct Cover: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cover", abstract: "Prints the cells that intersect a circle, in sorted order.")

    @OptionGroup var position: PositionArguments
    @Option(help: "The radius of the circle in kilometers.") var radiusKm: Double
    @Option(help: "The number of characters, from 1 to 12.") var precision: Int

    func validate() throws { _ = try cells() }

    func run() throws { for cell in try cells() { Console.result(cell.description) } }

    private func cells() throws -> [Geohash] {
      do {
        return try Geohash.covering(
          center: try position.coordinate(), radiusInKilometers: radiusKm,
          precision: try checked(precision: precision))
      } catch let error as CoveringError {
        throw ValidationError("\(error)")
      }
    }
  }
}

extension CompassDirection {
  /// The abbreviation of the direction, such as `n` or `ne`.
  fileprivate var abbreviation: String {
    switch self {
    case .north: "n"
    case .northeast: "ne"
    case .east: "e"
    case .southeast: "se"
    case .south: "s"
    case .southwest: "sw"
    case .west: "w"
    case .northwest: "nw"
    }
  }
}

struct PositionArguments: ParsableArguments {
  @Argument(help: "The latitude in degrees, from -90 to 90.") var latitude: Double
  @Argument(help: "The longitude in degrees, from -180 to 180.") var longitude: Double

  func validate() throws { _ = try coordinate() }

  func coordinate() throws -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      throw ValidationError(
        "\(latitude) \(longitude) is not a position. The latitude must be from -90 to 90 degrees, and the longitude from -180 to 180."
      )
    }
    return coordinate
  }
}

private func checked(precision: Int) throws -> Int {
  guard Geohash.precisions.contains(precision) else {
    throw ValidationError("--precision must be from 1 to 12, not \(precision).")
  }
  return precision
}

private func parsed(_ hash: String) throws -> Geohash {
  do {
    return try Geohash(parsing: hash)
  } catch {
    throw ValidationError("'\(hash)' is not a geohash: \(error)")
  }
}
