/**
 * What one call does on the server is one script, and a script is one step: nobody sees half of it, and after a crash either all of it
 * is there or nothing. Time is the server's, so clocks of consumers may differ.
 *
 * The group's own list of pending entries says where a message stands. Its owner is the consumer that holds it, or nobody under one of
 * two names: `~waiting` for what was given back and waits for its time, `~suspect` for a suspect that was given back. Its count of
 * deliveries is also the fence: who settles names itself and the number of its delivery, and a later one makes that void. The number alone would
 * not do: a server that lost what it knew counts anew.
 *
 * A lease is what the group knows as well: since when an entry is pending, and to whom, whose name says for how long. It ends later than
 * that where a later time was written down.
 */
export const words: string = `
  local waiting, suspected = '~waiting', '~suspect'
  -- What a script has written when the server refuses one of its commands stays written: so rights are asked for first.
  local may_run = redis.acl_check_cmd or function() return true end
  local function demand(key, ...)
    for _, command in ipairs({ ... }) do
      if not may_run(command, key) then error({ err = 'NOPERM ' .. command }) end
    end
  end
  -- Those of whoever settles in channels, whose keys stand so many apart.
  local function demand_of_all(step)
    local seen = {}
    for index = 1, #KEYS, step do
      if not seen[KEYS[index]] then
        demand(KEYS[index], 'XCLAIM', 'XACK', 'XDEL')
        demand(KEYS[index + 1], 'ZADD', 'ZREM')
        demand(KEYS[index + 2], 'HINCRBY', 'HDEL')
        demand(KEYS[index + 3], 'HSET', 'HDEL')
        seen[KEYS[index]] = true
      end
    end
  end
  local function now()
    local time = redis.call('TIME')
    return time[1] * 1000 + time[2] / 1000
  end
  local function pending(stream, group, id)
    return redis.call('XPENDING', stream, group, id, id, 1)[1]
  end
  local function is_held(entry, holder, fence)
    return entry and entry[2] == holder and entry[4] == tonumber(fence)
  end
  -- For how long what is pending to a consumer of ours is its own.
  local function hold_of(consumer)
    return tonumber(consumer:match('^redrive%-%w+%-(%d+)$'))
  end
  local function is_leased(entry)
    return entry[3] < (hold_of(entry[2]) or 0)
  end
  -- Whether a delivery may be settled. Where the group knows nothing of an entry that is still there, somebody deleted its consumer by hand,
  -- and the one who held it says so before it is lost.
  local function is_ours(stream, times, id, found, holder, fence)
    if found then return is_held(found, holder, fence) end
    if #redis.call('XRANGE', stream, id, id) > 0 then redis.call('ZADD', times, 'NX', now(), id) end
    return false
  end
  -- The same of many, which mostly stand side by side: one look finds them, and who is not among them is looked for alone.
  local function pending_of(stream, group, ids)
    local found = {}
    if #ids > 1 then
      for _, entry in ipairs(redis.call('XPENDING', stream, group, ids[1], ids[#ids], #ids + 50)) do found[entry[1]] = entry end
    end
    return function(id) return found[id] or pending(stream, group, id) end
  end
  local function exists(key) return redis.call('EXISTS', key) == 1 end
  -- Everything that is known about entries goes with them.
  local function forget(stream, times, turns, envelopes, group, ids)
    if #ids == 0 then return end
    local has_times, has_turns, has_envelopes = exists(times), exists(turns), exists(envelopes)
    demand(stream, 'XDEL')
    if has_times then demand(times, 'ZREM') end
    if has_turns then demand(turns, 'HDEL') end
    if has_envelopes then demand(envelopes, 'HDEL') end
    redis.call('XACK', stream, group, unpack(ids))
    if has_times then redis.call('ZREM', times, unpack(ids)) end
    if has_turns then redis.call('HDEL', turns, unpack(ids)) end
    if has_envelopes then redis.call('HDEL', envelopes, unpack(ids)) end
    redis.call('XDEL', stream, unpack(ids))
  end
  local function add(stream, times, delay, envelope, has_body, body)
    if delay > 0 and not may_run('ZADD', times) then return { err = 'NOPERM ZADD' } end
    local added
    if has_body then added = redis.pcall('XADD', stream, 'NOMKSTREAM', '*', 'envelope', envelope, 'body', body)
    else added = redis.pcall('XADD', stream, 'NOMKSTREAM', '*', 'envelope', envelope) end
    if delay > 0 and type(added) == 'string' then redis.call('ZADD', times, now() + delay, added) end
    return added
  end
  -- Then nothing of a script is written, and its caller has to ask another server: it is to hear that before all else.
  local function is_replica(err) return err:find('^%-*READONLY') end
  -- Whoever may not publish is found by those who look from time to time.
  local function tell(channel, streams)
    for stream in pairs(streams) do redis.pcall('PUBLISH', channel, stream) end
  end
`
