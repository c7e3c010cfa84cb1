/// The scripts that write to the store. Each script is atomic, and first checks that the lock is still held.
///
/// Without this check, a publisher could be suspended until its lock expires, and could then write into a
/// generation that another publisher is loading. `KEYS[1]` is the lock, `ARGV[1]` is the token, and `ARGV[2]`
/// is the new lifetime of the lock in milliseconds.
///
/// The lock is renewed last, because Redis does not check its memory limit after the first write of a script.
/// If the renewal came first, the other writes could exceed the limit.
enum RedisScripts {
  private static let fence = """
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then
      return redis.error_reply('\(ServingStoreError.lostLock) this process no longer has the lock')
    end

    """

  private static let renewal = "redis.call('PEXPIRE', KEYS[1], ARGV[2])\n"

  /// Runs the command `ARGV[3]` with the other keys, then the other arguments.
  static let command =
    fence + """
      local words = {ARGV[3]}
      for i = 2, #KEYS do words[#words + 1] = KEYS[i] end
      for i = 4, #ARGV do words[#words + 1] = ARGV[i] end
      local reply = redis.pcall(unpack(words))

      """ + renewal + "return reply"

  /// Adds rows, one per key: a field and its value in a hash, or a plain value if the field is empty.
  ///
  /// Returns the number of new rows. `pcall` is used because Redis 6 adds its own words to an error of
  /// `call`.
  static let load =
    fence + """
      local added = 0
      for i = 2, #KEYS do
        local field, value, reply = ARGV[2 * i - 1], ARGV[2 * i]
        if field == '' then
          reply = redis.pcall('SETNX', KEYS[i], value)
        else
          reply = redis.pcall('HSETNX', KEYS[i], field, value)
        end
        if type(reply) == 'table' then return reply end
        added = added + reply
      end

      """ + renewal + "return added"

  /// Adds positions to the hash `KEYS[2]`. Also adds each position to the GEO set `KEYS[3]`. If the GEO set
  /// cannot contain a position, adds its id to the set `KEYS[4]` instead.
  ///
  /// The arguments per position are the id, the JSON, and the longitude and latitude or two empty words.
  /// Returns the number of new positions.
  static let loadPositions =
    fence + """
      local added = 0
      for i = 3, #ARGV, 4 do
        local id, json, longitude, latitude = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
        local reply = redis.pcall('HSETNX', KEYS[2], id, json)
        if type(reply) == 'table' then return reply end
        added = added + reply
        if longitude == '' then
          reply = redis.pcall('SADD', KEYS[4], id)
        else
          reply = redis.pcall('GEOADD', KEYS[3], longitude, latitude, id)
        end
        if type(reply) == 'table' then return reply end
      end

      """ + renewal + "return added"

  /// Adds entries to lists, one per key. The arguments per entry are its rank, which must be the new length
  /// of the list, and its JSON.
  ///
  /// Returns the number of added entries, or 0 if a rank is not the new length of its list.
  static let loadEntries =
    fence + """
      for i = 2, #KEYS do
        local length = redis.pcall('RPUSH', KEYS[i], ARGV[2 * i])
        if type(length) == 'table' then return length end
        if length ~= tonumber(ARGV[2 * i - 1]) then return 0 end
      end

      """ + renewal + "return #KEYS - 1"

  /// Records generation `ARGV[3]` with the entry `ARGV[4]`, serves it, and retires the generations in the
  /// following arguments.
  ///
  /// `KEYS` are the lock, the pointer, the generations, the retired generations, and the mark `loading`. A
  /// failed command does not undo the commands before it. Commands that can fail therefore come first, before
  /// readers see a change, and the pointer moves before an old entry is removed.
  static let serveNew =
    fence + """
      local now = redis.call('TIME')
      local instant = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
      for i = 5, #ARGV do
        local added = redis.pcall('ZADD', KEYS[4], instant, ARGV[i])
        if type(added) == 'table' then return added end
      end
      local entered = redis.pcall('HSET', KEYS[3], ARGV[3], ARGV[4])
      if type(entered) == 'table' then return entered end
      redis.call('SET', KEYS[2], ARGV[3])
      for i = 5, #ARGV do redis.call('HDEL', KEYS[3], ARGV[i]) end
      redis.call('DEL', KEYS[5])

      """ + renewal + "return 1"

  /// Removes the key `KEYS[3]` of generation `ARGV[3]`, and one field from each of the following hashes. The
  /// fields start at `ARGV[5]`. Writes the generation's entry `ARGV[4]` into `KEYS[2]`, unless `ARGV[4]` is
  /// empty.
  ///
  /// Returns 1, or 0 without a change if the key does not exist.
  static let erase =
    fence + """
      local removed = redis.call('DEL', KEYS[3])
      if removed == 1 then
        for i = 4, #KEYS do redis.call('HDEL', KEYS[i], ARGV[i + 1]) end
        if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[3], ARGV[4]) end
      end

      """ + renewal + "return removed"

  /// Removes the id `ARGV[5]` from the hash `KEYS[3]`, the GEO set `KEYS[4]` and the set `KEYS[5]`. Replaces
  /// `KEYS[6]`, the bucket of the removed position's cell, with `ARGV[6]`, or removes the bucket if `ARGV[6]`
  /// is empty. Writes the generation's entry as `erase` does.
  static let erasePosition =
    fence + """
      redis.call('HDEL', KEYS[3], ARGV[5])
      redis.call('ZREM', KEYS[4], ARGV[5])
      redis.call('SREM', KEYS[5], ARGV[5])
      if ARGV[6] == '' then
        redis.call('DEL', KEYS[6])
      else
        redis.call('SET', KEYS[6], ARGV[6])
      end
      if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[3], ARGV[4]) end

      """ + renewal + "return 1"

  /// Removes all occurrences of the catalog's entry `ARGV[5]` from the list `KEYS[3]`. Writes the
  /// generation's entry as `erase` does.
  static let eraseEntry =
    fence + """
      redis.call('LREM', KEYS[3], 0, ARGV[5])
      if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[3], ARGV[4]) end

      """ + renewal + "return 1"
}
