import { type Script, script } from './connection.ts'
import { words } from './script-words.ts'

/** KEYS: stream, times of each. ARGV: notification channel; delay, envelope, whether there is a body, body of each. Gives an id, `?` where there is no stream, or `-` and an error. */
export const send: Script = script(`${words}
  local outcomes, ready = {}, {}
  for index = 1, #KEYS, 2 do
    local at = (index - 1) / 2 * 4 + 2
    local added = add(KEYS[index], KEYS[index + 1], tonumber(ARGV[at]), ARGV[at + 1], ARGV[at + 2] == '1', ARGV[at + 3])
    if type(added) == 'table' and added.err then
      if is_replica(added.err) then return redis.error_reply(added.err) end
      outcomes[#outcomes + 1] = '-' .. added.err
    elseif not added then
      outcomes[#outcomes + 1] = '?'
    else
      ready[KEYS[index]] = true
      outcomes[#outcomes + 1] = added
    end
  end
  tell(ARGV[1], ready)
  return outcomes
`)

/**
 * KEYS: the four of a channel, for each holder and fence that are named in it. ARGV: group; for each of them holder, fence, how many, and their ids. Gives
 * the places of those that were not held: mostly there are none, and an answer for every entry would have to be read.
 */
export const complete: Script = script(`${words}
  -- To forget asks for what it needs: only behind a first one would that be late.
  if #KEYS > 4 then demand_of_all(4) end
  local lost, place, at = {}, 0, 2
  for index = 1, #KEYS, 4 do
    local holder, fence, count, done = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), {}
    local ids = { unpack(ARGV, at + 3, at + 2 + count) }
    local pending_in = pending_of(KEYS[index], ARGV[1], ids)
    for entry, id in ipairs(ids) do
      if is_ours(KEYS[index], KEYS[index + 1], id, pending_in(id), holder, fence) then done[#done + 1] = id
      else lost[#lost + 1] = place + entry end
    end
    forget(KEYS[index], KEYS[index + 1], KEYS[index + 2], KEYS[index + 3], ARGV[1], done)
    place = place + count
    at = at + 3 + count
  end
  return lost
`)

/** As `complete`, and leaves what is held where it is. */
export const stillHeld: Script = script(`${words}
  local lost, place, at = {}, 0, 2
  for index = 1, #KEYS, 4 do
    local holder, fence, count = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
    for entry = 1, count do
      local id = ARGV[at + 2 + entry]
      local found = pending(KEYS[index], ARGV[1], id)
      if not is_ours(KEYS[index], KEYS[index + 1], id, found, holder, fence) then lost[#lost + 1] = place + entry end
    end
    place = place + count
    at = at + 3 + count
  end
  return lost
`)

/**
 * KEYS: the four of each. ARGV: group, notification channel; id, holder, fence, delay, whether it stays a suspect, more turns, less deliveries,
 * whether the envelope is replaced, envelope of each. Gives 1 where it was held.
 */
export const giveBack: Script = script(`${words}
  demand_of_all(4)
  local outcomes, ready, moment, group = {}, {}, now(), ARGV[1]
  for index = 1, #KEYS, 4 do
    local at = (index - 1) / 4 * 9 + 4
    local stream, id = KEYS[index], ARGV[at - 1]
    local found = pending(stream, group, id)
    local may_settle = is_ours(stream, KEYS[index + 1], id, found, ARGV[at], ARGV[at + 1])
    outcomes[#outcomes + 1] = may_settle and 1 or 0
    if may_settle then
      local owner = ARGV[at + 3] == '1' and suspected or waiting
      redis.call('XCLAIM', stream, group, owner, 0, id, 'RETRYCOUNT', found[4] - tonumber(ARGV[at + 5]), 'JUSTID')
      redis.call('ZADD', KEYS[index + 1], moment + tonumber(ARGV[at + 2]), id)
      if ARGV[at + 4] ~= '0' then redis.call('HINCRBY', KEYS[index + 2], id, ARGV[at + 4]) end
      if ARGV[at + 6] == '1' then redis.call('HSET', KEYS[index + 3], id, ARGV[at + 7]) end
      ready[stream] = true
    end
  end
  tell(ARGV[2], ready)
  return outcomes
`)

/**
 * KEYS: the four of each. ARGV: group; id, holder, fence, milliseconds of each. Gives 1 where it was held. The group sees that its consumer lives,
 * and the lease begins anew; only one that is to last for another time than its consumer's is written down, and a shorter one begins earlier.
 */
export const extend: Script = script(`${words}
  demand_of_all(4)
  local outcomes, moment = {}, now()
  for index = 1, #KEYS, 4 do
    local at = (index - 1) / 4 * 4 + 2
    local id, ms = ARGV[at], tonumber(ARGV[at + 3])
    local found = pending(KEYS[index], ARGV[1], id)
    local may_extend = is_ours(KEYS[index], KEYS[index + 1], id, found, ARGV[at + 1], ARGV[at + 2])
    outcomes[#outcomes + 1] = may_extend and 1 or 0
    if may_extend then
      local hold = hold_of(found[2]) or 0
      redis.call('XCLAIM', KEYS[index], ARGV[1], found[2], 0, id, 'IDLE', math.max(0, math.floor(hold - ms)), 'JUSTID')
      if ms == hold then redis.call('ZREM', KEYS[index + 1], id)
      else redis.call('ZADD', KEYS[index + 1], moment + ms, id) end
    end
  end
  return outcomes
`)

/**
 * KEYS: for each way the four of a channel, then stream and times of where it leads. ARGV: group, notification channel; for each way how
 * many, and id, holder, fence, delay, envelope, body (`same`, `none` or `given`), bytes of each. Gives `moved`, `lost`, `unknown`, `bodiless`
 * where the body was to be the same and the entry is gone, or `-` and an error.
 */
export const move: Script = script(`${words}
  demand_of_all(6)
  local outcomes, ready, group = {}, {}, ARGV[1]

  local function bodyOf(stream, id)
    local entry = redis.call('XRANGE', stream, id, id)[1]
    if not entry then return nil, false end
    for field = 1, #entry[2], 2 do
      if entry[2][field] == 'body' then return entry[2][field + 1], true end
    end
    return nil, true
  end

  local function moved(stream, times, to, to_times, at, found)
    local id = ARGV[at]
    if not is_ours(stream, times, id, found, ARGV[at + 1], ARGV[at + 2]) then return 'lost' end
    local mode, body, exists = ARGV[at + 5], ARGV[at + 6], true
    if mode == 'same' then body, exists = bodyOf(stream, id) end
    if not exists then return 'bodiless' end
    local has_body = mode == 'given' or (mode == 'same' and body)
    local added = add(to, to_times, tonumber(ARGV[at + 3]), ARGV[at + 4], has_body, body)
    if type(added) == 'table' and added.err then return '-' .. added.err end
    if not added then return 'unknown' end
    ready[to] = true
    return 'moved'
  end

  -- All of one way leave together, in the same step as their copies come.
  local at = 3
  for index = 1, #KEYS, 6 do
    local count, ids, left = tonumber(ARGV[at]), {}, {}
    for entry = 1, count do ids[entry] = ARGV[at + entry * 7 - 6] end
    local pending_in = pending_of(KEYS[index], group, ids)
    for entry, id in ipairs(ids) do
      local outcome = moved(KEYS[index], KEYS[index + 1], KEYS[index + 4], KEYS[index + 5], at + entry * 7 - 6, pending_in(id))
      if is_replica(outcome) then return redis.error_reply(outcome:sub(2)) end
      outcomes[#outcomes + 1] = outcome
      if outcome == 'moved' then left[#left + 1] = id end
    end
    forget(KEYS[index], KEYS[index + 1], KEYS[index + 2], KEYS[index + 3], group, left)
    at = at + 1 + count * 7
  end
  tell(ARGV[2], ready)
  return outcomes
`)

/**
 * KEYS: the four of a channel. ARGV: group, consumer, ids that it has just read for the first time. What was delayed when it was sent and whose
 * time has not come waits for it as if nobody had read it. Gives 1 where that is so.
 */
export const park: Script = script(`${words}
  local ids = { unpack(ARGV, 3) }
  local due, moment, outcomes = redis.call('ZMSCORE', KEYS[2], unpack(ids)), now(), {}
  for index, id in ipairs(ids) do
    local found = due[index] and pending(KEYS[1], ARGV[1], id)
    local is_early = found and found[2] == ARGV[2] and found[4] == 1 and tonumber(due[index]) > moment
    if is_early then redis.call('XCLAIM', KEYS[1], ARGV[1], waiting, 0, id, 'RETRYCOUNT', 0, 'JUSTID') end
    outcomes[index] = is_early and 1 or 0
  end
  return outcomes
`)

/** KEYS: the four of a channel. ARGV: group, id. Gives 1 where it was there and nobody held it. */
export const remove: Script = script(`${words}
  demand_of_all(4)
  local found = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)[1]
  local ends_at = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or 0)
  local is_anybodys = type(found) == 'table' and found[2] ~= waiting and found[2] ~= suspected
  if is_anybodys and (ends_at > now() or is_leased(found)) then return 0 end
  redis.pcall('XACK', KEYS[1], ARGV[1], ARGV[2])
  redis.call('ZREM', KEYS[2], ARGV[2])
  redis.call('HDEL', KEYS[3], ARGV[2])
  redis.call('HDEL', KEYS[4], ARGV[2])
  return redis.call('XDEL', KEYS[1], ARGV[2])
`)
