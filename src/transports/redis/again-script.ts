import { type Script, script } from './connection.ts'
import { consumers, evenWhenFull, lastRead, notes } from './group-words.ts'
import { words } from './script-words.ts'

/** Who else reads with our group does not say for how long it holds what it has. Milliseconds. */
const ofStrangers = 3_600_000
/** Entries that are looked at in one step, where what nobody holds is searched for with bodies and all. */
const searched = 10

/**
 * KEYS: the four of a channel, who joined. ARGV: group, consumer, how many, whether a suspect may come, whether its turn counts at once, bytes.
 *
 * Hands out what is due again, oldest first: everything before the first suspect; or, when that is the first, the suspect with the fewest
 * turns alone, so that consumers which are killed from outside, again and again, do not blame the same one each time. Gives whether it
 * is a suspect, whether one was withheld, in how many milliseconds something is due (or -1), and for each its id, deliveries, turns,
 * replaced envelope and fields.
 */
export const again: Script = script(`${words}${consumers}${lastRead}${evenWhenFull}${notes}
  local stream, times, turns, envelopes, joined = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
  local group, consumer, most, most_bytes = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[6])
  local moment, given, bytes, is_cleaned = now(), {}, 0, false
  local read_so_far = last_read(stream, group)
  if not read_so_far then return redis.error_reply('NOGROUP of this name') end
  even_when_full(times)

  local function is_older(one, other)
    local ms, number = one.id:match('(%d+)-(%d+)')
    local other_ms, other_number = other.id:match('(%d+)-(%d+)')
    if ms ~= other_ms then return tonumber(ms) < tonumber(other_ms) end
    return tonumber(number) < tonumber(other_number)
  end

  -- What was trimmed or deleted by others cannot be handed out: it leaves the group's list as well.
  local function hand_out(entry)
    local claimed = redis.call('XCLAIM', stream, group, consumer, 0, entry.id)[1]
    if type(claimed) ~= 'table' then
      forget(stream, times, turns, envelopes, group, { entry.id })
      is_cleaned = true
      return
    end
    redis.call('ZREM', times, entry.id)
    for _, text in ipairs(claimed[2]) do bytes = bytes + #text end
    local had = tonumber(redis.call('HGET', turns, entry.id) or 0)
    given[#given + 1] = { entry.id, entry.deliveries + 1, had, redis.call('HGET', envelopes, entry.id), claimed[2] }
  end

  -- Due, and on nobody's list. Delayed when it was sent, and nobody has come so far: it is handed out in its place. Or somebody deleted its
  -- consumer by hand, and with it what was pending: without us nobody would ever see it again.
  local function recover(id)
    if is_older({ id = read_so_far }, { id = id }) then
      redis.call('ZREM', times, id)
      return
    end
    redis.call('XCLAIM', stream, group, suspected, 0, id, 'RETRYCOUNT', 1, 'FORCE', 'JUSTID')
    local entry = pending(stream, group, id)
    -- Trimmed while it was in hand, and given back after that.
    if not entry then forget(stream, times, turns, envelopes, group, { id }) end
    return entry
  end

  local listed, of_group = {}, consumers(stream, group)
  for _, each in ipairs(of_group) do
    listed[each.name] = true
    -- Those of older versions wrote the ends of their leases down.
    each.hold = hold_of(each.name) or (not each.name:match('^redrive%-%w+$') and ${ofStrangers})
  end

  -- It was forgotten while it was silent, or deleted by hand.
  if not listed[consumer] then
    redis.call('XGROUP', 'CREATECONSUMER', stream, group, consumer)
    note(joined, consumer, true, read_so_far)
    listed[consumer] = true
  end

  -- What has been pending for longer than its consumer may have it. Whoever lives looks after its own; who has been silent for that long is
  -- looked after by all, and so is everybody when there is nothing else to do.
  for _, each in ipairs(of_group) do
    if each.hold and each.pending > 0 and (each.name == consumer or each.idle >= each.hold) then
      for _, entry in ipairs(redis.call('XPENDING', stream, group, 'IDLE', each.hold, '-', '+', 1000, each.name)) do
        redis.call('ZADD', times, 'NX', moment, entry[1])
      end
    end
  end

  -- A consumer that joined and is not listed was deleted by hand, perhaps with something pending: that is due when its leases would have ended.
  for _, row in ipairs(redis.call('ZRANGEBYSCORE', joined, '-inf', '+inf')) do
    local name, since = row:match('^(%S+) (%S+)$')
    if not listed[name] then
      redis.call('ZREM', joined, row)
      local hold = hold_of(name:gsub('^%?', '')) or 0
      local entries = redis.call('XRANGE', stream, '(' .. since, read_so_far, 'COUNT', ${searched})
      for _, entry in ipairs(entries) do
        if not pending(stream, group, entry[1]) then redis.call('ZADD', times, 'NX', moment + hold, entry[1]) end
      end
      if #entries == ${searched} then
        redis.call('ZADD', joined, 0, name .. ' ' .. entries[#entries][1])
        is_cleaned = true
      end
    end
  end

  local due, suspects = {}, {}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', times, '-inf', moment, 'LIMIT', 0, most)) do
    local entry = pending(stream, group, id) or recover(id)
    if not entry then
      is_cleaned = true
    elseif entry[2] == waiting then
      due[#due + 1] = { id = id, deliveries = entry[4] }
    elseif is_leased(entry) then
      -- Delayed when it was sent, and read just when its time came. Another time in its place would be taken for a delay by whoever has read it.
      redis.call('ZREM', times, id)
    else
      suspects[#suspects + 1] = { id = id, deliveries = entry[4], turns = tonumber(redis.call('HGET', turns, id) or 0) }
    end
  end
  table.sort(due, is_older)
  table.sort(suspects, is_older)

  local is_suspect, is_withheld = false, false
  local first = suspects[1]
  if first and not (due[1] and is_older(due[1], first)) then
    if ARGV[4] == '0' then
      is_withheld = true
    else
      for _, other in ipairs(suspects) do
        if other.turns < first.turns then first = other end
      end
      hand_out(first)
      is_suspect = #given > 0
      if is_suspect and ARGV[5] == '1' then redis.call('HINCRBY', turns, first.id, 1) end
    end
  else
    for _, entry in ipairs(due) do
      if bytes >= most_bytes or (first and not is_older(entry, first)) then break end
      hand_out(entry)
    end
  end

  local function in_all(soonest, ms)
    return soonest < 0 and math.ceil(ms) or math.min(soonest, math.ceil(ms))
  end
  local next_in = -1
  if #given == 0 then
    local soonest = redis.call('ZRANGEBYSCORE', times, string.format('(%.17g', moment), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    if soonest[2] then next_in = in_all(next_in, soonest[2] - moment) end
    for _, each in ipairs(of_group) do
      for _, entry in ipairs(each.hold and each.pending > 0 and redis.call('XPENDING', stream, group, '-', '+', 100, each.name) or {}) do
        if entry[3] < each.hold then
          next_in = in_all(next_in, each.hold - entry[3])
        elseif redis.call('ZADD', times, 'NX', moment, entry[1]) == 1 then
          -- It lives and has not looked: perhaps it is busy, and never heard what it was given.
          is_cleaned = true
        end
      end
    end
    if is_cleaned then next_in = 0 end
  end
  return { is_suspect and 1 or 0, is_withheld and 1 or 0, next_in, given }
`)
