extension Float {
  /// An unsigned number that orders floats by value: the greater float has the greater number. NaN is not
  /// supported.
  @inline(__always)
  var orderedBits: UInt32 {
    let bits = bitPattern
    return bits & Self.signBit == 0 ? bits | Self.signBit : ~bits
  }

  /// Creates the float whose `orderedBits` are `bits`.
  @inline(__always)
  init(orderedBits bits: UInt32) {
    self.init(bitPattern: bits & Self.signBit == 0 ? ~bits : bits & ~Self.signBit)
  }

  private static var signBit: UInt32 { 1 << 31 }
}
