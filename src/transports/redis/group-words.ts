/** Those of the group that hold and read, each by its fields. */
export const consumers: string = `
  local function consumers(stream, group)
    local found = {}
    local listed = redis.pcall('XINFO', 'CONSUMERS', stream, group)
    if listed.err then return found end
    for _, consumer in ipairs(listed) do
      local named = {}
      for field = 1, #consumer, 2 do named[consumer[field]] = consumer[field + 1] end
      if named.name:sub(1, 1) ~= '~' then found[#found + 1] = named end
    end
    return found
  end
`

/**
 * The notes of who joined: a name, and what the group had read by then. One that is listed no more was deleted by hand, and everything since then is searched
 * for what it held. With `?` before it, only the search is left to be done.
 */
export const notes: string = `
  local function notes_of(joined, consumer)
    local found = {}
    for _, row in ipairs(redis.call('ZRANGEBYSCORE', joined, '-inf', '+inf')) do
      if row:match('^%S+') == consumer then found[#found + 1] = row end
    end
    return found
  end
  -- Whether it is new to the group: with a note from before, it was deleted by hand.
  local function note(joined, consumer, is_new, since)
    local found = notes_of(joined, consumer)
    if #found == 0 then redis.call('ZADD', joined, 0, consumer .. ' ' .. since) end
    for _, row in ipairs(is_new and found or {}) do redis.call('ZADD', joined, 0, '?' .. row) end
  end
  local function strike(joined, consumer)
    for _, row in ipairs(notes_of(joined, consumer)) do redis.call('ZREM', joined, row) end
  end
`

/** What the group has read; nothing where there is no group. */
export const lastRead: string = `
  local function last_read(stream, group)
    if redis.call('EXISTS', stream) == 0 then return nil end
    for _, found in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
      local named = {}
      for field = 1, #found, 2 do named[found[field]] = found[field + 1] end
      if named.name == group then return named['last-delivered-id'] end
    end
  end
`

/**
 * A server without memory refuses what may need some as the first write of a script, and nothing behind that: one that only takes away goes
 * first. Who takes makes room in the end, and could not begin otherwise.
 */
export const evenWhenFull: string = `
  local function even_when_full(sorted) redis.call('ZREM', sorted, '') end
`
