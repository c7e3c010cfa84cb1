/// What Firestore's REST interface answers, as records.
///
/// A document is `{"name": …, "fields": {…}, "createTime": …, "updateTime": …}`. The file may hold, and the first
/// byte and the first value decide which it is:
///
/// | begins with | and | is | counted in |
/// | --- | --- | --- | --- |
/// | `[` | | documents, or runQuery's `{"document": {…}, "readTime": …}` | elements |
/// | `{` | has the key `documents` | list pages `{"documents": […]}`, one after the other | elements |
/// | `{` | stands alone on its line | documents or query results, one per line | lines |
/// | `{` | spans several lines | such objects one after the other, over any lines | elements |
///
/// Query results without a document (`readTime` alone, for instance) and `{}`, which is the page of an empty
/// collection, are no records, but count in the numbering.
///
/// Typed values become plain ones: stringValue, timestampValue, referenceValue and bytesValue are text,
/// integerValue an integer, doubleValue a number ("NaN", "Infinity" and "-Infinity" too), nullValue missing;
/// mapValue's members are reached as `map.member` and geoPointValue's as `position.latitude` and
/// `position.longitude`; arrayValue is a structure. A member that a geoPointValue lacks is 0, as proto3's JSON
/// omits zeros. Where a document has no such field, `id` is the last segment of its name, and `createTime` and
/// `updateTime` are its own. Only the requested fields are checked to be typed values.
///
/// Source: Cloud Firestore REST reference, types Document, Value and RunQueryResponse; the JSON mapping of
/// Protocol Buffers.
enum FirestoreRecords {
  /// The key of a page under which its documents stand.
  static let container = "documents"
}
