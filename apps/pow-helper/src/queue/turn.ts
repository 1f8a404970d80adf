/**
 * How long after the last question about it a job counts as one that somebody waits for, in milliseconds. Wallets ask
 * again as soon as an answer is there, so this is room for one that lost its connection.
 */
export const PATIENCE_MS = 30_000;

/**
 * Whose turn it is of the waiting jobs, which stand in the order of their arrival: the first that somebody waits for; when
 * nobody waits for any, the first of all. The script `TAKE` of the queue in Redis chooses alike.
 * docs/protocol/pow-helper.md#jobs
 */
export function nextInTurn<Job>(waiting: readonly Job[], isWaitedFor: (job: Job) => boolean): Job | undefined {
  return waiting.find(isWaitedFor) ?? waiting[0];
}

/** Who makes room for a new job in a full queue: the first that nobody waits for, if there is one. */
export function firstAbandoned<Job>(waiting: readonly Job[], isWaitedFor: (job: Job) => boolean): Job | undefined {
  return waiting.find((job) => !isWaitedFor(job));
}
