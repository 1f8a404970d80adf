import { stratumApi } from '@wrkz/api';
import type { FoundNonce } from '@wrkz/crypto';
import { endpointText, errorText, plainText, VERSION } from '@wrkz/service-kit';
import { ReconnectDelay } from '../back-off';
import { WorkRefused, type WorkListener, type WorkSource } from '../work';
import type { PoolEndpoint } from './endpoint';
import { jobWork } from './job-work';
import { LineClient } from './line-client';

/** How often the server hears that we are still there, in milliseconds. */
const KEEP_ALIVE = 60_000;

export interface StratumLoginSettings {
  readonly endpoint: PoolEndpoint;
  readonly address: string;
  readonly rigId: string;
}

/** Jobs of a stratum server; after a lost connection it connects again. */
export class StratumSource implements WorkSource {
  private readonly backOff: ReconnectDelay;

  constructor(
    private readonly settings: StratumLoginSettings,
    backOff?: ReconnectDelay,
  ) {
    this.backOff = backOff ?? new ReconnectDelay();
  }

  async run(listener: WorkListener, signal: AbortSignal): Promise<void> {
    let told = '';
    while (!signal.aborted) {
      const reason = await this.connection(listener, signal, () => (told = ''));
      listener.onWork(undefined);
      if (signal.aborted) return;
      if (reason !== told) listener.onNotice('warning', `no work from ${this.name}: ${(told = reason)}`);
      await this.backOff.until(signal);
    }
  }

  private get name(): string {
    return endpointText(this.settings.endpoint);
  }

  /** One connection from beginning to end: why it ended. */
  private async connection(listener: WorkListener, signal: AbortSignal, onLogin: () => void): Promise<string> {
    const takeJob = (message: unknown): void =>
      listener.onWork(jobWork(message, (job, found) => this.submit(client, job, found)));
    const client = new LineClient(
      this.settings.endpoint,
      (method, params) => {
        if (method === 'job') takeJob(params);
      },
      signal,
    );
    const { address: login, rigId: rigid } = this.settings;
    const agent = `wrkz-miner/${VERSION}`;
    const beats = setInterval(() => void client.ask('keepalived', {}).catch(() => undefined), KEEP_ALIVE);
    try {
      const { error, result } = await client.ask('login', {
        login,
        pass: 'x',
        agent,
        ...(rigid === '' ? {} : { rigid }),
      });
      if (error) throw new Error(plainText(error.message));
      takeJob(stratumApi.stratumLoginResult.parse(result).job);
      onLogin();
      this.backOff.reset();
      listener.onNotice('info', `logged in to ${this.name}`);
      return await client.ended;
    } catch (error) {
      client.end(errorText(error));
      return await client.ended;
    } finally {
      clearInterval(beats);
    }
  }

  private async submit(client: LineClient, job: stratumApi.StratumJobMessage, found: FoundNonce): Promise<void> {
    const share = {
      job_id: job.job_id,
      nonce: found.nonceBytes.toString('hex'),
      result: found.hash.toString('hex'),
    };
    const { error } = await client.ask('submit', share);
    if (error) throw new WorkRefused(plainText(error.message));
  }
}
