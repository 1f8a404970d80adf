/**
 * The Lua scripts of the queue. Redis runs each atomically. Times are milliseconds of the clock of Redis, so the clocks of the
 * instances need not agree.
 *
 * | key             | content                                                                            |
 * | --------------- | ---------------------------------------------------------------------------------- |
 * | `job:<id>`      | hash: `state`, the input, `place` in the FIFO order, `owner`, `nonce`...            |
 * | `waiting`       | sorted set: ids of queued jobs by place                                            |
 * | `running`       | sorted set: ids of running jobs by the time their lock ends                        |
 * | `polled`        | sorted set: ids of unfinished jobs by the time of the last poll                    |
 * | `finished`      | sorted set: ids of finished jobs by the time of their removal                      |
 * | `places`        | counter of submissions                                                             |
 * | `beat`          | time of the last heartbeat of any instance                                         |
 * | `limit:<m>:<n>` | counter of events `n` in minute `m`                                                |
 *
 * Every result begins with the time. Messages on the channels `queued`, `ended` and `cancelled` carry the id of a job.
 *
 * BullMQ 6.7.0 was tested and does not meet four requirements. With a capacity of 5 jobs, it accepts all of 40 concurrent
 * submissions, because its `add` has no limit. 30 submissions that timed out while Redis was suspended were in the queue
 * after Redis resumed, because `add` has no deadline. A result is refused when the lock was lost ("Missing lock", "Lock
 * mismatch"), so the job is solved twice. A job that another instance runs cannot be removed.
 */

export const PREFIX = 'wrkz-pow:';
export const CHANNELS = {
  queued: `${PREFIX}queued`,
  ended: `${PREFIX}ended`,
  cancelled: `${PREFIX}cancelled`,
} as const;

/** TTL of the counter of a minute. */
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
local function isPolled(id, pollTimeout)
  return tonumber(redis.call('zscore', P .. 'polled', id) or 0) >= now - pollTimeout
end
-- the ids of a set; ids without a job are removed, as they could never end
local function jobsOf(set)
  local jobs = {}
  for _, id in ipairs(redis.call('zrange', P .. set, 0, -1)) do
    if redis.call('hexists', P .. 'job:' .. id, 'submittedAt') == 1 then jobs[#jobs + 1] = id
    else redis.call('zrem', P .. set, id) end
  end
  return jobs
end
-- the fields of a job for clients: the prefix may have half a megabyte
local function viewOf(id)
  local fields, view = redis.call('hgetall', P .. 'job:' .. id), {}
  for i = 1, #fields, 2 do
    if fields[i] ~= 'prefix' then view[#view + 1] = fields[i] view[#view + 1] = fields[i + 1] end
  end
  return view
end
local function age(id)
  return now - tonumber(redis.call('hget', P .. 'job:' .. id, 'submittedAt'))
end
`;

/**
 * ARGV: deadline, capacity, poll timeout, ttl, expired text, id, then names and values of the job. Returns `ok`, `full` or
 * `late`, and the queue time of a dropped job.
 */
export const SUBMIT = `${PRELUDE}
local deadline, capacity, pollTimeout, ttl = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local id, waited = ARGV[6], false
if now > deadline then return { now, 'late' } end
local waiting = redis.call('zcard', P .. 'waiting') >= capacity and jobsOf('waiting') or {}
if #waiting >= capacity then
  local abandoned
  for _, other in ipairs(waiting) do
    if not isPolled(other, pollTimeout) then abandoned = other break end
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
 * ARGV: deadline, token, lock, poll timeout, job timeout, ttl, expired text. Returns the queue times of expired jobs, and id and
 * data of the next job.
 */
export const TAKE = `${PRELUDE}
local deadline, lock, pollTimeout = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
local timeout, ttl = tonumber(ARGV[5]), tonumber(ARGV[6])
local expired = {}
if now > deadline then return { now, expired } end
while true do
  local waiting = jobsOf('waiting')
  local id = waiting[1]
  if not id then return { now, expired } end
  for _, other in ipairs(waiting) do
    if isPolled(other, pollTimeout) then id = other break end
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
 * ARGV: token, id of the running job or empty, its hashes, lock, max losses, ttl, failure text, job timeout, expired text, then the
 * polled ids. Renews the lock, returns jobs of dead instances to the queue, fails jobs with too many losses, and expires queued
 * jobs. If no instance had a heartbeat for a long time, Redis was unreachable, and all locks are renewed.
 * Returns the state of the running job (`held`, `lost`, `cancelled`), queue times of failed jobs, ended ids, the number of
 * queued jobs, queue times of expired jobs.
 */
export const HEARTBEAT = `${PRELUDE}
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
  -- FIFO order: the following jobs are younger
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
 * ARGV: id, nonce, hashes, ttl. A nonce is valid even if the lock was lost, so it is accepted for every job that has not
 * ended. Returns 1 if it was accepted.
 */
export const COMPLETE = `${PRELUDE}
local state = redis.call('hget', P .. 'job:' .. ARGV[1], 'state')
if state ~= 'queued' and state ~= 'running' then return { now, 0 } end
finish(ARGV[1], tonumber(ARGV[4]), 'state', 'done', 'nonce', ARGV[2], 'hashes', ARGV[3])
return { now, 1 }`;

/** ARGV: id, token, error, ttl. Returns 1 if the token owns the job. */
export const FAIL = `${PRELUDE}
if redis.call('hget', P .. 'job:' .. ARGV[1], 'owner') ~= ARGV[2] then return { now, 0 } end
finish(ARGV[1], tonumber(ARGV[4]), 'state', 'failed', 'error', ARGV[3])
return { now, 1 }`;

/** ARGV: id, token. Returns the job to its place in the queue. */
export const RETURN_JOB = `${PRELUDE}
if redis.call('hget', P .. 'job:' .. ARGV[1], 'owner') == ARGV[2] then enqueue(ARGV[1]) end
return { now }`;

/** ARGV: id, ttl. Returns the job before the cancellation; empty if there is none. */
export const CANCEL = `${PRELUDE}
local before = viewOf(ARGV[1])
local state = redis.call('hget', P .. 'job:' .. ARGV[1], 'state')
if state == 'queued' or state == 'running' then
  redis.call('publish', P .. 'cancelled', ARGV[1])
  finish(ARGV[1], tonumber(ARGV[2]), 'state', 'cancelled')
end
return { now, before }`;

/** ARGV: id. Registers a poll. Returns the job. */
export const READ = `${PRELUDE}
redis.call('zadd', P .. 'polled', 'XX', now, ARGV[1])
return { now, viewOf(ARGV[1]) }`;

/** Returns the number of queued and of stored jobs, and a running job. Writes nothing. */
export const DEPTH = `${PRELUDE}
local waiting, active = redis.call('zcard', P .. 'waiting'), redis.call('zrange', P .. 'running', 0, 0)[1]
local tracked = waiting + redis.call('zcard', P .. 'running') + redis.call('zcount', P .. 'finished', now, '+inf')
return { now, waiting, tracked, active and viewOf(active) or {} }`;

/** ARGV: name. Returns the count of the current minute. */
export const COUNT = `${PRELUDE}
local key = P .. 'limit:' .. math.floor(now / 60000) .. ':' .. ARGV[1]
local count = redis.call('incr', key)
if count == 1 then redis.call('expire', key, ${COUNTER_SECONDS}) end
return { now, count }`;
