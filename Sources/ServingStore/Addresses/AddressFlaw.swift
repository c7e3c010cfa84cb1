/// The fault in the address of a store. The message quotes no secret parts.
struct AddressFlaw: Error {
  var found: String

  init(_ found: String) { self.found = found }
}
