/// What is wrong with the address of a store. The message quotes only parts that are not secret.
struct AddressFlaw: Error {
  var found: String

  init(_ found: String) { self.found = found }
}
