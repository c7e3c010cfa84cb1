internal import Concurrency

/// The rows of a crowd's `users` file: id, position, attributes, and the time of the profile's last change.
struct CrowdUserRows: Sendable {
  let crowd: Crowd
  let format: CrowdFormat
  let ids: CrowdIDs
  /// The earliest possible time of a swipe, in milliseconds since 1970. The last changes of the profiles are
  /// in the year before this time.
  let firstSwipe: Int64

  static let chunk = 1 << 15

  var header: String {
    format == .csv ? "id,latitude,longitude,business_field,rating,age,updated_at\n" : ""
  }

  var chunks: Int { (crowd.people.count + Self.chunk - 1) / Self.chunk }

  /// Returns the bytes of chunk `number`.
  func text(ofChunk number: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.chunk * 140)
    for person in number * Self.chunk..<min(crowd.people.count, (number + 1) * Self.chunk) {
      bytes += row(person).utf8
    }
    return bytes
  }

  private func row(_ index: Int) -> String {
    let person = crowd[number: index]
    let id = ids.text(index)
    let latitude = CrowdDigits.degrees(person.latitude)
    let longitude = CrowdDigits.degrees(person.longitude)
    let field = CrowdPerson.fields[Int(person.field)]
    let rating = "\(person.rating / 10).\(person.rating % 10)"
    var generator = SplitMix64(seed: crowd.seed, purpose: .documents, index: index)
    let year = 365 * CivilTime.day
    let updated = CivilTime.text(generator.nextInstant(in: firstSwipe - year..<firstSwipe), .none)
    return switch format {
    case .csv: "\(id),\(latitude),\(longitude),\(field),\(rating),\(person.age),\(updated)\n"
    case .jsonl:
      #"{"id":"\#(id)","latitude":\#(latitude),"longitude":\#(longitude),"business_field":"\#(field)","#
        + #""rating":\#(rating),"age":\#(person.age),"updated_at":"\#(updated)"}"# + "\n"
    }
  }
}
