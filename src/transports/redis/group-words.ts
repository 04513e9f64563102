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
