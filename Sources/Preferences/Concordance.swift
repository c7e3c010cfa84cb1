/// How often, among pairs of rows with different values, the larger value has the larger prediction; equal predictions
/// count half. For likes and passes it is the area under the ROC curve.
///
/// - Returns: 0 to 1; `nil` where all values are the same.
func concordance(_ rows: [(prediction: Double, value: Double)]) -> Double? {
  var (pairs, agreeing) = (0.0, 0.0)
  for (place, first) in rows.enumerated() {
    for second in rows[..<place] where first.value != second.value {
      pairs += 1
      let difference = first.prediction - second.prediction
      if difference == 0 {
        agreeing += 0.5
      } else if (difference > 0) == (first.value > second.value) {
        agreeing += 1
      }
    }
  }
  return pairs > 0 ? agreeing / pairs : nil
}
