#!/usr/bin/env bash
# Prints a table of the peak memory of ingest for exports of 10 MB, 100 MB and 1 GB. Some exports grow by a wider column that
# the pipeline does not use, and other exports by more rows. `make memory` builds the program first. The script needs 3 GB in
# TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${BIN:-.build/release}
sizes=${SIZES:-10 100 1000}
rows=10000   # the number of rows of an export that grows by a wider column

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# people N: prints N people with the ids u0 to uN-1.
people() { awk -v n="$1" 'BEGIN { print "id,kind"; for (i = 0; i < n; i++) print "u" i ",a" }'; }

# swipes FORMAT ROWS PADDING: prints ROWS swipes, each with PADDING bytes in an additional column.
swipes() {
  awk -v format="$1" -v rows="$2" -v padding="$3" 'BEGIN {
    while (length(text) < padding) text = text "Likes long walks, \\u00e9clairs. "
    if (format != "jsonl") print "a,user,b,candidate,answer,at"
    for (i = 0; i < rows; i++) {
      user = i % 1000; candidate = (user + 1 + int(i / 1000) % 999) % 1000; at = 1700000000000 + i
      if (format == "jsonl")
        printf "{\"a\":\"%s\",\"user\":\"u%d\",\"candidate\":\"u%d\",\"answer\":1,\"at\":%.0f}\n", text, user, candidate, at
      else
        printf "\"%s\",u%d,%s,u%d,1,%.0f\n", text, user, "", candidate, at
    }
  }'
}

# peak FORMAT ROWS PADDING: writes and ingests an export. Prints its size in bytes, its rows, and the peak memory in bytes.
peak() {
  local file="$work/swipes.$1"
  case $1 in
    *.gz) swipes csv "$2" "$3" | tee >(wc -c > "$work/size") | gzip -1 > "$file" ;;
    *) swipes "$1" "$2" "$3" | tee >(wc -c > "$work/size") > "$file" ;;
  esac
  people 1000 > "$work/people.csv"
  cat > "$work/memory.yaml" << YAML
pipeline: memory
entities:
  people: { source: { path: people.csv }, id: id, attributes: { kind: { type: category } } }
interactions:
  swipes:
    source: { path: "swipes.$1", max_ratio: 1000000 }
    user: user
    candidate: candidate
    at: at
    value: answer
model: { learns_from: swipes, features: [category: kind], compat: createml }
rankings: { partners: { users: people, candidates: people } }
YAML
  rm -rf "$work/var"
  "$bin/nightjar" run "$work/memory.yaml" --work "$work/var" --until ingest > /dev/null 2> "$work/errors" \
    || { cat "$work/errors" >&2; exit 1; }
  sleep 0.1
  echo "$(cat "$work/size") $2 $(sed -n 's/.*"peak_memory_bytes" : \([0-9]*\).*/\1/p' "$work/var/memory/runs/1/run.json")"
  rm -f "$file"
}

printf '%-8s %-9s %9s %12s %9s %15s\n' export grows MB rows 'peak MB' 'bytes per row'
for format in csv csv.gz jsonl; do
  measured=$(peak "$format" 0 0)
  read -r _ _ base <<< "$measured"
  for grows in columns rows; do
    for size in $sizes; do
      if [ "$grows" = columns ]; then
        count=$rows padding=$((size * 1000000 / rows - 30))
      else
        # The maximum length of a row without padding.
        case $format in jsonl) long=72 ;; *) long=30 ;; esac
        count=$((size * 1000000 / long)) padding=0
      fi
      measured=$(peak "$format" "$count" "$padding")
      read -r bytes kept most <<< "$measured"
      # The bytes per row exclude the memory of the same program for an export without rows.
      awk -v f="$format" -v g="$grows" -v b="$bytes" -v k="$kept" -v m="$most" -v e="$base" 'BEGIN {
        printf "%-8s %-9s %9.1f %12d %9.1f %15s\n", f, g, b / 1e6, k, m / 1e6, g == "rows" ? int((m - e) / k + 0.5) : "" }'
    done
  done
done
