/// The documents of customers and workers, one per line.
enum FixItRows {
  /// Returns the document at `path`, whose creation and last update are at `time`.
  static func document(_ path: String, _ fields: FirestoreFields, at time: String) -> String {
    fields.document(in: "fixit-demo", path, created: time, updated: time)
  }

  static func customers(of world: FixItWorld, _ summary: inout FixItSummary) -> [String] {
    world.customers.map { customer in
      var fields = FirestoreFields()
      fields.string("name", customer.name)
      add(customer.place, customer.fault, to: &fields)
      let created = CivilTime.text(customer.createdAt, .milliseconds)
      add(createdAt: created, customer.fault, to: &fields)
      summary.customers += 1
      summary.customersBreaking.add(customer.fault?.rule)
      return document("customers/" + customer.id, fields, at: created)
    }
  }

  static func workers(of world: FixItWorld, _ summary: inout FixItSummary) -> [String] {
    world.workers.map { worker in
      var fields = FirestoreFields()
      fields.string("name", worker.name)
      if let account = worker.account { fields.string("account", account) }
      fields.string("category", Trade.all[worker.trade].name)
      if worker.fault == .badPrice {
        fields.string("pricePerHour", "on request")
      } else if let price = worker.price {
        fields.double("pricePerHour", price)
      }
      if let radius = worker.radius { fields.integer("serviceRadiusKm", radius) }
      fields.flag("active", worker.isActive)
      add(worker.place, worker.fault, to: &fields)
      add(slots: worker.slots, worker.fault, newest: world.rhythm.end, to: &fields)
      let created = CivilTime.text(worker.createdAt, .milliseconds)
      add(createdAt: created, worker.fault, to: &fields)
      summary.workers += 1
      summary.workersBreaking.add(worker.fault?.rule)
      return document("workers/" + worker.id, fields, at: created)
    }
  }

  private static func add(_ place: Place?, _ fault: FixItWorld.Fault?, to fields: inout FirestoreFields) {
    let latitude = fault == .badLatitude ? "97.5" : place.map { "\($0.latitude)" }
    guard let latitude else { return }
    fields.geoPoint("location", latitude: latitude, longitude: "\(place?.longitude ?? 0)")
  }

  private static func add(
    createdAt created: String, _ fault: FixItWorld.Fault?, to fields: inout FirestoreFields
  ) {
    if fault == .badTime {
      fields.string("createdAt", "last spring")
    } else {
      fields.time("createdAt", created)
    }
  }

  private static func add(
    slots: [Range<Int64>], _ fault: FixItWorld.Fault?, newest: Int64, to fields: inout FirestoreFields
  ) {
    if fault == .badSlots { return fields.string("freeSlots", "weekends") }
    let broken: Range<Int64>? = fault == .emptySlot ? newest..<newest : nil
    let maps = (slots + (broken.map { [$0] } ?? [])).map { slot in
      var map = FirestoreFields()
      map.time("from", CivilTime.text(slot.lowerBound, .none))
      map.time("to", CivilTime.text(slot.upperBound, .none))
      return map
    }
    var endless = FirestoreFields()
    endless.time("from", CivilTime.text(newest, .none))
    fields.maps("freeSlots", maps + (fault == .endlessSlot ? [endless] : []))
  }
}
