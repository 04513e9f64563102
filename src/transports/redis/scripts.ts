import { type Script, script } from './connection.ts'
import { words } from './script-words.ts'

/** KEYS: stream, times of each. ARGV: notification channel; delay, envelope, whether there is a body, body of each. Gives an id, `?` where there is no stream, or `-` and an error. */
export const send: Script = script(`${words}
  local outcomes, ready, moment = {}, {}, now()
  for index = 1, #KEYS, 2 do
    local at = (index - 1) / 2 * 4 + 2
    local delay = tonumber(ARGV[at])
    local added = add(KEYS[index], ARGV[at + 1], ARGV[at + 2] == '1', ARGV[at + 3])
    if type(added) == 'table' and added.err then
      outcomes[#outcomes + 1] = '-' .. added.err
    elseif not added then
      outcomes[#outcomes + 1] = '?'
    else
      if delay > 0 then redis.call('ZADD', KEYS[index + 1], moment + delay, added) end
      ready[KEYS[index]] = true
      outcomes[#outcomes + 1] = added
    end
  end
  tell(ARGV[1], ready)
  return outcomes
`)

/** KEYS: the four of each channel. ARGV: group; for each channel how many, and id and fence of each. Gives 1 where it was held. */
export const complete: Script = script(`${words}
  local outcomes, at = {}, 2
  for index = 1, #KEYS, 4 do
    local count, ids, done = tonumber(ARGV[at]), {}, {}
    for entry = 1, count do ids[entry] = ARGV[at + entry * 2 - 1] end
    local pending_in = pending_of(KEYS[index], ARGV[1], ids)
    for entry, id in ipairs(ids) do
      local is_ours = is_held(pending_in(id), ARGV[at + entry * 2])
      outcomes[#outcomes + 1] = is_ours and 1 or 0
      if is_ours then done[#done + 1] = id end
    end
    forget(KEYS[index], KEYS[index + 1], KEYS[index + 2], KEYS[index + 3], ARGV[1], done)
    at = at + 1 + count * 2
  end
  return outcomes
`)

/** As `complete`, and changes nothing. */
export const stillHeld: Script = script(`${words}
  local outcomes, at = {}, 2
  for index = 1, #KEYS, 4 do
    local count = tonumber(ARGV[at])
    for entry = 1, count do
      local found = pending(KEYS[index], ARGV[1], ARGV[at + entry * 2 - 1])
      outcomes[#outcomes + 1] = is_held(found, ARGV[at + entry * 2]) and 1 or 0
    end
    at = at + 1 + count * 2
  end
  return outcomes
`)

/**
 * KEYS: the four of each. ARGV: group, notification channel; id, fence, delay, whether it stays a suspect, more turns, less deliveries,
 * whether the envelope is replaced, envelope of each. Gives 1 where it was held.
 */
export const giveBack: Script = script(`${words}
  local outcomes, ready, moment, group = {}, {}, now(), ARGV[1]
  for index = 1, #KEYS, 4 do
    local at = (index - 1) / 4 * 8 + 3
    local stream, id = KEYS[index], ARGV[at]
    local found = pending(stream, group, id)
    local is_ours = is_held(found, ARGV[at + 1])
    outcomes[#outcomes + 1] = is_ours and 1 or 0
    if is_ours then
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

/** KEYS: the four of each. ARGV: group; id, fence, milliseconds of each. Gives 1 where it was held. The group sees that its consumer lives. */
export const extend: Script = script(`${words}
  local outcomes, moment = {}, now()
  for index = 1, #KEYS, 4 do
    local at = (index - 1) / 4 * 3 + 2
    local found = pending(KEYS[index], ARGV[1], ARGV[at])
    local is_ours = is_held(found, ARGV[at + 1])
    outcomes[#outcomes + 1] = is_ours and 1 or 0
    if is_ours then
      redis.call('XCLAIM', KEYS[index], ARGV[1], found[2], 0, ARGV[at], 'JUSTID')
      redis.call('ZADD', KEYS[index + 1], moment + tonumber(ARGV[at + 2]), ARGV[at])
    end
  end
  return outcomes
`)

/**
 * KEYS: the four of each, then stream and times of where it goes. ARGV: group, notification channel; id, fence, delay, envelope, body
 * (`same`, `none` or `given`), bytes of each. Gives `moved`, `lost`, `unknown`, `bodiless` where the body was to be the same and the entry
 * is gone, or `-` and an error.
 */
export const move: Script = script(`${words}
  local outcomes, ready, moment, group = {}, {}, now(), ARGV[1]

  local function bodyOf(stream, id)
    local entry = redis.call('XRANGE', stream, id, id)[1]
    if not entry then return nil, false end
    for field = 1, #entry[2], 2 do
      if entry[2][field] == 'body' then return entry[2][field + 1], true end
    end
    return nil, true
  end

  -- All of one channel leave together, in the same step as their copies come.
  local left = {}
  local function leave(index, id)
    local from = left[KEYS[index]] or { index = index, ids = {} }
    left[KEYS[index]] = from
    from.ids[#from.ids + 1] = id
  end

  local asked, pending_in = {}, {}
  for index = 1, #KEYS, 6 do
    local ids = asked[KEYS[index]] or {}
    asked[KEYS[index]] = ids
    ids[#ids + 1] = ARGV[(index - 1) / 6 * 6 + 3]
  end
  for stream, ids in pairs(asked) do pending_in[stream] = pending_of(stream, group, ids) end

  local function moved(index, at)
    local stream, id = KEYS[index], ARGV[at]
    if not is_held(pending_in[stream](id), ARGV[at + 1]) then return 'lost' end
    local mode, body, exists = ARGV[at + 4], ARGV[at + 5], true
    if mode == 'same' then body, exists = bodyOf(stream, id) end
    if not exists then return 'bodiless' end
    local has_body = mode == 'given' or (mode == 'same' and body)
    local added = add(KEYS[index + 4], ARGV[at + 3], has_body, body)
    if type(added) == 'table' and added.err then return '-' .. added.err end
    if not added then return 'unknown' end
    local delay = tonumber(ARGV[at + 2])
    if delay > 0 then redis.call('ZADD', KEYS[index + 5], moment + delay, added) end
    leave(index, id)
    ready[KEYS[index + 4]] = true
    return 'moved'
  end

  for index = 1, #KEYS, 6 do outcomes[#outcomes + 1] = moved(index, (index - 1) / 6 * 6 + 3) end
  for _, from in pairs(left) do
    forget(KEYS[from.index], KEYS[from.index + 1], KEYS[from.index + 2], KEYS[from.index + 3], group, from.ids)
  end
  tell(ARGV[2], ready)
  return outcomes
`)

/** KEYS: the four of a channel. ARGV: group, id. Gives 1 where it was there and nobody held it. */
export const remove: Script = script(`${words}
  local found = redis.pcall('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)[1]
  local ends_at = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or 0)
  if type(found) == 'table' and is_held(found, found[4]) and ends_at > now() then return 0 end
  redis.pcall('XACK', KEYS[1], ARGV[1], ARGV[2])
  redis.call('ZREM', KEYS[2], ARGV[2])
  redis.call('HDEL', KEYS[3], ARGV[2])
  redis.call('HDEL', KEYS[4], ARGV[2])
  return redis.call('XDEL', KEYS[1], ARGV[2])
`)
