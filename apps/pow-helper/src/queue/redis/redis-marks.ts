import type { Redis } from 'ioredis';
import type { JobRecord } from '../../jobs/job';

export const QUEUE_NAME = 'wrkz-pow';
export const CANCEL_CHANNEL = `${QUEUE_NAME}:cancel`;
/** The failure reason that marks a cancelled job. */
export const CANCELLED = 'cancelled';

/** A reservation whose instance died before releasing it stops counting after this. */
const RESERVATION_MS = 5_000;
const MINUTE_MS = 60_000;
/** A minute's counter outlives its minute by one. */
const COUNTER_SECONDS = 120;

/** A place is reserved in one step, so that all instances together never accept more jobs than the queue holds. */
const RESERVE = `
redis.call('zremrangebyscore', KEYS[2], '-inf', ARGV[4])
if redis.call('llen', KEYS[1]) + redis.call('zcard', KEYS[2]) >= tonumber(ARGV[1]) then return 0 end
redis.call('zadd', KEYS[2], ARGV[2], ARGV[3])
return 1`;

const COUNT = `
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('expire', KEYS[1], ARGV[1]) end
return count`;

/** What the instances share in Redis besides the jobs: reservations, cancellations and counters. */
export class RedisMarks {
  constructor(
    private readonly redis: Redis,
    private readonly ttlMs: number,
  ) {}

  /** True when there was a free place; `release` returns it once the job stands in the queue. */
  async reserve(waitKey: string, id: string, capacity: number): Promise<boolean> {
    const now = Date.now();
    const taken = await this.redis.eval(
      RESERVE,
      2,
      waitKey,
      `${QUEUE_NAME}:reserved`,
      capacity,
      now,
      id,
      now - RESERVATION_MS,
    );
    return taken === 1;
  }

  async release(id: string): Promise<void> {
    await this.redis.zrem(`${QUEUE_NAME}:reserved`, id);
  }

  /** Stores the record of a job that was cancelled before it ran, for later questions about it. */
  async rememberCancelled(job: JobRecord): Promise<void> {
    const text = JSON.stringify({ ...job, difficulty: job.difficulty.toString(), hashes: '0', nonce: undefined });
    await this.redis.set(`${QUEUE_NAME}:cancelled:${job.id}`, text, 'PX', this.ttlMs);
  }

  async cancelled(id: string): Promise<JobRecord | undefined> {
    const text = await this.redis.get(`${QUEUE_NAME}:cancelled:${id}`);
    if (text === null) return undefined;
    const record = JSON.parse(text) as Omit<JobRecord, 'difficulty'> & { readonly difficulty: string };
    return { ...record, difficulty: BigInt(record.difficulty), hashes: 0n };
  }

  /** Stops the job wherever it runs, and where it is about to. */
  async announceCancel(id: string): Promise<void> {
    await this.redis.set(`${QUEUE_NAME}:cancelling:${id}`, '1', 'PX', this.ttlMs);
    await this.redis.publish(CANCEL_CHANNEL, id);
  }

  async isCancelled(id: string): Promise<boolean> {
    return (await this.redis.exists(`${QUEUE_NAME}:cancelling:${id}`)) === 1;
  }

  /** Counts one event of the present clock minute, over all instances. */
  async countMinute(name: string): Promise<number> {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    return (await this.redis.eval(COUNT, 1, `${QUEUE_NAME}:limit:${minute}:${name}`, COUNTER_SECONDS)) as number;
  }
}
