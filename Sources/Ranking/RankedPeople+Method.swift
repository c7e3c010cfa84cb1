internal import Features

extension RankedPeople {
  /// Up to two blocks of candidates nothing is gained by a tree.
  private static let scanned = 2 * SearchedCandidates.blockSize

  /// How `lists` of each user are best searched, by how many candidates there are for each: by a scan of a few, else
  /// through blocks.
  ///
  /// How many are in reach does not matter: to find the cells around one user takes longer (some 90 µs) than to find
  /// a list through blocks, of whom ever so few are in reach (some 10 µs, 20 000 users within 1.5 km).
  func suitedMethod(lists: Int) -> Recommender.Method {
    candidates.count <= Self.scanned * lists ? .scan : .block
  }
}
