/// What Parse's REST interface answers, and what its dashboard exports, as records.
///
/// An object is `{"objectId": …, "createdAt": …, "updatedAt": …, …}` with the class's own members. The file may hold
/// what `JSONPass.forEachPaged` describes, with pages `{"results": […]}`; `count` and other members beside `results`
/// are skipped.
///
/// Parse's typed objects become plain values where one value is asked for, and their members can be asked for as
/// those of any object:
///
/// | `__type` | value | members |
/// | --- | --- | --- |
/// | `Date` | its `iso`, a text | |
/// | `Pointer`, `Object` (an included one) | its `objectId`, a text | `user.className`, `user.name` … |
/// | `File` | its `name`, a text | `photo.url` |
/// | `Bytes` | its `base64`, a text | |
/// | `GeoPoint`, `Polygon`, `Relation`, `ACL` | a structure | `place.latitude`, `place.longitude` |
///
/// A typed object without the member that it should have is a structure, and breaks the rule of its field.
///
/// Source: Parse REST API guide, "Data types" and "Queries".
enum ParseRecords {
  /// The key of a page under which its objects stand.
  static let container = "results"
}
