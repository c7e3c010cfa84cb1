/// The pipeline file for a crowd's export.
enum CrowdPipelineFile {
  /// Returns the text of a pipeline file for the files `users` and `swipes` in the same directory.
  static func text(users: String, swipes: String, seed: UInt64) -> String {
    """
    # Written by 'nightjar synthesize' for synthetic people and their swipes.
    pipeline: crowd
    as_of: newest
    seed: \(seed)
    privacy: { snap_positions_to: 6 }
    entities:
      users:
        source: { path: \(users) }
        id: id
        updated: updated_at
        position: { latitude: latitude, longitude: longitude }
        attributes:
          business_field: { type: category }
          rating: { type: number }
          age: { type: number }
    interactions:
      swipes:
        source: { path: \(swipes) }
        user: swiper_id
        candidate: target_id
        at: swiped_at
        value: { from: liked, map: { 1: 1, 0: -1 } }
    model:
      learns_from: swipes
      features:
        - category: business_field
        - number: rating
        - difference: age
        - distance
        - received_like_rate: { of: swipes }
      prior: population
    rankings:
      partners:
        users: users
        candidates: users
        within_km: 500
        exclude: [self, interacted, vetoed]
        order_by: score
        top: 10
      matches: { mutual: swipes }
    publish: { store: "sqlite:serving.sqlite", keep: 3 }

    """
  }
}
