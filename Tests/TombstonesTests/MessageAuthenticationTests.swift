import Testing

@testable import Tombstones

/// The cases of RFC 4231, section 4.
struct AuthenticationCase: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var key: [UInt8]
  var message: [UInt8]
  var code: String

  static let all = [
    AuthenticationCase(
      testDescription: "1", key: Array(repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    AuthenticationCase(
      testDescription: "2, a short key", key: Array("Jefe".utf8),
      message: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    AuthenticationCase(
      testDescription: "3, a message longer than a block with its key",
      key: Array(repeating: 0xAA, count: 20),
      message: Array(repeating: 0xDD, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    AuthenticationCase(
      testDescription: "4", key: Array(1...25), message: Array(repeating: 0xCD, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    AuthenticationCase(
      testDescription: "6, a key longer than a block", key: Array(repeating: 0xAA, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    AuthenticationCase(
      testDescription: "7, both longer than a block", key: Array(repeating: 0xAA, count: 131),
      message: Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. The key needs to "
          + "be hashed before being used by the HMAC algorithm.").utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]
}

@Test(
  arguments: [
    ("", []), ("00", [0]), ("0fa1", [15, 161]), ("f", nil), ("0fa", nil), ("0g", nil), ("0g1", nil),
    ("0F", nil),
    ("0f ", nil),
  ] as [(String, [UInt8]?)])
func `only an even number of lowercase hexadecimal digits is parsed`(_ digits: String, _ bytes: [UInt8]?) {
  #expect(Hexadecimal.bytes(digits.utf8) == bytes)
}

@Test(arguments: AuthenticationCase.all)
func `codes equal the test cases of RFC 4231`(_ test: AuthenticationCase) {
  let code = MessageAuthentication(key: test.key).code(of: test.message)
  #expect(String(decoding: Hexadecimal.digits(code), as: UTF8.self) == test.code)
}
