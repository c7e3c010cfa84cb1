package enum CellSize {
  static func largestDiagonalInKilometers(precision: Int) -> Double { 1.36 }
  static func rounded(_ x: Double) -> String { "\((x * 10).rounded() / 10)" }
}
