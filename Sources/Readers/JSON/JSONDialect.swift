internal import CSimdJSON

/// Conventions of a back end on top of JSON.
enum JSONDialect {
  /// None.
  case plain
  /// Responses of Firestore's REST interface, as records.
  ///
  /// A document is `{"name": …, "fields": {…}, "createTime": …, "updateTime": …}`. The first byte and the first value decide
  /// which form the file has:
  ///
  /// | begins with | and | is | counted in |
  /// | --- | --- | --- | --- |
  /// | `[` | | documents, or runQuery's `{"document": {…}, "readTime": …}` | elements |
  /// | `{` | has the key `documents` | list pages `{"documents": […]}`, one after the other | elements |
  /// | `{` | is alone on its line | documents or query results, one per line | lines |
  /// | `{` | spans several lines | such objects one after the other, over any lines | elements |
  ///
  /// Query results without a document (`readTime` alone, for instance) and `{}`, the page of an empty collection, are not
  /// records but count in the numbering.
  ///
  /// Typed values become plain ones: stringValue, timestampValue, referenceValue and bytesValue are text,
  /// integerValue an integer, doubleValue a number ("NaN", "Infinity" and "-Infinity" too), nullValue missing;
  /// mapValue's members are reached as `map.member` and geoPointValue's as `position.latitude` and
  /// `position.longitude`; arrayValue is a structure. A member that a geoPointValue lacks is 0, as proto3's JSON
  /// omits zeros. Where a document has no such field, `id` is the last segment of its name, and `createTime` and
  /// `updateTime` are its own. Only requested fields must be typed values.
  ///
  /// Source: Cloud Firestore REST reference, types Document, Value and RunQueryResponse; the JSON mapping of
  /// Protocol Buffers.
  case firestore
  /// Responses of Parse's REST interface and exports of its dashboard, as records.
  ///
  /// An object is `{"objectId": …, "createdAt": …, "updatedAt": …, …}` with the class's own members. `JSONPass.forEachPaged`
  /// describes the forms of a file; pages are `{"results": […]}`. `count` and other members beside `results` are skipped.
  ///
  /// If one value is requested, Parse's typed objects become plain values. Their members can be requested like members of any
  /// object:
  ///
  /// | `__type` | value | members |
  /// | --- | --- | --- |
  /// | `Date` | its `iso`, a text | |
  /// | `Pointer`, `Object` (an included one) | its `objectId`, a text | `user.className`, `user.name` … |
  /// | `File` | its `name`, a text | `photo.url` |
  /// | `Bytes` | its `base64`, a text | |
  /// | `GeoPoint`, `Polygon`, `Relation`, `ACL` | a structure | `place.latitude`, `place.longitude` |
  ///
  /// A typed object without its required member is a structure, and violates the rule of its field.
  ///
  /// Source: Parse REST API guide, "Data types" and "Queries".
  case parse
  /// The format of a Realtime Database export: see `RealtimePath`.
  case realtime

  /// The key of a page that holds its records; `nil` for formats without pages.
  var container: String? {
    switch self {
    case .firestore: "documents"
    case .parse: "results"
    case .plain, .realtime: nil
    }
  }

  var code: njson_dialect {
    switch self {
    case .plain: NJSON_DIALECT_PLAIN
    case .firestore: NJSON_DIALECT_FIRESTORE
    case .parse: NJSON_DIALECT_PARSE
    case .realtime: NJSON_DIALECT_REALTIME
    }
  }
}
