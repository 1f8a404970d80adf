import type { JobQueue, QueueParts } from './job-queue';
import { MemoryQueue } from './memory-queue';
import { RedisQueue } from './redis/redis-queue';

/** The queue of one instance: in this process, or with a URL in Redis, which several instances share. */
export function createQueue(url: string | undefined, parts: QueueParts): JobQueue {
  return url === undefined ? new MemoryQueue(parts) : new RedisQueue(url, parts);
}
