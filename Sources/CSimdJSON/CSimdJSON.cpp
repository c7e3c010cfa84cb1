#include "CSimdJSON.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

static_assert(NJSON_PADDING >= simdjson::SIMDJSON_PADDING, "NJSON_PADDING is too small for this simdjson");

namespace dom = simdjson::dom;

namespace {

// The requested paths as a tree of keys. With the tree, each object of a record is traversed only once. A
// node can be a requested path itself (`outputs`) and also a step to other paths (`children`).
struct Node {
  std::string key;
  std::vector<std::unique_ptr<Node>> children;
  std::vector<size_t> outputs;
  bool wants_list = false;
  // The number of the last record with this key. It reveals duplicate keys without clearing a flag for each record.
  uint64_t record = 0;
};

}  // namespace

struct njson_extractor {
  dom::parser parser;
  Node root;
  size_t paths = 0;
  uint64_t record = 0;
  dom::object keyed;  // the object whose keys njson_keys returns, if has_keys is true
  bool has_keys = false;
  std::string widened;

  // The state of the current extraction.
  njson_value *values = nullptr;
  size_t strings_length = 0;
  std::string lists;
  int32_t bad_path = -1;
  bool has_duplicate = false;

  simdjson::error_code parse(const uint8_t *bytes, size_t length, dom::element &document);
  Node *child(Node &node, std::string_view key);
  void set(const Node &node, njson_value value);
  njson_value text(std::string_view string);
  njson_value scalar(dom::element element);
  void blame(const Node &node);
  bool only(dom::object object, std::string_view key, dom::element &held);
  void walk(Node &node, dom::object object, njson_dialect dialect);
  njson_value parse_value(dom::element element);
  njson_value value(const Node &node, dom::element element, njson_dialect dialect);
  bool append(const njson_value &element);
  void append_text(std::string_view text);
  size_t begin_object();
  void set_object_count(size_t mark, uint64_t count);
  bool append_object(dom::object object, njson_dialect dialect);
  // Whether the current list has lost a null, or the keys of an object.
  bool is_lossy = false;
  njson_value list_since(size_t start);
  bool append_keyed(dom::element element);
  bool firestore_scalar(std::string_view type, dom::element inner, njson_value &value);
  bool firestore_list(dom::object array, njson_value &value);
  bool walk_fields(Node &node, dom::object fields);
  bool typed(Node &node, dom::element element);
  bool geo_point(Node &node, dom::object point);
  njson_status firestore(dom::object document);
};

namespace {

const njson_value absent = {NJSON_ABSENT, 0, 0, 0, 0};

bool fits_int64(std::string_view digits, bool negative) {
  std::string_view limit = negative ? "9223372036854775808" : "9223372036854775807";
  return digits.size() < limit.size() || (digits.size() == limit.size() && digits <= limit);
}

bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

// Copies the text with `e0` after every integer that does not fit in 64 bits, so that simdjson parses the integer as
// a floating-point number. Without the `e0`, simdjson 3.0.1 rejects the whole text, although JSON allows integers of
// any size. Returns whether the copy differs from the text. A malformed text stays malformed, because only whole runs
// of digits change.
bool widen_integers(const uint8_t *bytes, size_t length, std::string &out) {
  out.clear();
  out.reserve(length + 64 + NJSON_PADDING);
  bool changed = false;
  size_t i = 0;
  while (i < length) {
    const uint8_t byte = bytes[i];
    const size_t start = i;
    if (byte == '"') {
      for (i++; i < length && bytes[i] != '"'; i++) {
        if (bytes[i] == '\\') i++;
      }
      i = i < length ? i + 1 : length;
      out.append(reinterpret_cast<const char *>(bytes) + start, i - start);
    } else if (byte == '-' || is_digit(byte)) {
      const size_t digits = byte == '-' ? i + 1 : i;
      for (i = digits; i < length && is_digit(bytes[i]); i++) {}
      const size_t end = i;
      while (i < length && (is_digit(bytes[i]) || std::strchr("+-.eE", bytes[i]) != nullptr) && bytes[i] != 0) {
        i++;
      }
      const std::string_view run(reinterpret_cast<const char *>(bytes) + digits, end - digits);
      out.append(reinterpret_cast<const char *>(bytes) + start, i - start);
      if (i == end && !fits_int64(run, byte == '-')) {
        out.append("e0");
        changed = true;
      }
    } else {
      out.push_back(static_cast<char>(byte));
      i++;
    }
  }
  return changed;
}

// Parses the digits of a Firestore integerValue.
bool parse_int64(std::string_view text, int64_t &result) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::string_view digits = negative ? text.substr(1) : text;
  if (digits.empty() || digits.size() > 19) return false;
  uint64_t magnitude = 0;
  for (char character : digits) {
    if (!is_digit(static_cast<uint8_t>(character))) return false;
    magnitude = magnitude * 10 + static_cast<uint64_t>(character - '0');
  }
  const uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + (negative ? 1 : 0);
  if (magnitude > limit) return false;
  result = negative ? static_cast<int64_t>(0 - magnitude) : static_cast<int64_t>(magnitude);
  return true;
}

bool is_firestore_scalar(std::string_view type) {
  return type == "stringValue" || type == "timestampValue" || type == "referenceValue" || type == "bytesValue" ||
         type == "integerValue" || type == "doubleValue" || type == "booleanValue" || type == "nullValue";
}

// Parses a double in proto3's JSON: a number, or one of the strings "NaN", "Infinity" and "-Infinity".
bool parse_proto_double(dom::element element, double &result) {
  if (element.get_double().get(result) == simdjson::SUCCESS) return true;
  std::string_view text;
  if (element.get_string().get(text) != simdjson::SUCCESS) return false;
  if (text == "NaN") {
    result = std::numeric_limits<double>::quiet_NaN();
  } else if (text == "Infinity") {
    result = std::numeric_limits<double>::infinity();
  } else if (text == "-Infinity") {
    result = -std::numeric_limits<double>::infinity();
  } else {
    return false;
  }
  return true;
}

}  // namespace

simdjson::error_code njson_extractor::parse(const uint8_t *bytes, size_t length, dom::element &document) {
  // The caller guarantees the padding, so simdjson does not copy the text.
  simdjson::error_code error = parser.parse(bytes, length, false).get(document);
  if (error == simdjson::NUMBER_ERROR && widen_integers(bytes, length, widened)) {
    const size_t widened_length = widened.size();
    widened.append(NJSON_PADDING, ' ');
    error = parser.parse(reinterpret_cast<const uint8_t *>(widened.data()), widened_length, false).get(document);
  }
  return error;
}

Node *njson_extractor::child(Node &node, std::string_view key) {
  for (auto &candidate : node.children) {
    if (candidate->key == key) {
      if (candidate->record == record) {
        if (!has_duplicate) blame(*candidate);
        has_duplicate = true;
        return nullptr;
      }
      candidate->record = record;
      return candidate.get();
    }
  }
  return nullptr;
}

// Reports the first path at or below the node as the faulty path.
void njson_extractor::blame(const Node &node) {
  const Node *below = &node;
  while (below->outputs.empty()) below = below->children.front().get();
  bad_path = static_cast<int32_t>(below->outputs.front());
}

void njson_extractor::set(const Node &node, njson_value value) {
  for (size_t output : node.outputs) values[output] = value;
}

njson_value njson_extractor::text(std::string_view string) {
  njson_value value = absent;
  value.kind = NJSON_TEXT;
  value.offset = static_cast<size_t>(reinterpret_cast<const uint8_t *>(string.data()) - parser.doc.string_buf.get());
  value.length = string.size();
  if (value.offset + value.length > strings_length) strings_length = value.offset + value.length;
  return value;
}

njson_value njson_extractor::scalar(dom::element element) {
  njson_value value = absent;
  switch (element.type()) {
    case dom::element_type::STRING:
      return text(element.get_string().value_unsafe());
    case dom::element_type::INT64:
      value.kind = NJSON_INTEGER;
      value.integer = element.get_int64().value_unsafe();
      break;
    case dom::element_type::UINT64:  // simdjson's type for integers above INT64_MAX
      value.kind = NJSON_NUMBER;
      value.number = static_cast<double>(element.get_uint64().value_unsafe());
      break;
    case dom::element_type::DOUBLE:
      value.kind = NJSON_NUMBER;
      value.number = element.get_double().value_unsafe();
      break;
    case dom::element_type::BOOL:
      value.kind = NJSON_BOOLEAN;
      value.integer = element.get_bool().value_unsafe() ? 1 : 0;
      break;
    case dom::element_type::NULL_VALUE:
      value.kind = NJSON_NULL;
      break;
    default:
      value.kind = NJSON_STRUCTURE;
  }
  return value;
}

// Finds the member with this key. Returns false if the object has no such member. A duplicate key is an error, because
// it is ambiguous.
bool njson_extractor::only(dom::object object, std::string_view key, dom::element &held) {
  bool is_found = false;
  for (dom::key_value_pair member : object) {
    if (member.key != key) continue;
    if (is_found) {
      has_duplicate = true;
    } else {
      held = member.value;
      is_found = true;
    }
  }
  return is_found;
}

void njson_extractor::walk(Node &node, dom::object object, njson_dialect dialect) {
  for (dom::key_value_pair member : object) {
    Node *next = child(node, member.key);
    if (next == nullptr) continue;
    if (!next->outputs.empty()) set(*next, value(*next, member.value, dialect));
    dom::object inner;
    if (!next->children.empty() && member.value.get_object().get(inner) == simdjson::SUCCESS) {
      walk(*next, inner, dialect);
    }
  }
}

// Returns the scalar that a typed object of Parse represents. Any other value stays unchanged.
njson_value njson_extractor::parse_value(dom::element element) {
  dom::object object;
  dom::element held;
  std::string_view type, inner;
  if (element.get_object().get(object) == simdjson::SUCCESS && only(object, "__type", held) &&
      held.get_string().get(type) == simdjson::SUCCESS) {
    const char *key = type == "Date"                            ? "iso"
                      : type == "Pointer" || type == "Object"   ? "objectId"
                      : type == "File"                          ? "name"
                      : type == "Bytes"                         ? "base64"
                                                                : nullptr;
    if (key != nullptr && only(object, key, held) && held.get_string().get(inner) == simdjson::SUCCESS) {
      return text(inner);
    }
  }
  return scalar(element);
}

// Returns the value at a node. The value is a list if the path requests a list and the element can be one.
njson_value njson_extractor::value(const Node &node, dom::element element, njson_dialect dialect) {
  if (node.wants_list) {
    const size_t start = lists.size();
    dom::array array;
    bool is_list = false;
    is_lossy = false;
    if (dialect == NJSON_DIALECT_REALTIME) {
      is_list = append_keyed(element);
    } else if (element.get_array().get(array) == simdjson::SUCCESS) {
      is_list = true;
      for (dom::element inner : array) {
        const njson_value value = dialect == NJSON_DIALECT_PARSE ? parse_value(inner) : scalar(inner);
        dom::object object;
        const bool is_object = value.kind == NJSON_STRUCTURE && inner.get_object().get(object) == simdjson::SUCCESS;
        is_list = is_list && (is_object ? append_object(object, dialect) : append(value));
      }
    }
    if (is_list) return list_since(start);
    lists.resize(start);
  }
  return dialect == NJSON_DIALECT_PARSE ? parse_value(element) : scalar(element);
}

// Appends a scalar to the current list and skips null. Returns false for any other value.
bool njson_extractor::append(const njson_value &element) {
  if (element.kind == NJSON_NULL) {
    is_lossy = true;
    return true;
  }
  uint64_t bits = static_cast<uint64_t>(element.integer);
  switch (element.kind) {
    case NJSON_TEXT:
      bits = element.length;
      break;
    case NJSON_NUMBER:
      std::memcpy(&bits, &element.number, sizeof bits);
      break;
    case NJSON_INTEGER:
    case NJSON_BOOLEAN:
      break;
    default:
      return false;
  }
  char word[sizeof bits];
  std::memcpy(word, &bits, sizeof bits);
  lists.push_back(static_cast<char>(element.kind));
  lists.append(word, sizeof word);
  if (element.kind == NJSON_TEXT) {
    lists.append(reinterpret_cast<const char *>(parser.doc.string_buf.get()) + element.offset, element.length);
  }
  return true;
}

void njson_extractor::append_text(std::string_view text) {
  const uint64_t length = text.size();
  char word[sizeof length];
  std::memcpy(word, &length, sizeof length);
  lists.push_back(static_cast<char>(NJSON_TEXT));
  lists.append(word, sizeof word);
  lists.append(text);
}

// Appends the header of an object and returns its offset.
size_t njson_extractor::begin_object() {
  const size_t mark = lists.size();
  lists.push_back(static_cast<char>(NJSON_STRUCTURE));
  lists.append(sizeof(uint64_t), 0);
  return mark;
}

void njson_extractor::set_object_count(size_t mark, uint64_t count) {
  char word[sizeof count];
  std::memcpy(word, &count, sizeof count);
  lists.replace(mark + 1, sizeof word, word, sizeof word);
}

// Appends an object to the current list: the number of members, then each key and value. Members that are not scalars
// are skipped. Returns false if a member of a Firestore object is not a typed value.
bool njson_extractor::append_object(dom::object object, njson_dialect dialect) {
  const size_t mark = begin_object();
  uint64_t count = 0;
  for (dom::key_value_pair member : object) {
    njson_value value = absent;
    if (dialect == NJSON_DIALECT_FIRESTORE) {
      dom::object typed;
      if (member.value.get_object().get(typed) != simdjson::SUCCESS || typed.size() != 1) return false;
      const dom::key_value_pair held = *typed.begin();
      if (!is_firestore_scalar(held.key)) continue;
      if (!firestore_scalar(held.key, held.value, value)) return false;
    } else {
      value = dialect == NJSON_DIALECT_PARSE ? parse_value(member.value) : scalar(member.value);
    }
    if (value.kind == NJSON_NULL || value.kind == NJSON_STRUCTURE || value.kind == NJSON_ABSENT) continue;
    append_text(member.key);
    append(value);
    count += 1;
  }
  set_object_count(mark, count);
  return true;
}

// Returns the list that begins at `start`. If a list with elements is lossy, a null follows its last element.
njson_value njson_extractor::list_since(size_t start) {
  if (is_lossy && lists.size() > start) {
    lists.push_back(static_cast<char>(NJSON_NULL));
    lists.append(sizeof(uint64_t), 0);
  }
  njson_value value = absent;
  value.kind = NJSON_LIST;
  value.offset = start;
  value.length = lists.size() - start;
  return value;
}

// Appends an array or object of a Realtime Database to the current list. If all values are flags, the list has the
// keys of the true flags; otherwise it has the values.
bool njson_extractor::append_keyed(dom::element element) {
  dom::array array;
  dom::object object;
  const bool is_array = element.get_array().get(array) == simdjson::SUCCESS;
  is_lossy = !is_array;
  if (!is_array && element.get_object().get(object) != simdjson::SUCCESS) return false;
  std::vector<std::pair<std::string, dom::element>> members;
  if (is_array) {
    size_t index = 0;
    for (dom::element inner : array) members.emplace_back(std::to_string(index++), inner);
  } else {
    for (dom::key_value_pair member : object) members.emplace_back(std::string(member.key), member.value);
  }
  bool has_flag = false, has_other = false;
  for (const auto &member : members) {
    has_flag |= member.second.is_bool();
    has_other |= !member.second.is_bool() && !member.second.is_null();
  }
  for (const auto &member : members) {
    dom::object inner;
    if (!has_flag || has_other) {
      const bool is_object = member.second.get_object().get(inner) == simdjson::SUCCESS;
      if (!(is_object ? append_object(inner, NJSON_DIALECT_REALTIME) : append(scalar(member.second)))) return false;
    } else if (member.second.is_bool() && member.second.get_bool().value_unsafe()) {
      append_text(member.first);
    }
  }
  return true;
}

// Walks the typed members of `fields`. Returns false if a requested member is not a typed value.
bool njson_extractor::walk_fields(Node &node, dom::object fields) {
  for (dom::key_value_pair member : fields) {
    Node *next = child(node, member.key);
    if (next == nullptr) continue;
    if (!typed(*next, member.value)) {
      if (bad_path < 0) blame(*next);
      return false;
    }
  }
  return true;
}

// Reads a typed value that is one scalar. Returns false if the value does not match its type.
bool njson_extractor::firestore_scalar(std::string_view type, dom::element inner, njson_value &value) {
  value = absent;
  if (type == "integerValue") {
    std::string_view digits;
    value.kind = NJSON_INTEGER;
    if (inner.get_string().get(digits) == simdjson::SUCCESS) return parse_int64(digits, value.integer);
    return inner.get_int64().get(value.integer) == simdjson::SUCCESS;
  }
  if (type == "doubleValue") {
    value.kind = NJSON_NUMBER;
    return parse_proto_double(inner, value.number);
  }
  const bool fits = type == "booleanValue" ? inner.is_bool() : type == "nullValue" ? inner.is_null() : inner.is_string();
  if (fits) value = scalar(inner);
  return fits;
}

// Reads {"values": [...]} as a list, or as a structure if an element is neither a scalar nor a map. Returns false if an
// element is not a typed value.
bool njson_extractor::firestore_list(dom::object array, njson_value &value) {
  const size_t start = lists.size();
  bool is_list = true;
  is_lossy = false;
  dom::element held;
  dom::array elements;
  // Firestore omits `values` for an empty array.
  if (only(array, "values", held)) {
    if (held.get_array().get(elements) != simdjson::SUCCESS) return false;
    for (dom::element element : elements) {
      dom::object object;
      if (element.get_object().get(object) != simdjson::SUCCESS || object.size() != 1) return false;
      const dom::key_value_pair member = *object.begin();
      njson_value scalar = absent;
      if (member.key == "mapValue") {
        dom::object map, fields;
        dom::element inside;
        if (member.value.get_object().get(map) != simdjson::SUCCESS) return false;
        // Firestore omits `fields` for an empty map.
        if (!only(map, "fields", inside)) {
          set_object_count(begin_object(), 0);
        } else if (inside.get_object().get(fields) != simdjson::SUCCESS ||
                   !append_object(fields, NJSON_DIALECT_FIRESTORE)) {
          return false;
        }
      } else if (!is_firestore_scalar(member.key)) {
        is_list = false;
      } else if (!firestore_scalar(member.key, member.value, scalar)) {
        return false;
      } else {
        is_list = is_list && append(scalar);
      }
    }
  }
  if (is_list) {
    value = list_since(start);
  } else {
    lists.resize(start);
  }
  return true;
}

// Reads a typed value such as {"stringValue": "x"}: exactly one member, whose key names the type.
bool njson_extractor::typed(Node &node, dom::element element) {
  dom::object object;
  if (element.get_object().get(object) != simdjson::SUCCESS || object.size() != 1) return false;
  const dom::key_value_pair member = *object.begin();
  const std::string_view type = member.key;
  const dom::element inner = member.value;
  njson_value value = absent;

  if (is_firestore_scalar(type)) {
    if (!firestore_scalar(type, inner, value)) return false;
  } else if (type == "geoPointValue") {
    dom::object point;
    if (inner.get_object().get(point) != simdjson::SUCCESS) return false;
    value.kind = NJSON_STRUCTURE;
    if (!geo_point(node, point)) return false;
  } else if (type == "mapValue") {
    dom::object map, fields;
    if (inner.get_object().get(map) != simdjson::SUCCESS) return false;
    value.kind = NJSON_STRUCTURE;
    dom::element held;
    // Firestore omits `fields` for an empty map.
    if (!node.children.empty() && only(map, "fields", held)) {
      if (held.get_object().get(fields) != simdjson::SUCCESS || !walk_fields(node, fields)) return false;
    }
  } else if (type == "arrayValue") {
    dom::object array;
    if (inner.get_object().get(array) != simdjson::SUCCESS) return false;
    value.kind = NJSON_STRUCTURE;
    if (node.wants_list && !firestore_list(array, value)) return false;
  } else {
    return false;
  }
  set(node, value);
  return true;
}

// proto3's JSON omits members that are 0, so an absent latitude is the equator, not a missing value.
bool njson_extractor::geo_point(Node &node, dom::object point) {
  for (auto &next : node.children) {
    if (next->key != "latitude" && next->key != "longitude") continue;
    njson_value value = absent;
    value.kind = NJSON_NUMBER;
    dom::element held;
    if (only(point, next->key, held) && !parse_proto_double(held, value.number)) return false;
    set(*next, value);
  }
  return true;
}

njson_status njson_extractor::firestore(dom::object document) {
  dom::element inner, name, fields_element;
  dom::object unwrapped;
  bool has_name = only(document, "name", name);
  bool has_fields = only(document, "fields", fields_element);
  if (!has_name && !has_fields) {
    if (only(document, "document", inner)) {
      if (inner.get_object().get(unwrapped) != simdjson::SUCCESS) return NJSON_BAD_VALUE;
      document = unwrapped;
      has_name = only(document, "name", name);
      has_fields = only(document, "fields", fields_element);
      if (!has_name && !has_fields) return NJSON_BAD_VALUE;
    } else {
      // A query response or a page without documents has only these members.
      for (dom::key_value_pair member : document) {
        const std::string_view key = member.key;
        if (key != "readTime" && key != "transaction" && key != "skippedResults" && key != "done" &&
            key != "explainMetrics" && key != "nextPageToken") {
          return NJSON_BAD_VALUE;
        }
      }
      return NJSON_NO_RECORD;
    }
  }
  if (has_fields) {
    dom::object fields;
    if (fields_element.get_object().get(fields) != simdjson::SUCCESS) return NJSON_BAD_VALUE;
    keyed = fields;
    has_keys = true;
    if (!walk_fields(root, fields)) return NJSON_BAD_VALUE;
  }
  // The document's own id and times fill requested paths that no field of the document has.
  for (auto &node : root.children) {
    if (node->record == record) continue;
    std::string_view string;
    if (node->key == "id" && has_name && name.get_string().get(string) == simdjson::SUCCESS) {
      const size_t slash = string.rfind('/');
      set(*node, text(slash == std::string_view::npos ? string : string.substr(slash + 1)));
    } else if ((node->key == "createTime" || node->key == "updateTime") && only(document, node->key, inner) &&
               inner.get_string().get(string) == simdjson::SUCCESS) {
      set(*node, text(string));
    }
  }
  return NJSON_RECORD;
}

njson_extractor *njson_create(void) {
  try {
    return new njson_extractor();
  } catch (...) {
    return nullptr;
  }
}

void njson_destroy(njson_extractor *extractor) { delete extractor; }

bool njson_add_path(
    njson_extractor *extractor, const uint8_t *const *keys, const size_t *lengths, size_t count,
    bool wants_list) {
  try {
    Node *node = &extractor->root;
    for (size_t i = 0; i < count; i++) {
      const std::string key(reinterpret_cast<const char *>(keys[i]), lengths[i]);
      Node *next = nullptr;
      for (auto &candidate : node->children) {
        if (candidate->key == key) next = candidate.get();
      }
      if (next == nullptr) {
        node->children.push_back(std::make_unique<Node>());
        next = node->children.back().get();
        next->key = key;
      }
      node = next;
    }
    node->outputs.push_back(extractor->paths);
    node->wants_list |= wants_list;
    extractor->paths++;
    return true;
  } catch (...) {
    return false;
  }
}

njson_outcome njson_extract(
    njson_extractor *extractor, const uint8_t *bytes, size_t length, njson_dialect dialect, njson_value *values) {
  njson_outcome outcome = {NJSON_REFUSED, simdjson::MEMALLOC, -1, nullptr, 0, nullptr, 0};
  extractor->has_keys = false;
  try {
    dom::element document;
    const simdjson::error_code error = extractor->parse(bytes, length, document);
    outcome.error = error;
    if (error != simdjson::SUCCESS) return outcome;

    extractor->record++;
    extractor->values = values;
    extractor->strings_length = 0;
    extractor->lists.clear();
    extractor->bad_path = -1;
    extractor->has_duplicate = false;
    for (size_t i = 0; i < extractor->paths; i++) values[i] = absent;

    dom::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) {
      outcome.status = NJSON_NOT_AN_OBJECT;
      if (dialect == NJSON_DIALECT_REALTIME && !document.is_array()) {
        Node *value = extractor->child(extractor->root, "$value");
        if (value != nullptr) extractor->set(*value, extractor->scalar(document));
        // If all requested paths begin with `$`, a scalar is also a record.
        bool asks_for_members = false;
        for (auto &node : extractor->root.children) asks_for_members |= node->key.front() != '$';
        if (value != nullptr || !asks_for_members) outcome.status = NJSON_RECORD;
      }
    } else if (dialect == NJSON_DIALECT_FIRESTORE) {
      outcome.status = extractor->firestore(object);
    } else {
      extractor->keyed = object;
      extractor->has_keys = true;
      extractor->walk(extractor->root, object, dialect);
      outcome.status = NJSON_RECORD;
    }
    if (extractor->has_duplicate && outcome.status == NJSON_RECORD) outcome.status = NJSON_DUPLICATE_KEY;
    outcome.path = extractor->bad_path;
    outcome.strings = extractor->parser.doc.string_buf.get();
    outcome.strings_length = extractor->strings_length;
    outcome.lists = reinterpret_cast<const uint8_t *>(extractor->lists.data());
    outcome.lists_length = extractor->lists.size();
    return outcome;
  } catch (...) {
    outcome.status = NJSON_REFUSED;
    outcome.error = simdjson::MEMALLOC;
    return outcome;
  }
}

size_t njson_keys(njson_extractor *extractor, const uint8_t **keys, size_t *lengths, size_t capacity) {
  if (!extractor->has_keys) return 0;
  size_t count = 0;
  for (dom::key_value_pair member : extractor->keyed) {
    if (count == capacity) break;
    keys[count] = reinterpret_cast<const uint8_t *>(member.key.data());
    lengths[count] = member.key.size();
    count++;
  }
  return count;
}

int32_t njson_validate(njson_extractor *extractor, const uint8_t *bytes, size_t length) {
  try {
    dom::element document;
    extractor->has_keys = false;
    return extractor->parse(bytes, length, document);
  } catch (...) {
    return simdjson::MEMALLOC;
  }
}

const char *njson_error_name(int32_t error) {
  // In the order of simdjson::error_code.
  static const char *const names[] = {
      "SUCCESS", "CAPACITY", "MEMALLOC", "TAPE_ERROR", "DEPTH_ERROR", "STRING_ERROR", "T_ATOM_ERROR",
      "F_ATOM_ERROR", "N_ATOM_ERROR", "NUMBER_ERROR", "UTF8_ERROR", "UNINITIALIZED", "EMPTY", "UNESCAPED_CHARS",
      "UNCLOSED_STRING", "UNSUPPORTED_ARCHITECTURE", "INCORRECT_TYPE", "NUMBER_OUT_OF_RANGE",
      "INDEX_OUT_OF_BOUNDS", "NO_SUCH_FIELD", "IO_ERROR", "INVALID_JSON_POINTER", "INVALID_URI_FRAGMENT",
      "UNEXPECTED_ERROR", "PARSER_IN_USE", "OUT_OF_ORDER_ITERATION", "INSUFFICIENT_PADDING",
      "INCOMPLETE_ARRAY_OR_OBJECT", "SCALAR_DOCUMENT_AS_VALUE", "OUT_OF_BOUNDS", "TRAILING_CONTENT"};
  static_assert(sizeof(names) / sizeof(names[0]) == simdjson::NUM_ERROR_CODES, "simdjson has other error codes");
  return error >= 0 && error < simdjson::NUM_ERROR_CODES ? names[error] : "UNKNOWN";
}

const char *njson_error_message(int32_t error) {
  if (error < 0 || error >= simdjson::NUM_ERROR_CODES) return "unknown error";
  return simdjson::error_message(static_cast<simdjson::error_code>(error));
}

bool njson_is_contained(int32_t error) {
  return error == simdjson::NUMBER_ERROR || error == simdjson::STRING_ERROR || error == simdjson::DEPTH_ERROR ||
         error == simdjson::CAPACITY;
}

bool njson_is_utf8(const uint8_t *bytes, size_t length) {
  return simdjson::validate_utf8(reinterpret_cast<const char *>(bytes), length);
}
