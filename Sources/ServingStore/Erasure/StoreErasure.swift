internal import Text

/// The numbers of rows that an erasure removed from all generations of a store, or would remove in a dry run.
package struct StoreErasure: Hashable, Sendable {
  /// The number of lists of the erased people.
  package var lists = 0
  /// The number of entries of the erased people on other people's lists.
  package var places = 0
  package var matches = 0
  /// The number of rows of published attributes.
  package var people = 0
  package var positions = 0
  /// The number of entries of catalogs.
  package var entries = 0
  /// The number of generations that changed.
  package var generations = 0
  /// Traces that the store or its files may still contain, and how to remove them.
  package var remarks: [String] = []

  package init() {}

  package var total: Int { lists + places + matches + people + positions + entries }
}

/// The options of an erasure.
package struct ErasureOptions: Sendable {
  /// The new content digest of each run from which people were erased, by the old digest of the run.
  /// Generations that were published from such a run get the new digest.
  package var contents: [String: String]
  /// The digest of the tombstone set that includes all erased people. The erasure records this digest in all
  /// generations, which then contain none of these people.
  package var tombstones: String?
  /// Whether rows are only counted, not removed.
  package var isDryRun: Bool

  package init(contents: [String: String] = [:], tombstones: String? = nil, isDryRun: Bool = false) {
    (self.contents, self.tombstones, self.isDryRun) = (contents, tombstones, isDryRun)
  }
}

extension GenerationNote {
  /// Returns the note of a generation after an erasure.
  ///
  /// - Parameters:
  ///   - contents: See `ErasureOptions`.
  ///   - hasChanged: Whether any row of the generation changed.
  /// - Returns: The note. It has no content digest if a row changed and `contents` has no new digest.
  func erased(_ contents: [String: String], hasChanged: Bool) -> GenerationNote {
    var note = self
    if let content, let after = contents[content] {
      note.content = after
    } else if hasChanged {
      // `contents` has no new digest, for example because the run is no longer kept. The digest of the
      // remaining rows is therefore unknown.
      note.content = nil
    }
    return note
  }
}

extension StoredID {
  /// The id as a JSON string with quotes, in the form of this program's documents.
  var quoted: [UInt8] {
    var text = JSONText()
    text.append(string: utf8.span)
    return text.bytes
  }
}

extension ListDocument {
  /// Returns the document without the erased people; `nil` if the document contains none of them.
  static func erased(
    _ document: [UInt8], _ ids: Set<StoredID>, _ address: StoreAddress
  ) throws(ServingStoreError) -> Edited? {
    try parsed(document, address).removing { ids.contains(StoredID(utf8: $0)) }
  }

  /// Removes one person or thing from the bucket of a cell; see `BucketDocument`.
  static func leaving(
    _ bucket: [UInt8], attributes: [UInt8]?, _ address: StoreAddress
  ) throws(ServingStoreError) -> [UInt8]? {
    do throws(Flaw) {
      return try BucketDocument.leaving(bucket, attributes: attributes)
    } catch {
      throw corrupt(error, address)
    }
  }

  /// Returns the ids in an entry of a catalog.
  static func ids(ofEntry entry: [UInt8], _ address: StoreAddress) throws(ServingStoreError) -> [StoredID] {
    do throws(Flaw) {
      return try EntryDocument.ids(entry).map { StoredID(utf8: $0) }
    } catch {
      throw corrupt(error, address)
    }
  }

  private static func corrupt(_ flaw: Flaw, _ address: StoreAddress) -> ServingStoreError {
    ServingStoreError(
      .corrupt, address: address.description, found: flaw.description,
      nextStep: "restore the store from a backup, or remove it and publish again")
  }

  static func parsed(_ document: [UInt8], _ address: StoreAddress) throws(ServingStoreError) -> ListDocument {
    do throws(ListDocument.Flaw) {
      return try ListDocument(document)
    } catch {
      throw corrupt(error, address)
    }
  }
}
