internal import CSimdJSON

/// The conventions of a back end for values and records in JSON.
enum JSONDialect {
  /// Plain JSON without further conventions.
  case plain
  /// Responses of Firestore's REST API, as records.
  ///
  /// A document is `{"name": …, "fields": {…}, "createTime": …, "updateTime": …}`. The first byte and the
  /// first value decide which form the file has:
  ///
  /// | begins with | and | is | counted in |
  /// | --- | --- | --- | --- |
  /// | `[` | | documents, or runQuery's `{"document": {…}, "readTime": …}` | elements |
  /// | `{` | has the key `documents` | list pages `{"documents": […]}`, one after the other | elements |
  /// | `{` | is alone on its line | documents or query results, one per line | lines |
  /// | `{` | spans several lines | such objects one after the other, split over lines in any way | elements |
  ///
  /// Query results without a document (such as `readTime` alone) are not records, but count in the numbering.
  /// The same applies to `{}`, the page of an empty collection.
  ///
  /// Typed values become plain values:
  /// - stringValue, timestampValue, referenceValue and bytesValue become texts. integerValue becomes an
  ///   integer, and nullValue becomes a missing value.
  /// - doubleValue becomes a number, which may be "NaN", "Infinity" or "-Infinity".
  /// - Members of mapValue are requested as `map.member`, and members of geoPointValue as `position.latitude`
  ///   and `position.longitude`. A missing coordinate is 0, because the JSON mapping of proto3 omits zeros.
  /// - arrayValue is a structure.
  ///
  /// If a document has no field `id`, the last segment of its name becomes `id`. If the document has no field
  /// `createTime` or `updateTime`, the document's own `createTime` or `updateTime` in Firestore becomes this
  /// field. Only requested fields must be typed values.
  ///
  /// Source: Cloud Firestore REST reference, types Document, Value and RunQueryResponse; the JSON mapping of
  /// Protocol Buffers.
  case firestore
  /// Responses of Parse's REST API and exports of its dashboard, as records.
  ///
  /// An object is `{"objectId": …, "createdAt": …, "updatedAt": …, …}` with the class's own members.
  /// `JSONPass.forEachPaged` describes the forms of a file; pages are `{"results": […]}`. Of the members
  /// beside `results`, only `count` is used.
  ///
  /// A requested field that is a typed object becomes a plain value. The object's members can be requested
  /// like members of any object:
  ///
  /// | `__type` | value | members |
  /// | --- | --- | --- |
  /// | `Date` | its `iso`, a text | |
  /// | `Pointer`, `Object` (an included object) | its `objectId`, a text | `user.className`, `user.name` … |
  /// | `File` | its `name`, a text | `photo.url` |
  /// | `Bytes` | its `base64`, a text | |
  /// | `GeoPoint`, `Polygon`, `Relation`, `ACL` | a structure | `place.latitude`, `place.longitude` |
  ///
  /// A typed object without its required member is a structure, which is a fault of the field.
  ///
  /// Source: Parse REST API guide, "Data types" and "Queries".
  case parse
  /// The format of a Realtime Database export: see `RealtimePath`.
  case realtime

  /// The key under which a page contains its records; `nil` for formats without pages.
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
