import { stratumApi } from '@wrkz/api';
import { MAX_UINT64, miningAlgorithm } from '@wrkz/core-types';
import type { FoundNonce } from '@wrkz/crypto';
import { endpointText, errorText, plainText, VERSION } from '@wrkz/service-kit';
import { ReconnectDelay } from './reconnect-delay';
import { type PoolEndpoint, PoolConnection } from './pool-connection';
import { type MiningWork, type WorkListener, WorkRefused, type WorkSource } from './work';

const KEEP_ALIVE_INTERVAL_MS = 60_000;
/** Offset of the nonce in hashing blobs of CryptoNote coins. */
const NONCE_OFFSET = 39;
const NONCE_SIZE = 4;
/** Algorithm of current blocks, for jobs without an algorithm. */
const DEFAULT_ALGORITHM = 'cn/upx2';

export interface StratumSourceOptions {
  readonly endpoint: PoolEndpoint;
  readonly address: string;
  readonly rigId: string;
  readonly reconnectDelay?: ReconnectDelay | undefined;
}

/** Receives jobs from a stratum server. */
export class StratumSource implements WorkSource {
  private readonly reconnectDelay: ReconnectDelay;

  constructor(private readonly options: StratumSourceOptions) {
    this.reconnectDelay = options.reconnectDelay ?? new ReconnectDelay();
  }

  async run(listener: WorkListener, signal: AbortSignal): Promise<void> {
    let lastReason = '';
    while (!signal.aborted) {
      const reason = await this.runConnection(listener, signal, () => (lastReason = ''));
      listener.onWork(undefined);
      if (signal.aborted) return;
      if (reason !== lastReason) listener.onNotice('warning', `no work from ${this.name}: ${(lastReason = reason)}`);
      await this.reconnectDelay.until(signal);
    }
  }

  private get name(): string {
    return endpointText(this.options.endpoint);
  }

  /** Runs one connection. @returns the reason why it closed */
  private async runConnection(listener: WorkListener, signal: AbortSignal, onLogin: () => void): Promise<string> {
    const onJob = (message: unknown): void =>
      listener.onWork(jobWork(message, (job, found) => this.submit(client, job, found)));
    const client = new PoolConnection(
      this.options.endpoint,
      (method, params) => {
        if (method === 'job') onJob(params);
      },
      signal,
    );
    const { address: login, rigId: rigid } = this.options;
    const agent = `wrkz-miner/${VERSION}`;
    const keepAlive = setInterval(
      () => void client.request('keepalived', {}).catch(() => undefined),
      KEEP_ALIVE_INTERVAL_MS,
    );
    try {
      const { error, result } = await client.request('login', {
        login,
        pass: 'x',
        agent,
        ...(rigid === '' ? {} : { rigid }),
      });
      if (error) throw new Error(plainText(error.message));
      onJob(stratumApi.stratumLoginResult.parse(result).job);
      onLogin();
      this.reconnectDelay.reset();
      listener.onNotice('info', `logged in to ${this.name}`);
      return await client.ended;
    } catch (error) {
      client.end(errorText(error));
      return await client.ended;
    } finally {
      clearInterval(keepAlive);
    }
  }

  private async submit(client: PoolConnection, job: stratumApi.StratumJobMessage, found: FoundNonce): Promise<void> {
    const share = {
      job_id: job.job_id,
      nonce: found.nonceBytes.toString('hex'),
      result: found.hash.toString('hex'),
    };
    const { error } = await client.request('submit', share);
    if (error) throw new WorkRefused(plainText(error.message));
  }
}

/** @throws Error for a job that cannot be mined */
export function jobWork(
  message: unknown,
  submit: (job: stratumApi.StratumJobMessage, found: FoundNonce) => Promise<void>,
): MiningWork {
  const job = stratumApi.stratumJob.parse(message);
  const algorithm = miningAlgorithm(job.algo ?? DEFAULT_ALGORITHM);
  if (algorithm === undefined) throw new Error(`the algorithm ${JSON.stringify(job.algo)} is not supported`);
  const data = Buffer.from(job.blob, 'hex');
  if (data.length < NONCE_OFFSET + NONCE_SIZE) throw new Error('the blob of a job has no space for a nonce');
  return {
    algorithm,
    data,
    nonceOffset: NONCE_OFFSET,
    difficulty: targetDifficulty(job.target),
    height: job.height,
    isShare: true,
    submit: (found) => submit(job, found),
  };
}

/**
 * The difficulty of a target.
 * @param target 4 or 8 bytes in hex, little-endian
 * @throws RangeError for 0: no hash is below it
 */
export function targetDifficulty(target: string): bigint {
  const bytes = Buffer.from(target, 'hex');
  const [value, largest] =
    bytes.length === 4 ? [BigInt(bytes.readUInt32LE()), 0xffff_ffffn] : [bytes.readBigUInt64LE(), MAX_UINT64];
  if (value === 0n) throw new RangeError('the target of a job is 0');
  return largest / value;
}
