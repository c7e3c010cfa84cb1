/// A fault in the address of a store. The text contains no password.
struct AddressFlaw: Error {
  var found: String

  init(_ found: String) { self.found = found }
}
