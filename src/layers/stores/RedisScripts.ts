/**
 * The Lua scripts of the Redis store. Redis runs each script atomically.
 *
 * Keys, after the prefix: `s:<id>` a hash of the session (v version, d document, u user, n number of messages, c
 * created, t updated, w when it is due, p calls that wait for a person), `m:<id>` the list of its messages, `a:<id>` a
 * hash of its answers, `x:<id>` their expiry times, `j:<id>` a hash of the journals of its turns, `l:<id>` the queue of
 * its lock; `all`, `u:<user>` and `waits` sorted sets of `<updated> <id>`, `wake` a sorted set of ids by the time they
 * are due.
 *
 * An expired session stays in the sorted sets until a script meets its entry. By then a new session may have the same
 * id. The entry does not belong to it, because its `<updated>` differs.
 */
import { createHash } from "node:crypto"

/** A Lua script, and the SHA-1 by which Redis caches it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** Makes a script from its Lua text. */
export const script = (lua: string): Script => ({ lua, sha: createHash("sha1").update(lua).digest("hex") })

/** Removes a session from the indexes. */
const unlist = `
local function unlist(all, waits, wake, prefix, id, user, updated)
  local member = (updated or '') .. ' ' .. id
  redis.call('ZREM', all, member)
  redis.call('ZREM', waits, member)
  redis.call('ZREM', wake, id)
  if user then redis.call('ZREM', prefix .. 'u:' .. user, member) end
end
`

/**
 * KEYS s m a x j all waits wake; ARGV prefix id expected document user? user updated lifetime now answersLifetime
 * answered? messageId response turn wakeScore wakeAt waiting messages…
 */
export const commit = script(`${unlist}
local stored = redis.call('HMGET', KEYS[1], 'v', 'u', 't')
local actual = tonumber(stored[1] or 0) or -1
local expected = tonumber(ARGV[3])
if actual ~= expected then return {0, actual} end

local id, prefix, updated = ARGV[2], ARGV[1], ARGV[7]
local member = updated .. ' ' .. id
if expected == 0 then
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[1], 'c', updated)
else
  unlist(KEYS[6], KEYS[7], KEYS[8], prefix, id, stored[2], stored[3])
end

redis.call('HSET', KEYS[1], 'v', expected + 1, 'd', ARGV[4], 't', updated)
redis.call('HINCRBY', KEYS[1], 'n', #ARGV - 17)
redis.call('ZADD', KEYS[6], 0, member)
if ARGV[5] == '1' then
  redis.call('HSET', KEYS[1], 'u', ARGV[6])
  redis.call('ZADD', prefix .. 'u:' .. ARGV[6], 0, member)
else
  redis.call('HDEL', KEYS[1], 'u')
end
if ARGV[16] ~= '' then
  redis.call('HSET', KEYS[1], 'w', ARGV[16])
  redis.call('ZADD', KEYS[8], ARGV[15], id)
else
  redis.call('HDEL', KEYS[1], 'w')
end
if ARGV[17] ~= '' then
  redis.call('HSET', KEYS[1], 'p', ARGV[17])
  redis.call('ZADD', KEYS[7], 0, member)
else
  redis.call('HDEL', KEYS[1], 'p')
end
for i = 18, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end

if ARGV[14] ~= '' then
  for _, field in ipairs(redis.call('HKEYS', KEYS[5])) do
    if string.sub(field, 1, #ARGV[14]) == ARGV[14] then redis.call('HDEL', KEYS[5], field) end
  end
end

local now = tonumber(ARGV[9])
if ARGV[11] == '1' then
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now, 'LIMIT', 0, 100)) do
    redis.call('HDEL', KEYS[3], old)
    redis.call('ZREM', KEYS[4], old)
  end
  redis.call('HSET', KEYS[3], ARGV[12], ARGV[13])
  redis.call('ZADD', KEYS[4], now + tonumber(ARGV[10]), ARGV[12])
  redis.call('PEXPIRE', KEYS[3], ARGV[10])
  redis.call('PEXPIRE', KEYS[4], ARGV[10])
end
if ARGV[8] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[8])
  redis.call('PEXPIRE', KEYS[2], ARGV[8])
end
return {1, expected + 1}`)

/** KEYS s m; ARGV count */
export const load = script(`
local stored = redis.call('HMGET', KEYS[1], 'v', 'd')
local count = tonumber(ARGV[1])
return {stored[1], stored[2], count > 0 and redis.call('LRANGE', KEYS[2], -count, -1) or {}}`)

/** KEYS m; ARGV before limit. Message n has index n - 1. */
export const messages = script(`
local last = math.min(redis.call('LLEN', KEYS[1]), tonumber(ARGV[1]) - 1)
local first = math.max(0, last - tonumber(ARGV[2]))
if last <= first then return {} end
return redis.call('LRANGE', KEYS[1], first, last - 1)`)

/** KEYS a x; ARGV messageId now */
export const response = script(`
local expires = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not expires or tonumber(expires) <= tonumber(ARGV[2]) then return false end
return redis.call('HGET', KEYS[1], ARGV[1])`)

/**
 * KEYS all, u:<user> or waits; ARGV prefix cursor limit user? user. Lists the sessions of one user, or of all. Removes
 * the entries of expired sessions from the index.
 */
export const list = script(`
local limit, found = tonumber(ARGV[3]), {}
local max = ARGV[2] == '' and '+' or '(' .. ARGV[2]
while #found < limit do
  local members = redis.call('ZREVRANGEBYLEX', KEYS[1], max, '-', 'LIMIT', 0, limit)
  if #members == 0 then break end
  for _, member in ipairs(members) do
    local id = string.sub(member, string.find(member, ' ', 1, true) + 1)
    local s = redis.call('HMGET', ARGV[1] .. 's:' .. id, 'v', 'u', 'n', 'c', 't', 'p')
    if not s[1] or s[5] .. ' ' .. id ~= member then
      redis.call('ZREM', KEYS[1], member)
    elseif #found < limit and (ARGV[4] == '0' or s[2] == ARGV[5]) then
      table.insert(found, {id, s[1], s[2], s[3], s[4], s[5], s[6]})
    end
  end
  max = '(' .. members[#members]
end
return found`)

/** KEYS wake; ARGV prefix before limit. Removes expired sessions from the index. */
export const due = script(`
local limit, found, offset = tonumber(ARGV[3]), {}, 0
while #found < limit do
  local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', offset, limit - #found)
  if #ids == 0 then break end
  for _, id in ipairs(ids) do
    local wake = redis.call('HGET', ARGV[1] .. 's:' .. id, 'w')
    if wake then
      table.insert(found, {id, wake})
      offset = offset + 1
    else
      redis.call('ZREM', KEYS[1], id)
    end
  end
end
return found`)

/** KEYS s m a x j all waits wake; ARGV prefix id */
export const remove = script(`${unlist}
local stored = redis.call('HMGET', KEYS[1], 'u', 't')
unlist(KEYS[6], KEYS[7], KEYS[8], ARGV[1], ARGV[2], stored[1], stored[2])
return redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5])`)

/**
 * KEYS all waits wake; ARGV prefix olderThan size. Returns how many sessions it found, and how many of them it removed.
 */
export const purge = script(`${unlist}
local members, removed = redis.call('ZRANGEBYLEX', KEYS[1], '-', '(' .. ARGV[2], 'LIMIT', 0, ARGV[3]), 0
for _, member in ipairs(members) do
  local id = string.sub(member, string.find(member, ' ', 1, true) + 1)
  local stored = redis.call('HMGET', ARGV[1] .. 's:' .. id, 'u', 't')
  redis.call('ZREM', KEYS[1], member)
  if stored[2] and stored[2] .. ' ' .. id == member then
    unlist(KEYS[1], KEYS[2], KEYS[3], ARGV[1], id, stored[1], stored[2])
    for _, kind in ipairs({'s:', 'm:', 'a:', 'x:', 'j:'}) do redis.call('DEL', ARGV[1] .. kind .. id) end
    removed = removed + 1
  end
end
return {#members, removed}`)

/** KEYS j; ARGV field entry lifetime. Returns the entry that was written first. */
export const journal = script(`
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('HGET', KEYS[1], ARGV[1])`)

/** KEYS j; ARGV turn. Returns fields and entries alternately. */
export const journaled = script(`
local all, found = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #all, 2 do
  if string.sub(all[i], 1, #ARGV[1]) == ARGV[1] then
    table.insert(found, all[i])
    table.insert(found, all[i + 1])
  end
end
return found`)

/** KEYS l; ARGV before after lifetime. An empty text means that there is no text. */
export const swap = script(`
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return 1`)
