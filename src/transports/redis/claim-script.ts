import { type Script, script } from './connection.ts'
import { words } from './script-words.ts'

/**
 * KEYS: the four of a channel. ARGV: group, consumer, how many, hold, whether a suspect may come, whether its turn counts at once, bytes.
 *
 * Hands out what is due again, oldest first, and then what nobody has read. Everything before the first suspect; or, when that is the
 * first, the suspect with the fewest turns alone, so that consumers which are killed from outside, again and again, do not blame the same
 * one each time. Gives whether it is a suspect, whether one was withheld, in how many milliseconds something is due (or -1), and for each
 * its id, deliveries, turns, replaced envelope and fields.
 */
export const claim: Script = script(`${words}
  local stream, times, turns, envelopes = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
  local group, consumer, most, hold, most_bytes = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[7])
  local moment, given, bytes, is_cleaned = now(), {}, 0, false

  local function is_older(one, other)
    local ms, number = one.id:match('(%d+)-(%d+)')
    local other_ms, other_number = other.id:match('(%d+)-(%d+)')
    if ms ~= other_ms then return tonumber(ms) < tonumber(other_ms) end
    return tonumber(number) < tonumber(other_number)
  end

  local leases = {}
  local function lease()
    if #leases > 0 then redis.call('ZADD', times, unpack(leases)) end
    leases = {}
  end

  local function give(id, deliveries, had_turns, envelope, fields)
    for _, text in ipairs(fields) do bytes = bytes + #text end
    given[#given + 1] = { id, deliveries, had_turns, envelope, fields }
    leases[#leases + 1] = moment + hold
    leases[#leases + 1] = id
    if #leases >= 1000 then lease() end
  end

  -- What was trimmed or deleted by others cannot be handed out: it leaves the group's list as well.
  local function again(entry)
    local claimed = redis.call('XCLAIM', stream, group, consumer, 0, entry.id)[1]
    if type(claimed) ~= 'table' then
      forget(stream, times, turns, envelopes, group, { entry.id })
      is_cleaned = true
      return
    end
    local had = tonumber(redis.call('HGET', turns, entry.id) or 0)
    give(entry.id, entry.deliveries + 1, had, redis.call('HGET', envelopes, entry.id), claimed[2])
  end

  local last_read
  local function was_read(id)
    for _, found in ipairs(last_read and {} or redis.call('XINFO', 'GROUPS', stream)) do
      local named = {}
      for field = 1, #found, 2 do named[found[field]] = found[field + 1] end
      if named.name == group then last_read = named['last-delivered-id'] end
    end
    return not is_older({ id = last_read }, { id = id })
  end

  -- Due, and on nobody's list. Delayed when it was sent, and nobody has come so far: it is handed out in its place. Or somebody deleted its
  -- consumer by hand, and with it what was pending: without us nobody would ever see it again.
  local function recover(id)
    if was_read(id) then redis.call('XCLAIM', stream, group, suspected, 0, id, 'RETRYCOUNT', 1, 'FORCE', 'JUSTID') end
    local entry = pending(stream, group, id)
    if not entry then redis.call('ZREM', times, id) end
    return entry
  end

  local due, suspects = {}, {}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', times, '-inf', moment, 'LIMIT', 0, most)) do
    local entry = pending(stream, group, id) or recover(id)
    if not entry then
      is_cleaned = true
    elseif entry[2] == waiting then
      due[#due + 1] = { id = id, deliveries = entry[4] }
    else
      suspects[#suspects + 1] = { id = id, deliveries = entry[4], turns = tonumber(redis.call('HGET', turns, id) or 0) }
    end
  end
  table.sort(due, is_older)
  table.sort(suspects, is_older)

  local is_suspect, is_withheld = false, false
  local first = suspects[1]
  if first and not (due[1] and is_older(due[1], first)) then
    if ARGV[5] == '0' then
      is_withheld = true
    else
      for _, other in ipairs(suspects) do
        if other.turns < first.turns then first = other end
      end
      again(first)
      is_suspect = #given > 0
      if is_suspect and ARGV[6] == '1' then redis.call('HINCRBY', turns, first.id, 1) end
    end
  else
    for _, entry in ipairs(due) do
      if bytes >= most_bytes or (first and not is_older(entry, first)) then break end
      again(entry)
    end
  end

  -- Read in growing steps: nobody knows how large the next ones are.
  local step, parked = 4, 0
  while not first and #given < most and bytes < most_bytes and parked < 1000 do
    local wanted = math.min(step, most - #given, 1000)
    local read = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', wanted, 'STREAMS', stream, '>')
    local entries = read and read[1][2] or {}
    local ids = {}
    for index, entry in ipairs(entries) do ids[index] = entry[1] end
    local due_at = #ids > 0 and redis.call('ZMSCORE', times, unpack(ids))
    for index, entry in ipairs(entries) do
      if due_at[index] and tonumber(due_at[index]) > moment then
        redis.call('XCLAIM', stream, group, waiting, 0, entry[1], 'RETRYCOUNT', 0, 'JUSTID')
        parked = parked + 1
      else
        give(entry[1], 1, 0, false, entry[2])
      end
    end
    if #entries < wanted then break end
    step = step * 4
  end
  lease()

  local next_in = -1
  if #given == 0 then
    local soonest = redis.call('ZRANGEBYSCORE', times, string.format('(%.17g', moment), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    if is_cleaned or parked >= 1000 then next_in = 0
    elseif soonest[2] then next_in = math.ceil(soonest[2] - moment) end
  end
  return { is_suspect and 1 or 0, is_withheld and 1 or 0, next_in, given }
`)
