internal import Concurrency

/// A city where the users of a synthetic app live.
struct City: Sendable {
  var name: String
  var country: String
  /// The latitude of the center in degrees, accurate to about 0.05.
  var latitude: Double
  /// The longitude of the center in degrees.
  var longitude: Double
  /// The approximate population in thousands, used as a weight.
  var thousands: Double
  var names: NameStyle

  init(
    _ name: String, _ country: String, _ latitude: Double, _ longitude: Double, _ thousands: Double,
    _ names: NameStyle
  ) {
    self.name = name
    self.country = country
    self.latitude = latitude
    self.longitude = longitude
    self.thousands = thousands
    self.names = names
  }

  /// The standard deviation of residents' distances from the center along each axis, in kilometers.
  var spreadInKilometers: Double {
    min(15, max(2.5, 0.25 * thousands.squareRoot()))
  }

  /// Draws a home in the city.
  func home(using generator: inout SplitMix64) -> Place {
    place.scattered(by: spreadInKilometers, using: &generator)
  }

  /// The position of the center.
  var place: Place { Place(latitude: latitude, longitude: longitude) }

  /// About sixty cities of Europe. Some cities are on islands or at the edge of Europe, so that in a small
  /// export, some people have no other person within 500 km. A few big cities have most of the people.
  static let europe: [City] = [
    City("London", "United Kingdom", 51.51, -0.13, 8900, .english),
    City("Birmingham", "United Kingdom", 52.48, -1.90, 1140, .english),
    City("Manchester", "United Kingdom", 53.48, -2.24, 550, .english),
    City("Edinburgh", "United Kingdom", 55.95, -3.19, 520, .english),
    City("Belfast", "United Kingdom", 54.60, -5.93, 340, .irish),
    City("Dublin", "Ireland", 53.35, -6.26, 590, .irish),
    City("Galway", "Ireland", 53.27, -9.05, 85, .irish),
    City("Paris", "France", 48.86, 2.35, 2100, .french),
    City("Lyon", "France", 45.76, 4.84, 520, .french),
    City("Marseille", "France", 43.30, 5.37, 870, .french),
    City("Toulouse", "France", 43.60, 1.44, 500, .french),
    City("Ajaccio", "France", 41.92, 8.74, 72, .french),
    City("Brussels", "Belgium", 50.85, 4.35, 1220, .french),
    City("Antwerp", "Belgium", 51.22, 4.40, 530, .dutch),
    City("Luxembourg", "Luxembourg", 49.61, 6.13, 130, .french),
    City("Amsterdam", "Netherlands", 52.37, 4.90, 920, .dutch),
    City("Rotterdam", "Netherlands", 51.92, 4.48, 660, .dutch),
    City("Berlin", "Germany", 52.52, 13.40, 3700, .german),
    City("Hamburg", "Germany", 53.55, 9.99, 1890, .german),
    City("Munich", "Germany", 48.14, 11.58, 1500, .german),
    City("Cologne", "Germany", 50.94, 6.96, 1080, .german),
    City("Frankfurt", "Germany", 50.11, 8.68, 770, .german),
    City("Leipzig", "Germany", 51.34, 12.37, 620, .german),
    City("Vienna", "Austria", 48.21, 16.37, 1980, .german),
    City("Graz", "Austria", 47.07, 15.44, 300, .german),
    City("Zurich", "Switzerland", 47.37, 8.54, 440, .german),
    City("Geneva", "Switzerland", 46.20, 6.14, 205, .french),
    City("Madrid", "Spain", 40.42, -3.70, 3300, .spanish),
    City("Barcelona", "Spain", 41.39, 2.17, 1640, .spanish),
    City("Valencia", "Spain", 39.47, -0.38, 800, .spanish),
    City("Bilbao", "Spain", 43.26, -2.93, 345, .spanish),
    City("Seville", "Spain", 37.39, -5.99, 680, .spanish),
    City("Las Palmas", "Spain", 28.12, -15.43, 380, .spanish),
    City("Santa Cruz de Tenerife", "Spain", 28.47, -16.25, 210, .spanish),
    City("Lisbon", "Portugal", 38.72, -9.14, 545, .portuguese),
    City("Porto", "Portugal", 41.15, -8.61, 235, .portuguese),
    City("Ponta Delgada", "Portugal", 37.74, -25.67, 68, .portuguese),
    City("Rome", "Italy", 41.90, 12.50, 2760, .italian),
    City("Milan", "Italy", 45.46, 9.19, 1370, .italian),
    City("Naples", "Italy", 40.85, 14.27, 910, .italian),
    City("Turin", "Italy", 45.07, 7.69, 850, .italian),
    City("Palermo", "Italy", 38.12, 13.36, 630, .italian),
    City("Valletta", "Malta", 35.90, 14.51, 210, .italian),
    City("Athens", "Greece", 37.98, 23.73, 640, .greek),
    City("Heraklion", "Greece", 35.34, 25.14, 180, .greek),
    City("Nicosia", "Cyprus", 35.17, 33.36, 250, .greek),
    City("Sofia", "Bulgaria", 42.70, 23.32, 1280, .bulgarian),
    City("Bucharest", "Romania", 44.43, 26.10, 1720, .romanian),
    City("Cluj-Napoca", "Romania", 46.77, 23.59, 290, .romanian),
    City("Zagreb", "Croatia", 45.81, 15.98, 770, .croatian),
    City("Budapest", "Hungary", 47.50, 19.04, 1680, .hungarian),
    City("Prague", "Czechia", 50.08, 14.44, 1350, .czech),
    City("Brno", "Czechia", 49.20, 16.61, 400, .czech),
    City("Warsaw", "Poland", 52.23, 21.01, 1860, .polish),
    City("Kraków", "Poland", 50.06, 19.94, 800, .polish),
    City("Riga", "Latvia", 56.95, 24.11, 610, .baltic),
    City("Copenhagen", "Denmark", 55.68, 12.57, 650, .nordic),
    City("Stockholm", "Sweden", 59.33, 18.07, 980, .nordic),
    City("Oslo", "Norway", 59.91, 10.75, 710, .nordic),
    City("Tromsø", "Norway", 69.65, 18.96, 78, .nordic),
    City("Helsinki", "Finland", 60.17, 24.94, 660, .finnish),
    City("Reykjavík", "Iceland", 64.15, -21.94, 140, .icelandic),
  ]
}
