// Text as bytes: ids in byte order, JSON, CSV, numbers, instants, and safe text for terminals.
//
// The module converts values to text and back. Every other module may use it, so it must not depend on any but `CLinux`: it opens
// no file and knows no table.
