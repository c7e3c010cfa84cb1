import Ingest
import Testing

@testable import Reports

struct WordingTests {
  @Test(arguments: IngestRule.allCases)
  func `the report describes each reject rule`(rule: IngestRule) {
    #expect(Wording.rule(rule.rawValue) != rule.rawValue)
  }

  @Test(arguments: [
    ("pipeline", "this pipeline"), ("createml", "Create ML regression"), ("everybody", "one model for all"),
    ("like_rate", "highest share of likes first"), ("popular", "most popular first"),
    ("trending", "trending first"), ("item_to_item", "often liked together first"),
    ("nearest", "nearest first"), ("random", "random order"), ("own", "own"),
  ])
  func `a method has a short name`(_ method: String, _ words: String) {
    #expect(Wording.method(method) == words)
  }

  @Test(arguments: [
    ("ndcg@10", "nDCG@10"), ("auc", "AUC"), ("map@3", "MAP@3"), ("mrr@1", "MRR@1"),
    ("hit_rate@5", "hit rate@5"), ("capped_recall@5", "capped recall@5"), ("brier", "Brier"),
    ("gini", "Gini"), ("coverage", "on at least one list"), ("listed_both_ways", "reciprocal entries"),
    ("p_holm", "p (Holm)"), ("effect_size", "effect size"), ("interval_by_cluster", "interval over clusters"),
    ("recall@10", "recall@10"), ("", ""), ("a@1@2", "a@1@2"),
  ])
  func `a metric has a short name and keeps its length`(_ metric: String, _ words: String) {
    #expect(Wording.metric(metric) == words)
  }

  @Test(arguments: [
    ("no_position", "the user has no position, and the list has a radius"),
    ("none_in_radius", "no other candidate is within the radius"),
    ("none_left", "no other candidate is left, for example because the user has decided on all of them"),
    ("none_above_minimum", "the scores of the other candidates are not above the minimum"), ("else", "else"),
  ])
  func `a short list has a reason`(_ reason: String, _ words: String) {
    #expect(Wording.shortfall(reason) == words)
  }

  @Test(arguments: [
    ("out_of_reach", "out of reach"), ("self", "the user, or owned by the user"),
    ("interacted", "already decided on by the user"), ("vetoed", "the candidate passed on the user"),
    ("friends", "owned by a friend"), ("not_above_minimum", "score not above the minimum"),
    ("beyond_top", "below the last place of a full list"), ("else", "else"),
  ])
  func `a candidate that is not on a list has a reason`(_ rule: String, _ words: String) {
    #expect(Wording.lost(rule) == words)
  }

  @Test(arguments: [
    ("merged", "merged (another row takes its place)"), ("later", "later than the as-of time"),
    ("ignored", "ignored by the pipeline file"), ("erased", "about erased ids"),
    ("under_age", "by users below the minimum age"), ("age_unknown", "by users of unknown age"),
    ("left_out", "excluded by ‘where’"),
    ("left_out_by_all", "not selected by the ‘where’ of any source that reads this export"),
    ("updated_later", "changed after the as-of time"), ("rejects_written", "rejects listed in rejects.csv"),
    ("else", "else"),
  ])
  func `an outcome of rows is described`(_ outcome: String, _ words: String) {
    #expect(Wording.outcome(outcome) == words)
  }
}
