internal import Concurrency

/// A county of the island of Ireland.
struct County: Sendable {
  var name: String
  /// The Irish name. `irishCounty` consists of the Irish word for county and the genitive of the name.
  var irish: String
  var irishCounty: String
  /// The approximate center.
  var place: Place
  /// The approximate population in thousands.
  var thousands: Double

  /// Draws a spelling of the county, as a user might enter it. Spellings differ by language, case and
  /// keyboard.
  func spelling(using generator: inout SplitMix64) -> String {
    switch generator.nextUnit() {
    case ..<0.55: name
    case ..<0.63: name.lowercased()
    case ..<0.68: name.uppercased()
    case ..<0.80: irish
    case ..<0.84: irish.uppercased()
    // Some keyboards write an accent as a combining character after the letter.
    case ..<0.88: Self.decomposed(irish)
    case ..<0.95: "Co. " + name
    case ..<0.97: "county " + name
    default: irishCounty
    }
  }

  private static func decomposed(_ text: String) -> String {
    let letters: [Unicode.Scalar: Unicode.Scalar] = [
      "á": "a", "é": "e", "í": "i", "ó": "o", "ú": "u", "Á": "A", "É": "E", "Í": "I", "Ó": "O", "Ú": "U",
    ]
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let letter = letters[scalar] {
        scalars.append(letter)
        scalars.append("\u{301}")
      } else {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  private init(
    _ name: String, _ irish: String, _ irishCounty: String, _ latitude: Double, _ longitude: Double,
    _ thousands: Double
  ) {
    self.name = name
    self.irish = irish
    self.irishCounty = irishCounty
    place = Place(latitude: latitude, longitude: longitude)
    self.thousands = thousands
  }

  static let all = [
    County("Antrim", "Aontroim", "Contae Aontroma", 54.85, -6.20, 620),
    County("Armagh", "Ard Mhacha", "Contae Ard Mhacha", 54.30, -6.60, 195),
    County("Carlow", "Ceatharlach", "Contae Cheatharlach", 52.72, -6.84, 62),
    County("Cavan", "An Cabhán", "Contae an Chabháin", 53.98, -7.30, 82),
    County("Clare", "An Clár", "Contae an Chláir", 52.84, -8.99, 128),
    County("Cork", "Corcaigh", "Contae Chorcaí", 51.95, -8.60, 584),
    County("Derry", "Doire", "Contae Dhoire", 54.93, -6.95, 252),
    County("Donegal", "Dún na nGall", "Contae Dhún na nGall", 54.90, -7.95, 167),
    County("Down", "An Dún", "Contae an Dúin", 54.35, -5.95, 550),
    County("Dublin", "Baile Átha Cliath", "Contae Bhaile Átha Cliath", 53.35, -6.28, 1458),
    County("Fermanagh", "Fear Manach", "Contae Fhear Manach", 54.36, -7.64, 63),
    County("Galway", "Gaillimh", "Contae na Gaillimhe", 53.33, -8.90, 278),
    County("Kerry", "Ciarraí", "Contae Chiarraí", 52.15, -9.57, 156),
    County("Kildare", "Cill Dara", "Contae Chill Dara", 53.20, -6.80, 248),
    County("Kilkenny", "Cill Chainnigh", "Contae Chill Chainnigh", 52.58, -7.24, 104),
    County("Laois", "Laois", "Contae Laoise", 53.00, -7.35, 92),
    County("Leitrim", "Liatroim", "Contae Liatroma", 54.10, -8.00, 35),
    County("Limerick", "Luimneach", "Contae Luimnigh", 52.55, -8.75, 210),
    County("Longford", "An Longfort", "Contae an Longfoirt", 53.73, -7.70, 47),
    County("Louth", "Lú", "Contae Lú", 53.90, -6.50, 140),
    County("Mayo", "Maigh Eo", "Contae Mhaigh Eo", 53.90, -9.25, 138),
    County("Meath", "An Mhí", "Contae na Mí", 53.62, -6.65, 221),
    County("Monaghan", "Muineachán", "Contae Mhuineacháin", 54.15, -6.92, 65),
    County("Offaly", "Uíbh Fhailí", "Contae Uíbh Fhailí", 53.25, -7.60, 83),
    County("Roscommon", "Ros Comáin", "Contae Ros Comáin", 53.72, -8.25, 70),
    County("Sligo", "Sligeach", "Contae Shligigh", 54.15, -8.60, 70),
    County("Tipperary", "Tiobraid Árann", "Contae Thiobraid Árann", 52.67, -7.85, 168),
    County("Tyrone", "Tír Eoghain", "Contae Thír Eoghain", 54.60, -7.20, 188),
    County("Waterford", "Port Láirge", "Contae Phort Láirge", 52.18, -7.60, 127),
    County("Westmeath", "An Iarmhí", "Contae na hIarmhí", 53.53, -7.45, 96),
    County("Wexford", "Loch Garman", "Contae Loch Garman", 52.45, -6.60, 164),
    County("Wicklow", "Cill Mhantáin", "Contae Chill Mhantáin", 52.98, -6.37, 156),
  ]
}
