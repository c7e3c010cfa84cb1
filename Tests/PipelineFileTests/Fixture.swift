@testable import PipelineFile

/// A complete pipeline file for a product with swipes.
let designExample = """
  pipeline: fusion
  privacy: { snap_positions_to: 6 }
  entities:
    users:
      source: { path: ../datasets/fusion/users.json, format: firestore }
      id: id
      created: createdAt          # optional; what does not exist yet at a cut is not in its evaluation
      updated: updatedAt          # optional; of two rows with one id the newest wins
      position: { latitude: location.latitude, longitude: location.longitude }
      attributes:
        business_field: { type: category, from: businessField }
        experience_years: { type: number, from: experience }
        deleted: { type: flag, from: deleted }
  interactions:
    swipes:
      source: { path: ../datasets/fusion/swipes.csv, format: csv }
      user: swiper_id
      candidate: target_id
      at: swiped_at
      value: { from: direction, map: { right: 1, left: -1 } }
  model:
    learns_from: swipes
    features:
      - category: business_field
      - position               # latitude and longitude, as the first app had it
    compat: createml           # later: prior: population, l2: auto
  rankings:
    partners:
      users: users
      candidates: users
      within_km: 500
      exclude: [self, interacted, vetoed, deleted]
      order_by: score          # or distance, or [rating desc, price asc, distance]
      minimum_score: 0         # the default under createml; none under a prior
      top: 10
    matches: { mutual: swipes }
  evaluation: { cut: 0.8, at: [1, 3, 10] }
  publish: { store: "sqlite:../var/fusion/serving.sqlite", keep: 3 }

  """

/// A pipeline file that contains every key, each on a line of its own.
let everyKey = """
  pipeline: p
  seed: 7
  reject_limit: 2 %
  keep_runs: 5
  report:
    mode: 0640
    group: staff
  privacy:
    snap_positions_to: 7
  entities:
    people:
      source:
        path:
          - people.csv
          - more
        format: csv
        delimiter: ";"
        quote: "'"
        missing:
          - NA
          - null
        max_expanded: 2 GiB
        max_ratio: 50
        where:
          kind:
            - person
            - 7
      id: id
      created: created
      updated:
        from: updated
        unit: seconds
      position:
        latitude: lat
        longitude: lon
      attributes:
        field:
          type: category
          from: field
          optional: true
          names:
            Art: Kunst
            Law:
              - Recht
              - Jura
        age:
          type: number
        gone:
          type: flag
        name:
          type: text
        hobbies:
          type: tags
          separator: ","
        born:
          type: date
      expect:
        rows:
          at_least: 10
          at_most: 20
          drop_at_most: 20 %
          grow_at_most: 300 %
        newest_at_most: 36h
        unique:
          - name
          - [field, age]
        range:
          age:
            - 0
            - 120
        missing_at_most:
          name: 10 %
    events:
      source:
        path: events.jsonl
      id: id
      created: made
      owner:
        from: host
        entity: people
    trees:
      source:
        path: trees.json
        format: realtime
        table: trees/$id
      id: id
    answers:
      source:
        format: duckdb
        query: SELECT 1 AS id
      id: id
  check_ins:
    moorings:
      source:
        path: moorings.json
        format: parse
      id: objectId
      user:
        from: ship
        entity: trees
      at:
        from: moored
        unit: seconds
      position:
        latitude: lat
        longitude: lon
      expires_after: 90m
      attributes:
        harbour:
          type: text
          from: place
          required: true
      expect:
        rows:
          at_least: 1
        newest_at_most: 1d
  interactions:
    likes:
      source:
        path: likes.tsv
      user:
        from: a
        entity: people
      candidate:
        from: b
        entity: people
      at:
        from: t
        unit: milliseconds
      value:
        from: v
        map:
          yes: 1
          no: -1
  requests:
    asks:
      source:
        path: asks.jsonl
      user:
        from: a
        entity: people
      candidate:
        from: b
        entity: people
      at: t
      status:
        from: s
        map:
          yes: accepted
          no: refused
      changed: c
      born: born
      minimum_age: 21
  model:
    learns_from: likes
    features:
      - category: field
      - number: age
      - position
      - distance
      - number:
          from: age
          bins:
            - 18
            - 30.5
      - geohash:
          precision: 4
      - text:
          from: name
          dimensions: 8
      - same: field
      - difference:
          user: age
          candidate: age
          signed: true
      - received_like_rate:
          of: likes
          smoothing: 2.5
          adjusted: false
      - popularity:
          of: likes
          half_life: 90m
      - overlap: hobbies
      - age: born
      - activity
      - recency
    compat: createml
  rankings:
    friends:
      users: people
      candidates: people
      within_km: 100
      exclude:
        - self
        - interacted
        - vetoed
        - gone
      order_by: score
      minimum_score: -1
      top: 3
    ships:
      users: people
      candidates: trees
      order_by: distance
      show:
        - harbour
        - position
      round_distance: up
    parties:
      users: people
      candidates: events
      exclude:
        - self
      order_by: newest
      show:
        - owner
    mutuals:
      mutual: likes
    friendships:
      friends: asks
    waiting:
      users: people
      candidates: people
      pending: asks
      exclude:
        - friends
      show:
        - age: born
    board:
      catalog: people
      by:
        - field
      order_by: newest
      top: 9
  evaluation:
    cut: 0.5
    at:
      - 2
  publish:
    store: sqlite:x
    keep: 2
    attributes:
      people:
        - field

  """

/// Returns the pipeline, or throws the error of the pipeline file.
func pipeline(_ yaml: String, _ overrides: [String] = []) throws(PipelineFileError) -> Pipeline {
  var parsed: [Override] = []
  for override in overrides { parsed.append(try Override(override)) }
  return try Pipeline(yaml: yaml, file: "p.yaml", overrides: parsed)
}

/// Returns the error of a pipeline file, or `nil` if the file is valid.
func mistake(_ yaml: String, _ overrides: [String] = []) -> PipelineFileError? {
  do throws(PipelineFileError) {
    _ = try pipeline(yaml, overrides)
    return nil
  } catch {
    return error
  }
}

/// Returns `everyKey` with the first occurrence of `old` replaced by `new`.
func changed(_ old: String, _ new: String) -> String {
  precondition(everyKey.contains(old), "'\(old)' is not in the example")
  return everyKey.replacing(old, with: new, maxReplacements: 1)
}
