/// Readable forms of the names in the run's files.
enum Wording {
  /// The short name of a method that rankings are compared with.
  static func method(_ name: String) -> String {
    switch name {
    case "pipeline": "this pipeline"
    case "createml": "the first app’s model"
    case "everybody": "one model for all"
    case "like_rate": "most liked first"
    case "nearest": "nearest first"
    case "random": "by chance"
    default: name
    }
  }

  /// The short name of a metric, such as `nDCG@10`.
  static func metric(_ name: String) -> String {
    let parts = name.split(separator: "@", maxSplits: 1)
    let kind = parts.first.map(String.init) ?? name
    let places = parts.count > 1 ? "@" + parts[1] : ""
    let names = [
      "ndcg": "nDCG", "auc": "AUC", "map": "MAP", "mrr": "MRR", "hit_rate": "hit rate",
      "capped_recall": "capped recall", "brier": "Brier", "gini": "Gini", "coverage": "on any list",
      "listed_both_ways": "places shown both ways", "p_holm": "p (Holm)", "effect_size": "effect size",
      "interval_by_cluster": "interval over clusters",
    ]
    return (names[kind] ?? kind) + places
  }

  /// The reason why a list is short.
  static func shortfall(_ reason: String) -> String {
    switch reason {
    case "no_position": "the user has no position, and the list has a radius"
    case "none_in_radius": "no other candidate is within the radius"
    case "none_left": "the user has decided on all other candidates"
    case "none_above_minimum": "the others’ scores are not above the minimum"
    default: reason
    }
  }

  /// The reason why a candidate is not on a list.
  static func lost(_ rule: String) -> String {
    switch rule {
    case "out_of_reach": "out of reach"
    case "self": "the user, or the user’s own"
    case "interacted": "decided on before"
    case "vetoed": "passed on by the user, last"
    case "friends": "a friend’s"
    case "not_above_minimum": "score not above the minimum"
    case "beyond_top": "behind the last place"
    default: rule
    }
  }

  /// The outcome of rows that were neither kept nor rejected.
  static func outcome(_ name: String) -> String {
    switch name {
    case "merged": "merged (another row has the same id)"
    case "later": "later than the as-of time"
    case "ignored": "ignored, as the pipeline file says"
    case "erased": "of people who were erased"
    case "under_age": "by people under age"
    case "age_unknown": "by people of unknown age"
    case "left_out": "left out by ‘where’"
    case "left_out_by_all": "taken by no source of this export"
    case "updated_later": "changed later than the as-of time"
    case "rejects_written": "rejects written down in full"
    default: name
    }
  }

  /// The requirement of a reject rule.
  static func rule(_ name: String) -> String {
    rules[name] ?? name
  }

  private static let rules = [
    "missing_id": "the id is empty or absent", "bad_id": "the id is no text or number",
    "duplicate_id": "another row has the id", "bad_number": "not a decimal number within ±1e100",
    "bad_time": "no time that can be read, or none", "bad_latitude": "no latitude within ±90°",
    "bad_longitude": "no longitude within ±180°", "bad_flag": "neither true nor false",
    "bad_text": "a list or object where a text belongs", "missing_attribute": "a required value is missing",
    "missing_position": "a check-in without a position", "bad_date": "no day that can be read",
    "bad_tags": "no list of texts", "unknown_name": "a word that is not among the allowed ones",
    "unknown_user": "a user who is not in the export",
    "unknown_candidate": "a candidate who is not in the export",
    "unknown_owner": "an owner who is not in the export",
    "self_interaction": "user and candidate are the same",
    "under_age": "the user is younger than the minimum age", "age_unknown": "the user has no birth date",
    "id_too_long": "an id of more than 1,024 bytes", "word_too_long": "a word of more than 256 bytes",
    "too_many_tags": "more than 256 words in a set", "null_character": "a text with the character U+0000",
    "unknown_value": "a value that the pipeline file does not name",
    "value_out_of_range": "a value outside of the range", "bad_intervals": "no list of spans of time",
    "wrong_field_count": "another number of fields than the header",
    "unclosed_quote": "a quote that is never closed",
    "bad_quote": "a quote out of place", "bad_json": "no JSON", "not_an_object": "JSON, but no object",
    "bad_firestore_value": "no value as Firestore writes it",
    "record_too_long": "a record of more than 64 MiB",
    "duplicate_key": "a JSON key occurs twice", "nesting_too_deep": "JSON nested too deeply",
    "number_out_of_range": "a JSON number that is too large", "lone_surrogate": "half of a character in JSON",
  ]
}
