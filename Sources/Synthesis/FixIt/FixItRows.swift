internal import Concurrency

/// The documents of customers and workers, each a line.
enum FixItRows {
  static func document(_ collection: String, _ id: String, _ fields: FirestoreFields, at time: String)
    -> String
  {
    "{\"name\":"
      + FirestoreFields.quoted("projects/fixit-demo/databases/(default)/documents/\(collection)/\(id)")
      + ",\"fields\":{" + fields.members + "},\"createTime\":\"\(time)\",\"updateTime\":\"\(time)\"}"
  }

  static func customers(of world: FixItWorld, _ summary: inout FixItSummary) -> [String] {
    world.customers.map { customer in
      var fields = FirestoreFields()
      fields.string("name", customer.name)
      add(customer.place, customer.fault, to: &fields)
      let created = CivilTime.text(customer.createdAt, .milliseconds)
      add(createdAt: created, customer.fault, to: &fields)
      summary.customers += 1
      if let fault = customer.fault { summary.customersBreaking[fault.rule, default: 0] += 1 }
      return document("customers", customer.id, fields, at: created)
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
      add(slots: worker.slots, worker.fault, to: &fields)
      let created = CivilTime.text(worker.createdAt, .milliseconds)
      add(createdAt: created, worker.fault, to: &fields)
      summary.workers += 1
      if let fault = worker.fault { summary.workersBreaking[fault.rule, default: 0] += 1 }
      return document("workers", worker.id, fields, at: created)
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
    slots: [Range<Int64>], _ fault: FixItWorld.Fault?, to fields: inout FirestoreFields
  ) {
    if fault == .badSlots { return fields.string("freeSlots", "weekends") }
    let broken: Range<Int64>? = fault == .emptySlot ? FixItExport.newestJob..<FixItExport.newestJob : nil
    let maps = (slots + (broken.map { [$0] } ?? [])).map { slot in
      var map = FirestoreFields()
      map.time("from", CivilTime.text(slot.lowerBound, .none))
      map.time("to", CivilTime.text(slot.upperBound, .none))
      return map
    }
    var endless = FirestoreFields()
    endless.time("from", CivilTime.text(FixItExport.newestJob, .none))
    fields.maps("freeSlots", maps + (fault == .endlessSlot ? [endless] : []))
  }
}
