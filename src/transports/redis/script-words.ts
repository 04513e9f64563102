/**
 * What one call does on the server is one script, and a script is one step: nobody sees half of it, and after a crash either all of it
 * is there or nothing. Time is the server's, so clocks of consumers may differ.
 *
 * The group's own list of pending entries says where a message stands. Its owner is the consumer that holds it, or nobody under one of
 * two names: `~waiting` for what was given back and waits for its time, `~suspect` for a suspect that was given back. Its count of
 * deliveries is also the fence: who settles names the number of its delivery, and a later one makes that void.
 *
 * A lease is what the group knows as well: since when an entry is pending, and to whom, whose name says for how long. It ends later than
 * that where a later time was written down.
 */
export const words: string = `
  local waiting, suspected = '~waiting', '~suspect'
  local function now()
    local time = redis.call('TIME')
    return time[1] * 1000 + time[2] / 1000
  end
  local function pending(stream, group, id)
    return redis.call('XPENDING', stream, group, id, id, 1)[1]
  end
  local function is_held(entry, fence)
    return entry and entry[4] == tonumber(fence) and entry[2] ~= waiting and entry[2] ~= suspected
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
  local function is_ours(stream, times, id, found, fence)
    if found then return is_held(found, fence) end
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
  -- Everything that is known about entries goes with them.
  local function forget(stream, times, turns, envelopes, group, ids)
    if #ids == 0 then return end
    redis.call('XACK', stream, group, unpack(ids))
    if redis.call('EXISTS', times) == 1 then redis.call('ZREM', times, unpack(ids)) end
    if redis.call('EXISTS', turns) == 1 then redis.call('HDEL', turns, unpack(ids)) end
    if redis.call('EXISTS', envelopes) == 1 then redis.call('HDEL', envelopes, unpack(ids)) end
    redis.call('XDEL', stream, unpack(ids))
  end
  local function add(stream, envelope, has_body, body)
    if has_body then return redis.pcall('XADD', stream, 'NOMKSTREAM', '*', 'envelope', envelope, 'body', body) end
    return redis.pcall('XADD', stream, 'NOMKSTREAM', '*', 'envelope', envelope)
  end
  -- Whoever may not publish is found by those who look from time to time.
  local function tell(channel, streams)
    for stream in pairs(streams) do redis.pcall('PUBLISH', channel, stream) end
  end
`
