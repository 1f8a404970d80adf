/**
 * The steps of the shared queue. Each is one Lua script, which Redis runs as a whole: no instance ever sees a job between
 * two states, and a job's state and data are read in one piece. Times are milliseconds of the clock of Redis, so that the
 * clocks of the instances need not agree.
 *
 * | key             | what it holds                                                                      |
 * | --------------- | ---------------------------------------------------------------------------------- |
 * | `job:<id>`      | hash: `state`, the job's data, `place` in the order of arrival, `owner`, `nonce`... |
 * | `waiting`       | sorted set: ids of queued jobs by place                                            |
 * | `running`       | sorted set: ids of running jobs by the time their lock ends                        |
 * | `polled`        | sorted set: ids of unfinished jobs by when somebody last asked                     |
 * | `finished`      | sorted set: ids of finished jobs by when they are forgotten                        |
 * | `places`        | counter of arrivals                                                                |
 * | `beat`          | when an instance last gave a sign of life                                          |
 * | `limit:<m>:<n>` | counter of the events `n` in the minute `m`                                        |
 *
 * Every reply begins with the time. Messages on the channels `queued`, `ended` and `cancelled` carry the id of a job.
 *
 * BullMQ 6.7.0 was measured and breaks four promises. With room for 5 jobs, 40 concurrent submissions are all accepted,
 * because its `add` has no limit. 30 submissions that timed out while Redis was suspended were in the queue after it went
 * on, because `add` has no deadline. A result is refused when the lock was lost ("Missing lock", "Lock mismatch"), so the
 * job is solved twice. A job that another instance runs cannot be removed.
 */

export const PREFIX = 'wrkz-pow:';
export const CHANNELS = {
  queued: `${PREFIX}queued`,
  ended: `${PREFIX}ended`,
  cancelled: `${PREFIX}cancelled`,
} as const;

/** A minute's counter outlives its minute by one. */
const COUNTER_SECONDS = 120;

const PRELUDE = `
local P = '${PREFIX}'
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function finish(id, ttl, ...)
  redis.call('hset', P .. 'job:' .. id, 'finishedAt', now, ...)
  redis.call('hdel', P .. 'job:' .. id, 'owner', 'prefix')
  redis.call('zrem', P .. 'waiting', id)
  redis.call('zrem', P .. 'running', id)
  redis.call('zrem', P .. 'polled', id)
  redis.call('zremrangebyscore', P .. 'finished', '-inf', now)
  redis.call('zadd', P .. 'finished', now + ttl, id)
  redis.call('pexpire', P .. 'job:' .. id, ttl)
  redis.call('publish', P .. 'ended', id)
end
local function enqueue(id)
  redis.call('hset', P .. 'job:' .. id, 'state', 'queued')
  redis.call('hdel', P .. 'job:' .. id, 'owner')
  redis.call('zrem', P .. 'running', id)
  redis.call('zadd', P .. 'waiting', redis.call('hget', P .. 'job:' .. id, 'place'), id)
  redis.call('publish', P .. 'queued', id)
end
local function waitedFor(id, patience)
  return tonumber(redis.call('zscore', P .. 'polled', id) or 0) >= now - patience
end
-- the ids of a set whose jobs are still there; others are dropped, as they could never end
local function jobsOf(set)
  local jobs = {}
  for _, id in ipairs(redis.call('zrange', P .. set, 0, -1)) do
    if redis.call('hexists', P .. 'job:' .. id, 'submittedAt') == 1 then jobs[#jobs + 1] = id
    else redis.call('zrem', P .. set, id) end
  end
  return jobs
end
local function age(id)
  return now - tonumber(redis.call('hget', P .. 'job:' .. id, 'submittedAt'))
end
`;

/**
 * ARGV: deadline, capacity, patience, ttl, expired text, id, then names and values of the job's data. Replies `ok`, `full`
 * or `late`, and how long the job waited that made room.
 */
export const SUBMIT = `${PRELUDE}
local deadline, capacity, patience, ttl = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local id, waited = ARGV[6], false
if now > deadline then return { now, 'late' } end
local waiting = redis.call('zcard', P .. 'waiting') >= capacity and jobsOf('waiting') or {}
if #waiting >= capacity then
  local abandoned
  for _, other in ipairs(waiting) do
    if not waitedFor(other, patience) then abandoned = other break end
  end
  if not abandoned then return { now, 'full' } end
  waited = age(abandoned)
  finish(abandoned, ttl, 'state', 'failed', 'error', ARGV[5])
end
redis.call('hset', P .. 'job:' .. id, 'submittedAt', now, 'hashes', 0, 'losses', 0,
  'place', redis.call('incr', P .. 'places'), unpack(ARGV, 7))
redis.call('zadd', P .. 'polled', now, id)
enqueue(id)
return { now, 'ok', waited }`;

/**
 * ARGV: deadline, token, lock, patience, job time-out, ttl, expired text. Replies how long the jobs waited that had expired,
 * and the id and data of the job whose turn it is.
 */
export const TAKE = `${PRELUDE}
local deadline, lock, patience = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
local timeout, ttl = tonumber(ARGV[5]), tonumber(ARGV[6])
local expired = {}
if now > deadline then return { now, expired } end
while true do
  local waiting = jobsOf('waiting')
  local id = waiting[1]
  if not id then return { now, expired } end
  for _, other in ipairs(waiting) do
    if waitedFor(other, patience) then id = other break end
  end
  local waited = age(id)
  if waited > timeout and redis.call('hexists', P .. 'job:' .. id, 'startedAt') == 0 then
    finish(id, ttl, 'state', 'failed', 'error', ARGV[7])
    expired[#expired + 1] = waited
  else
    redis.call('hset', P .. 'job:' .. id, 'state', 'running', 'owner', ARGV[2], 'startedAt', now)
    redis.call('zrem', P .. 'waiting', id)
    redis.call('zadd', P .. 'running', now + lock, id)
    return { now, expired, id, redis.call('hgetall', P .. 'job:' .. id) }
  end
end`;

/**
 * A sign of life. ARGV: token, id of the running job or nothing, its hashes, lock, most losses, ttl, text of a job given up,
 * job time-out, expired text, then the ids that somebody waits for here. Renews the lock, takes jobs back from instances that
 * died, gives up those that outlived too many, and ends queued jobs older than the time-out. When no instance was heard for long, it was Redis that was away, and no lock counts as lost.
 * Replies what became of the running job (`held`, `lost`, `cancelled`), how long the jobs given up had waited, the ids that
 * have ended, the jobs waiting, how long the expired jobs had waited.
 */
export const BEAT = `${PRELUDE}
local token, id, lock, most, ttl = ARGV[1], ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local last = tonumber(redis.call('get', P .. 'beat') or now)
redis.call('set', P .. 'beat', now, 'px', 86400000)
if now - last > lock / 2 then
  for _, other in ipairs(jobsOf('running')) do
    redis.call('zadd', P .. 'running', now + lock, other)
  end
end
local held = ''
if id ~= '' then
  local state = redis.call('hmget', P .. 'job:' .. id, 'state', 'owner')
  if state[1] == 'running' and state[2] == token then
    held = 'held'
    redis.call('zadd', P .. 'running', now + lock, id)
    redis.call('hset', P .. 'job:' .. id, 'hashes', ARGV[3])
  else
    held = state[1] == 'cancelled' and 'cancelled' or 'lost'
  end
end
local givenUp = {}
for _, other in ipairs(jobsOf('running')) do
  if tonumber(redis.call('zscore', P .. 'running', other)) <= now then
    if redis.call('hincrby', P .. 'job:' .. other, 'losses', 1) >= most then
      givenUp[#givenUp + 1] = age(other)
      finish(other, ttl, 'state', 'failed', 'error', ARGV[7])
    else
      enqueue(other)
    end
  end
end
local expired = {}
for _, other in ipairs(jobsOf('waiting')) do
  local waited = age(other)
  -- in the order of arrival: the jobs behind it are younger
  if waited <= tonumber(ARGV[8]) then break end
  if redis.call('hexists', P .. 'job:' .. other, 'startedAt') == 0 then
    finish(other, ttl, 'state', 'failed', 'error', ARGV[9])
    expired[#expired + 1] = waited
  end
end
local ended = {}
for i = 10, #ARGV do
  if redis.call('zscore', P .. 'polled', ARGV[i]) then redis.call('zadd', P .. 'polled', now, ARGV[i])
  else ended[#ended + 1] = ARGV[i] end
end
return { now, held, givenUp, ended, redis.call('zcard', P .. 'waiting'), expired }`;

/**
 * ARGV: id, nonce, hashes, ttl. A nonce is good whoever holds the lock by now, so it is taken for every job that has not
 * ended. Replies 1 when it was.
 */
export const COMPLETE = `${PRELUDE}
local state = redis.call('hget', P .. 'job:' .. ARGV[1], 'state')
if state ~= 'queued' and state ~= 'running' then return { now, 0 } end
finish(ARGV[1], tonumber(ARGV[4]), 'state', 'done', 'nonce', ARGV[2], 'hashes', ARGV[3])
return { now, 1 }`;

/** ARGV: id, token, error, ttl. Replies 1 when the job was this token's. */
export const FAIL = `${PRELUDE}
if redis.call('hget', P .. 'job:' .. ARGV[1], 'owner') ~= ARGV[2] then return { now, 0 } end
finish(ARGV[1], tonumber(ARGV[4]), 'state', 'failed', 'error', ARGV[3])
return { now, 1 }`;

/** ARGV: id, token. The job goes back to its place. */
export const GIVE_BACK = `${PRELUDE}
if redis.call('hget', P .. 'job:' .. ARGV[1], 'owner') == ARGV[2] then enqueue(ARGV[1]) end
return { now }`;

/** ARGV: id, ttl. Replies the job's data before, and nothing when there is no such job. */
export const CANCEL = `${PRELUDE}
local before = redis.call('hgetall', P .. 'job:' .. ARGV[1])
local state = redis.call('hget', P .. 'job:' .. ARGV[1], 'state')
if state == 'queued' or state == 'running' then
  redis.call('publish', P .. 'cancelled', ARGV[1])
  finish(ARGV[1], tonumber(ARGV[2]), 'state', 'cancelled')
end
return { now, before }`;

/** ARGV: id. Notes that somebody asked. Replies the job's data. */
export const READ = `${PRELUDE}
redis.call('zadd', P .. 'polled', 'XX', now, ARGV[1])
return { now, redis.call('hgetall', P .. 'job:' .. ARGV[1]) }`;

/** Replies the jobs waiting, the jobs remembered, and the data of one that runs. Writes nothing. */
export const DEPTH = `${PRELUDE}
local waiting, active = redis.call('zcard', P .. 'waiting'), redis.call('zrange', P .. 'running', 0, 0)[1]
local tracked = waiting + redis.call('zcard', P .. 'running') + redis.call('zcount', P .. 'finished', now, '+inf')
return { now, waiting, tracked, active and redis.call('hgetall', P .. 'job:' .. active) or {} }`;

/** ARGV: name. Replies how often it was counted in the present minute. */
export const COUNT = `${PRELUDE}
local key = P .. 'limit:' .. math.floor(now / 60000) .. ':' .. ARGV[1]
local count = redis.call('incr', key)
if count == 1 then redis.call('expire', key, ${COUNTER_SECONDS}) end
return { now, count }`;
