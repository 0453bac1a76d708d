import { createHash } from 'node:crypto'
import type { Argument, Command } from './driver.ts'

/** A step that happens whole on the server. Only commands of Redis 6 and earlier, all keys named. */
export interface Script {
  readonly text: string
  readonly sha: string
}

function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

const now = `
local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`

/** The refusal of a full server, and every other failure. */
const failures = `
local function full(reply)
  return type(reply) == 'table' and reply.err and string.find(reply.err, 'OOM', 1, true)
end
local function failed(reply)
  return type(reply) == 'table' and reply.err
end
`

/** Generation, owner and holder of a pointer. Of holds that have lasted too long nothing is left. */
const pointer = `${now}
local function holders(key, at)
  local flat, count = redis.call('HGETALL', key), 0
  for i = 1, #flat, 2 do
    if string.sub(flat[i], 1, 2) == 'h:' then
      if tonumber(flat[i + 1]) > at then count = count + 1 else redis.call('HDEL', key, flat[i]) end
    end
  end
  return count
end
local function pointer(key, at)
  local found = redis.call('HMGET', key, 'gen', 'owner', 'busy')
  if found[3] and holders(key, at) == 0 then
    redis.call('DEL', key)
    return false, false, false
  end
  return found[1], found[2], found[3]
end
`

/**
 * KEYS epoch. ARGV the next one. The present epoch, made where there is none; empty when a full server has no room for it.
 * An epoch is random: one that was evicted comes back as another, so that nothing old becomes valid again.
 */
export const readEpoch = script(`${failures}
local epoch = redis.call('GET', KEYS[1])
if epoch then return epoch end
local made = redis.pcall('SET', KEYS[1], ARGV[1])
if full(made) then return '' end
if failed(made) then return made end
return ARGV[1]
`)

/**
 * KEYS pointers. ARGV how long a lease lasts, a fresh generation for each. Flat pairs: generation, owner. A pointer that is not there is
 * made; the generation is empty while somebody writes, and when there is no room.
 */
export const lease = script(`${failures}${pointer}
local at = now()
local out = {}
for i, key in ipairs(KEYS) do
  local gen, owner, busy = pointer(key, at)
  if busy then
    gen = ''
  elseif not gen then
    local made = redis.pcall('HSET', key, 'gen', ARGV[i + 1])
    if full(made) then
      gen = ''
    elseif failed(made) then
      return made
    else
      gen = ARGV[i + 1]
      redis.call('PEXPIRE', key, ARGV[1])
    end
  elseif redis.call('PTTL', key) < tonumber(ARGV[1]) then
    redis.call('PEXPIRE', key, ARGV[1])
  end
  out[2 * i - 1] = gen
  out[2 * i] = owner or ''
end
return out
`)

/**
 * KEYS pointers. ARGV how long a hold lasts, how long the pointer lives, a token for each. Makes misses of the ids until the token is settled.
 * The token of each, empty where there is no room: then the pointer goes, which makes a miss of the id as well. The pointer lives
 * longer than the hold, so that a server that evicts what ends soonest does not begin with it.
 */
export const hold = script(`${failures}${pointer}
local at = now()
local out = {}
for i, key in ipairs(KEYS) do
  local token = ARGV[i + 2]
  local _, _, busy = pointer(key, at)
  local ends = at + tonumber(ARGV[1])
  local made = redis.pcall('HSET', key, 'gen', token, 'busy', busy and 'many' or token, 'h:' .. token, ends)
  if full(made) then
    redis.call('DEL', key)
    token = ''
  elseif failed(made) then
    return made
  else
    redis.call('PEXPIRE', key, ARGV[2])
  end
  out[i] = token
end
return out
`)

/**
 * KEYS pointers. ARGV how long a pointer is to live, then for each: the lease given ('*' for none), a fresh generation, the owner (empty: gives
 * the lease back unused). The generation under which an entry may be put; empty where the lease does not hold.
 *
 * Of writers that held an id at the same time none may put: which of them committed last, nobody here knows.
 */
export const settle = script(`${failures}${pointer}
local at = now()

-- What a writer held: a fresh generation when it was alone.
local function settleHold(key, token, fresh, owner)
  local busy = redis.call('HGET', key, 'busy')
  if redis.call('HDEL', key, 'h:' .. token) == 0 then
    -- Too late: what others made of the id meanwhile may be older than what was written.
    if not busy or failed(redis.pcall('HSET', key, 'busy', 'many')) then redis.call('DEL', key) end
    return ''
  end
  if busy == token and owner ~= '' then
    redis.call('HDEL', key, 'busy')
    return fresh
  end
  if holders(key, at) == 0 then redis.call('DEL', key) end
  return ''
end

-- What a reader missed, or what is put without a lease.
local function settleRead(key, given, fresh)
  local gen, _, busy = pointer(key, at)
  if busy then return '' end
  if given == '*' then return gen or fresh end
  return given == gen and gen or ''
end

local out = {}
for i, key in ipairs(KEYS) do
  local given, fresh, owner = ARGV[3 * i - 1], ARGV[3 * i], ARGV[3 * i + 1]
  local gen = ''
  if string.sub(given, 1, 1) == 'w' then
    gen = settleHold(key, given, fresh, owner)
  elseif owner ~= '' then
    gen = settleRead(key, given, fresh)
  end
  if gen ~= '' then
    local made = redis.pcall('HSET', key, 'gen', gen, 'owner', owner)
    if failed(made) then
      redis.call('DEL', key)
      return made
    end
    if redis.call('PTTL', key) < tonumber(ARGV[1]) then redis.call('PEXPIRE', key, ARGV[1]) end
  end
  out[i] = gen
end
return out
`)

/** KEYS pointers. Makes misses of the ids, whose owners it gives; what is being written is a miss already. */
export const evict = script(`${pointer}
local at = now()
local out = {}
for i, key in ipairs(KEYS) do
  local _, owner, busy = pointer(key, at)
  out[i] = owner or ''
  if not busy then redis.call('DEL', key) end
end
return out
`)

const note = `${now}
local function note(key, member, ttl)
  local at = now()
  local expires = at + ttl
  redis.call('ZREMRANGEBYSCORE', key, '-inf', at)
  local known = redis.call('ZSCORE', key, member)
  if not known or tonumber(known) < expires then redis.call('ZADD', key, expires, member) end
  if redis.call('PTTL', key) < ttl then redis.call('PEXPIRE', key, ttl) end
end
`

/** KEYS an index. ARGV how long the member is to be in it, the member. */
export const noteMember = script(`${note}
note(KEYS[1], ARGV[2], tonumber(ARGV[1]))
return 1
`)

/**
 * KEYS entry, its indexes. ARGV member, run and epoch, version, 1 for a tombstone, time to live, then fields and values. 1 when it was kept, 0
 * when what is there is newer.
 */
export const putEntry = script(`${note}
local old = redis.call('HMGET', KEYS[1], 'lease', 'version', 'gone')
if old[1] and string.sub(old[1], 1, #ARGV[2]) == ARGV[2] then
  local had, new = tonumber(old[2]), tonumber(ARGV[3])
  if had > new or (had == new and old[3] and ARGV[4] == '0') then return 0 end
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 6))
local ttl = tonumber(ARGV[5])
redis.call('PEXPIRE', KEYS[1], ttl)
for i = 2, #KEYS do
  redis.call('ZREM', KEYS[i], ARGV[1])
  if ARGV[4] == '0' then note(KEYS[i], ARGV[1], ttl) end
end
return 1
`)

/** KEYS entries. ARGV fields. Those of each entry: one answer for many, which are of one owner. */
export const readFields = script(`
local out = {}
for i, key in ipairs(KEYS) do out[i] = redis.call('HMGET', key, unpack(ARGV)) end
return out
`)

/** KEYS entry. ARGV epoch milliseconds. Counts a use of an entry that is there. */
export const touchEntry = script(`
if redis.call('HEXISTS', KEYS[1], 'record') == 0 then return 0 end
redis.call('HINCRBY', KEYS[1], 'uses', 1)
local used = redis.call('HGET', KEYS[1], 'used')
if not used or used == '' or tonumber(used) < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'used', ARGV[1]) end
return 1
`)

/** KEYS entry, index of the owner. ARGV member. The facts of what was there, which name its session; empty where nothing was. */
export const dropEntry = script(`
local facts = redis.call('HGET', KEYS[1], 'facts')
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return facts or ''
`)

/** KEYS an index. Its members, those that are expired taken out. */
export const members = script(`${note}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now())
return redis.call('ZRANGE', KEYS[1], 0, -1)
`)

/** KEYS an index, entries. ARGV the member of each entry: out of the index where the entry is not there. */
export const tidy = script(`
for i, member in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[i + 1]) == 0 then redis.call('ZREM', KEYS[1], member) end
end
return 1
`)

/** KEYS the queue. ARGV most entries, the entry. */
export const pushEntry = script(`
if redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[2])
return 1
`)

/** KEYS the queue. ARGV the entry that is to be the oldest. */
export const shiftEntry = script(`
if redis.call('LINDEX', KEYS[1], 0) ~= ARGV[1] then return 0 end
redis.call('LPOP', KEYS[1])
return 1
`)

/** A script with what it works on. */
export interface ScriptCall {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly Argument[]
}

/** By its digest, and with its text where the server does not know it yet. */
export function command({ script: { text, sha }, keys, args }: ScriptCall): Command {
  const rest = [String(keys.length), ...keys, ...args]
  return { key: keys[0] as string, args: ['EVALSHA', sha, ...rest], unknownScript: ['EVAL', text, ...rest] }
}
