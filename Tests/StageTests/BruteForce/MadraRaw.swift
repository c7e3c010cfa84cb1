import Foundation
import Testing
import TestSupport

/// A run of Madra agus Cairde on the bundled exports, in its own directory.
struct MadraRun {
  private let scratch: ScratchDirectory
  let work: String
  let options: [String]
  let raw: MadraRaw

  static let newestSwipe = "2026-11-15T22:41:07.000Z"

  var pipeline: String { SharedData.repository.appending(path: "pipelines/madra.yaml").path }
  var path: String { work + "/madra/runs/1" }
  var rankings: String { path + "/rankings" }

  init() throws {
    let scratch = try ScratchDirectory(untilExit: true)
    self.scratch = scratch
    work = scratch("var")
    options = ["--set", "publish.store=sqlite:\(scratch("serving.sqlite"))"]
    raw = try MadraRaw(SharedData.repository.appending(path: "datasets/madra").path)
    let ended = try Program.run("nightjar", ["run", pipeline, "--work", work] + options)
    try #require(ended.ending == .status(0), "\(ended.errors)")
  }
}

/// The raw exports, read and checked without product code.
struct MadraRaw {
  struct Minder {
    var cell: PlainGeodesy.Cell?
    /// The birth date, such as `1990-05-01`.
    var born: String?
  }

  struct Dog {
    var id: String
    var name: String
    var owner: String
    var isAvailable: Bool
    var county: String?
    var size: String
    var created: String
    var cell: PlainGeodesy.Cell?
  }

  struct Request {
    var minder: String
    var dog: String
    var status: String
    var changed: String?
  }

  private(set) var accountCount = 0
  private(set) var owners: Set<String> = []
  private(set) var minders: [String: Minder] = [:]
  private(set) var dogs: [String: Dog] = [:]
  /// The valid requests.
  private(set) var requests: [Request] = []
  private(set) var underAge = 0
  private(set) var ageUnknown = 0
  /// The dogs that each minder requested or skipped.
  private(set) var decidedDogs: [String: Set<String>] = [:]

  init(_ directory: String) throws {
    let accounts = try Self.documents(directory + "/accounts.json")
    accountCount = accounts.count
    for account in accounts where Self.isTime(account.fields["createdAt"]) {
      switch account.fields["accountType"] as? String {
      case "owner": owners.insert(account.id)
      case "minder":
        let born = account.fields["dateOfBirth"] as? String
        if let born, born.wholeMatch(of: /\d{4}-\d\d-\d\d/) == nil { continue }
        let place = account.fields["location"] as? [String: Double]
        if let latitude = place?["latitude"], abs(latitude) > 90 { continue }
        minders[account.id] = Minder(cell: Self.cell(place), born: born)
      default: break
      }
    }
    for dog in try Self.documents(directory + "/dogs.json") {
      let size = (dog.fields["size"] as? String)?.lowercased() ?? ""
      let typed = dog.fields["county"] as? String
      let county = typed.flatMap(Self.county)
      guard let owner = dog.fields["ownerId"] as? String, owners.contains(owner),
        ["small", "medium", "large"].contains(size), typed == nil || county != nil,
        (dog.fields["dateOfBirth"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil
      else { continue }
      let place = dog.fields["location"] as? [String: Double]
      if let longitude = place?["longitude"], abs(longitude) > 180 { continue }
      dogs[dog.id] = Dog(
        id: dog.id, name: dog.fields["name"] as? String ?? "", owner: owner,
        isAvailable: dog.fields["available"] as? Bool ?? false, county: county, size: size,
        created: dog.fields["createdAt"] as? String ?? "", cell: Self.cell(place))
    }
    for swipe in try Self.documents(directory + "/swipes.json") {
      guard let minder = swipe.fields["minder"] as? String, minders[minder] != nil,
        let dog = swipe.fields["dog"] as? String, dogs[dog] != nil, Self.isTime(swipe.fields["createdAt"]),
        let at = swipe.fields["createdAt"] as? String, let direction = swipe.fields["direction"] as? String,
        ["left", "right"].contains(direction)
      else { continue }
      decidedDogs[minder, default: []].insert(dog)
      let changed = swipe.fields["answeredAt"] as? String
      guard direction == "right", let status = swipe.fields["status"] as? String,
        status == "pending" || ["accepted", "refused", "withdrawn"].contains(status) && changed != nil
      else { continue }
      guard let born = minders[minder]?.born else {
        ageUnknown += 1
        continue
      }
      guard Self.age(born: born, on: at) >= 18 else {
        underAge += 1
        continue
      }
      requests.append(Request(minder: minder, dog: dog, status: status, changed: changed))
    }
  }

  /// The time since which a minder and an owner are friends.
  var friends: [[String]: String] {
    var friends: [[String]: String] = [:]
    for request in requests where request.status == "accepted" {
      let pair = [request.minder, dogs[request.dog]?.owner ?? ""]
      let changed = request.changed ?? ""
      friends[pair] = min(friends[pair] ?? "9", changed)
    }
    return friends.mapValues { $0.replacing(".000Z", with: "Z") }
  }

  /// Returns the number of whole years between two days. The texts start with the days.
  static func age(born: String, on day: String) -> Int {
    let years = (Int(day.prefix(4)) ?? 0) - (Int(born.prefix(4)) ?? 0)
    return day.dropFirst(5).prefix(5) < born.dropFirst(5).prefix(5) ? years - 1 : years
  }

  private static func cell(_ place: [String: Double]?) -> PlainGeodesy.Cell? {
    guard let latitude = place?["latitude"], let longitude = place?["longitude"] else { return nil }
    return PlainGeodesy.cell(latitude: latitude, longitude: longitude, precision: 6)
  }

  private static func isTime(_ value: Any?) -> Bool {
    (value as? String)?.wholeMatch(of: /2026-(0[1-9]|1[0-2])-([01]\d|2\d|30|31)T[\d:.]+Z/) != nil
      && (value as? String)?.hasPrefix("2026-02-30") == false
  }

  private struct Document {
    var id: String
    var fields: [String: Any]
  }

  private static func documents(_ path: String) throws -> [Document] {
    try (json(path)["documents"] as? [[String: Any]] ?? []).map { document in
      let name = document["name"] as? String ?? ""
      let fields = document.object("fields").compactMapValues { value -> Any? in
        (value as? [String: Any])?.values.first
      }
      return Document(id: String(name.split(separator: "/").last ?? ""), fields: fields)
    }
  }

  /// The Irish names of Irish counties.
  private static let irish = [
    "Antrim": "Aontroim", "Armagh": "Ard Mhacha", "Carlow": "Ceatharlach", "Cavan": "An Cabhán",
    "Clare": "An Clár", "Cork": "Corcaigh", "Derry": "Doire", "Donegal": "Dún na nGall", "Down": "An Dún",
    "Dublin": "Baile Átha Cliath", "Fermanagh": "Fear Manach", "Galway": "Gaillimh", "Kerry": "Ciarraí",
    "Kildare": "Cill Dara", "Kilkenny": "Cill Chainnigh", "Laois": "Laois", "Leitrim": "Liatroim",
    "Limerick": "Luimneach", "Longford": "An Longfort", "Louth": "Lú", "Mayo": "Maigh Eo", "Meath": "An Mhí",
    "Monaghan": "Muineachán", "Offaly": "Uíbh Fhailí", "Roscommon": "Ros Comáin", "Sligo": "Sligeach",
    "Tipperary": "Tiobraid Árann", "Tyrone": "Tír Eoghain", "Waterford": "Port Láirge",
    "Westmeath": "An Iarmhí", "Wexford": "Loch Garman", "Wicklow": "Cill Mhantáin",
  ]
  /// Names that change after the Irish word for county.
  private static let contae = [
    "Antrim": "Aontroma", "Armagh": "Ard Mhacha", "Carlow": "Cheatharlach", "Cavan": "an Chabháin",
    "Clare": "an Chláir", "Cork": "Chorcaí", "Derry": "Dhoire", "Donegal": "Dhún na nGall", "Down": "an Dúin",
    "Dublin": "Bhaile Átha Cliath", "Fermanagh": "Fhear Manach", "Galway": "na Gaillimhe",
    "Kerry": "Chiarraí", "Kildare": "Chill Dara", "Kilkenny": "Chill Chainnigh", "Laois": "Laoise",
    "Leitrim": "Liatroma", "Limerick": "Luimnigh", "Longford": "an Longfoirt", "Louth": "Lú",
    "Mayo": "Mhaigh Eo", "Meath": "na Mí", "Monaghan": "Mhuineacháin", "Offaly": "Uíbh Fhailí",
    "Roscommon": "Ros Comáin", "Sligo": "Shligigh", "Tipperary": "Thiobraid Árann",
    "Tyrone": "Thír Eoghain", "Waterford": "Phort Láirge", "Westmeath": "na hIarmhí",
    "Wexford": "Loch Garman", "Wicklow": "Chill Mhantáin",
  ]

  private static let counties: [String: String] = {
    var counties: [String: String] = [:]
    for (name, word) in irish {
      for spelling in [name, word, "Co. " + name, "County " + name, "Contae " + (contae[name] ?? "")] {
        counties[spelling.precomposedStringWithCanonicalMapping.lowercased()] = name
      }
    }
    return counties
  }()

  private static func county(_ word: String) -> String? {
    counties[word.precomposedStringWithCanonicalMapping.lowercased()]
  }
}
