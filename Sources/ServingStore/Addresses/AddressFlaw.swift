/// What is wrong with the address of a store, in words that repeat nothing of it but what is no secret.
struct AddressFlaw: Error {
  var found: String

  init(_ found: String) { self.found = found }
}
