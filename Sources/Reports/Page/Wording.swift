/// Readable forms of the names in a run's files.
enum Wording {
  /// Returns the short name of a ranking method, or an unknown name unchanged.
  static func method(_ name: String) -> String {
    switch name {
    case "pipeline": "this pipeline"
    case "one_sided": "own scores alone"
    case "without_exposure": "without limits on exposure"
    case "createml": "Create ML regression"
    case "everybody": "one model for all"
    case "like_rate": "highest share of likes first"
    case "popular": "most popular first"
    case "trending": "trending first"
    case "item_to_item": "often liked together first"
    case "nearest": "nearest first"
    case "random": "random order"
    default: name
    }
  }

  /// Returns the short name of a metric, such as `nDCG@10`.
  static func metric(_ name: String) -> String {
    let parts = name.split(separator: "@", maxSplits: 1)
    let kind = parts.first.map(String.init) ?? name
    let places = parts.count > 1 ? "@" + parts[1] : ""
    let names = [
      "ndcg": "nDCG", "auc": "AUC", "map": "MAP", "mrr": "MRR", "hit_rate": "hit rate",
      "capped_recall": "capped recall", "brier": "Brier", "gini": "Gini", "coverage": "on at least one list",
      "listed_both_ways": "reciprocal entries", "p_holm": "p (Holm)", "effect_size": "effect size",
      "match_auc": "AUC of matches", "match_at_1": "first places that are matches",
      "interval_by_cluster": "interval over clusters",
    ]
    return (names[kind] ?? kind) + places
  }

  /// Returns the reason why a list has fewer entries than `top`, in words.
  static func shortfall(_ reason: String) -> String {
    switch reason {
    case "exposure": "the remaining candidates are already on as many lists as ‘exposure’ allows"
    case "no_position": "the user has no position, and the list has a radius"
    case "none_in_radius": "no other candidate is within the radius"
    case "none_left": "no other candidate is left, for example because the user has decided on all of them"
    case "none_above_minimum": "the scores of the other candidates are not above the minimum"
    default: reason
    }
  }

  /// Returns, in words, why a candidate is not on a user's list.
  static func lost(_ rule: String) -> String {
    switch rule {
    case "out_of_reach": "out of reach"
    case "self": "the user, or owned by the user"
    case "interacted": "already decided on by the user"
    case "vetoed": "the candidate passed on the user"
    case "friends": "owned by a friend"
    case "not_above_minimum": "score not above the minimum"
    case "beyond_top": "below the last place of a full list"
    default: rule
    }
  }

  /// Returns the outcome of rows that were neither kept nor rejected, in words.
  static func outcome(_ name: String) -> String {
    switch name {
    case "merged": "merged (another row takes its place)"
    case "later": "later than the as-of time"
    case "ignored": "ignored by the pipeline file"
    case "erased": "about erased ids"
    case "under_age": "by users below the minimum age"
    case "age_unknown": "by users of unknown age"
    case "left_out": "excluded by ‘where’"
    case "left_out_by_all": "not selected by the ‘where’ of any source that reads this export"
    case "updated_later": "changed after the as-of time"
    case "rejects_written": "rejects listed in rejects.csv"
    default: name
    }
  }

  /// Returns the fault that a reject rule detects, in words.
  static func rule(_ name: String) -> String {
    rules[name] ?? name
  }

  private static let rules = [
    "missing_id": "the id is empty or absent", "bad_id": "the id is neither text nor a number",
    "duplicate_id": "another row has the same id", "bad_number": "not a decimal number within ±1e100",
    "bad_time": "the time is missing or unreadable", "bad_latitude": "not a latitude within ±90°",
    "bad_longitude": "not a longitude within ±180°", "bad_point": "not two coordinates in the required form",
    "bad_flag": "neither true nor false",
    "bad_text": "a list or object instead of text", "missing_attribute": "a required value is missing",
    "missing_position": "a check-in without a position", "bad_date": "an unreadable date",
    "implausible_time": "a time outside the plausible range",
    "date_too_early": "a date before the earliest allowed date",
    "date_in_future": "a date after the as-of time",
    "bad_tags": "not a list of texts", "unknown_name": "a word that the pipeline file does not allow",
    "unknown_user": "a user who is absent or was left out",
    "unknown_candidate": "a candidate that is absent or was left out",
    "unknown_owner": "an owner who is absent or was left out",
    "self_interaction": "user and candidate are the same",
    "under_age": "the user was younger than the minimum age at the time of the request",
    "age_unknown": "the age of the user at the time of the request is unknown",
    "id_too_long": "an id of more than 1,024 bytes", "word_too_long": "a word of more than 256 bytes",
    "too_many_tags": "more than 256 words in a set", "null_character": "a text with the character U+0000",
    "unknown_value": "a value that the pipeline file does not list",
    "value_out_of_range": "a value outside the range", "bad_intervals": "not a list of time intervals",
    "wrong_field_count": "a different number of fields than the header",
    "unclosed_quote": "a quote that is never closed",
    "bad_quote": "a misplaced quote", "bad_json": "not valid JSON",
    "not_an_object": "JSON, but not an object",
    "bad_firestore_value": "not a typed Firestore value",
    "record_too_long": "a record of more than 64 MiB",
    "duplicate_key": "a JSON key that occurs twice", "nesting_too_deep": "JSON nested too deeply",
    "number_out_of_range": "a JSON number that is too large",
    "lone_surrogate": "an unpaired surrogate in JSON",
  ]
}
