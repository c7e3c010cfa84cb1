internal import PipelineFile
internal import RunSchemas
internal import ServingStore

/// A stored row with JSON in an unexpected form.
struct DamagedRow: Error {
  /// The part of the generation that contains the row, such as `list 'near'`.
  let place: String

  /// Calls `decode`, which only decodes the JSON of a row in `place`.
  ///
  /// - Throws: `DamagedRow` if `decode` fails. The error of the decoder is dropped, because it may contain
  ///   parts of the row, and rows are personal data.
  static func decoding<Value>(_ place: String, _ decode: () throws -> Value) throws(DamagedRow) -> Value {
    do {
      return try decode()
    } catch {
      throw DamagedRow(place: place)
    }
  }

  /// Returns the error for the user.
  ///
  /// - Parameters:
  ///   - store: The store that contains the row.
  ///   - pipeline: The pipeline, for the command in the message.
  /// - Returns: An error with the status of a damaged store.
  func failure(in store: any ServingStore, of pipeline: Pipeline) -> ServingStoreError {
    ServingStoreError(
      .corrupt, address: store.address.description,
      found: "the store is damaged: a row of \(place) is not JSON of the expected form",
      nextStep: "publish again with '\(ShownCommand.text("run", pipeline.file, set: pipeline.overrides))'")
  }
}
