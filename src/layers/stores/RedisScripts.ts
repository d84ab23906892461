/**
 * What the Redis store runs inside Redis. A script runs alone, so each of these is atomic.
 *
 * Keys, after the prefix: `s:<id>` a hash of the session (v version, d document, u user, n number of messages,
 * c created, t updated), `m:<id>` the list of its messages, `a:<id>` a hash of its answers, `x:<id>` when each of them
 * expires, `all` and `u:<user>` sorted sets of `<updated> <id>`.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"

/**
 * @since 0.1.0
 * @category models
 */
export interface Script {
  readonly lua: string
  readonly sha: string
}

const script = (lua: string): Script => ({ lua, sha: createHash("sha1").update(lua).digest("hex") })

/** KEYS s m a x all; ARGV prefix id expected document user? user updated lifetime now answersLifetime answered? messageId response messages… */
export const commit = script(`
local stored = redis.call('HMGET', KEYS[1], 'v', 'u', 't')
local actual = tonumber(stored[1] or 0) or -1
local expected = tonumber(ARGV[3])
if actual ~= expected then return {0, actual} end

local id, prefix, updated = ARGV[2], ARGV[1], ARGV[7]
if expected == 0 then
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[1], 'c', updated)
else
  redis.call('ZREM', KEYS[5], (stored[3] or '') .. ' ' .. id)
  if stored[2] then redis.call('ZREM', prefix .. 'u:' .. stored[2], (stored[3] or '') .. ' ' .. id) end
end

redis.call('HSET', KEYS[1], 'v', expected + 1, 'd', ARGV[4], 't', updated)
redis.call('HINCRBY', KEYS[1], 'n', #ARGV - 13)
redis.call('ZADD', KEYS[5], 0, updated .. ' ' .. id)
if ARGV[5] == '1' then
  redis.call('HSET', KEYS[1], 'u', ARGV[6])
  redis.call('ZADD', prefix .. 'u:' .. ARGV[6], 0, updated .. ' ' .. id)
else
  redis.call('HDEL', KEYS[1], 'u')
end
for i = 14, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end

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

/** KEYS m; ARGV before limit. Message n stands at n - 1. */
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

/** KEYS all or u:<user>; ARGV prefix cursor limit. Sessions that expired are taken off the index on the way. */
export const list = script(`
local limit, found = tonumber(ARGV[3]), {}
local max = ARGV[2] == '' and '+' or '(' .. ARGV[2]
while #found < limit do
  local members = redis.call('ZREVRANGEBYLEX', KEYS[1], max, '-', 'LIMIT', 0, limit)
  if #members == 0 then break end
  for _, member in ipairs(members) do
    local id = string.sub(member, string.find(member, ' ', 1, true) + 1)
    local s = redis.call('HMGET', ARGV[1] .. 's:' .. id, 'v', 'u', 'n', 'c', 't')
    if not s[1] then
      redis.call('ZREM', KEYS[1], member)
    elseif #found < limit then
      table.insert(found, {id, s[1], s[2], s[3], s[4], s[5]})
    end
  end
  max = '(' .. members[#members]
end
return found`)

/** KEYS s m a x all; ARGV prefix id */
export const remove = script(`
local stored = redis.call('HMGET', KEYS[1], 'u', 't')
local member = (stored[2] or '') .. ' ' .. ARGV[2]
redis.call('ZREM', KEYS[5], member)
if stored[1] then redis.call('ZREM', ARGV[1] .. 'u:' .. stored[1], member) end
return redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])`)
