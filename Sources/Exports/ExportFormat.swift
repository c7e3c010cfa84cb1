package enum ExportFormat: String, CaseIterable, Sendable { case csv, tsv, jsonl, json, firestore }
package enum IntegerTimes: String, CaseIterable, Sendable { case milliseconds, seconds }
