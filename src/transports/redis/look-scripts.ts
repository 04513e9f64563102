import { type Script, script } from './connection.ts'
import { consumers, evenWhenFull, lastRead, notes } from './group-words.ts'

/** Consumers that have not been heard of for so long and hold nothing are forgotten. Milliseconds. */
export const forgottenAfter = 3_600_000
/** Whoever takes looks every second or so, and whoever only works renews its leases. Milliseconds. */
const takesNow = 60_000

/** KEYS: stream, who joined. ARGV: group, consumer, after how long others are forgotten. */
export const join: Script = script(`${consumers}${lastRead}${evenWhenFull}${notes}
  even_when_full(KEYS[2])
  local is_new = redis.call('XGROUP', 'CREATECONSUMER', KEYS[1], ARGV[1], ARGV[2]) == 1
  note(KEYS[2], ARGV[2], is_new, last_read(KEYS[1], ARGV[1]))
  for _, consumer in ipairs(consumers(KEYS[1], ARGV[1])) do
    local is_other = consumer.name ~= ARGV[2]
    if is_other and consumer.pending == 0 and consumer.idle > tonumber(ARGV[3]) then
      redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
      strike(KEYS[2], consumer.name)
    end
  end
`)

/**
 * KEYS: stream, who joined. ARGV: group, consumer. It has just read, and was not listed any more: it was forgotten, or deleted by hand. What it
 * has read meanwhile is behind its note.
 */
export const rejoin: Script = script(`${lastRead}${notes}
  local first = redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2])[1]
  local before = first and string.format('%.0f-0', math.max(0, tonumber(first[1]:match('^%d+')) - 1))
  note(KEYS[2], ARGV[2], true, before or last_read(KEYS[1], ARGV[1]))
`)

/**
 * KEYS: stream, who joined. ARGV: group, consumer. With its consumer the group would forget everything that is pending to it: only who holds
 * nothing leaves.
 */
export const leave: Script = script(`${notes}
  if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
  strike(KEYS[2], ARGV[2])
  return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
`)

/** KEYS: stream. ARGV: group. Gives how many there are, the oldest, and how many take; nothing where there is no stream. */
export const measure: Script = script(`${consumers}
  if redis.call('EXISTS', KEYS[1]) == 0 then return false end
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  local takers = 0
  for _, consumer in ipairs(consumers(KEYS[1], ARGV[1])) do
    if consumer.idle < ${takesNow} then takers = takers + 1 end
  end
  return { redis.call('XLEN', KEYS[1]), oldest and oldest[1] or '', takers }
`)

/** KEYS: the four of a channel. ARGV: group, after which id, how many, bytes. Gives id, deliveries, replaced envelope and fields of each, and whether there are more. */
export const browse: Script = script(`
  if redis.call('EXISTS', KEYS[1]) == 0 then return false end
  local found, after, limit, bytes, step = {}, ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), 4
  while #found < limit and bytes > 0 do
    local wanted = math.min(step, limit - #found)
    local entries = redis.call('XRANGE', KEYS[1], '(' .. after, '+', 'COUNT', wanted)
    for _, entry in ipairs(entries) do
      local listed = redis.pcall('XPENDING', KEYS[1], ARGV[1], entry[1], entry[1], 1)
      local deliveries = listed[1] and listed[1][4] or 0
      found[#found + 1] = { entry[1], deliveries, redis.call('HGET', KEYS[4], entry[1]), entry[2] }
      for _, text in ipairs(entry[2]) do bytes = bytes - #text end
      after = entry[1]
    end
    if #entries < wanted then return { found, 0 } end
    step = step * 4
  end
  return { found, #redis.call('XRANGE', KEYS[1], '(' .. after, '+', 'COUNT', 1) }
`)
