import { errorText } from '@wrkz/service-kit';
import { ReconnectDelay, patience } from '../back-off';
import type { WorkListener, WorkSource } from '../work';
import { blockWork } from './block-work';
import type { NodeRpc } from './node-rpc';

/** After so many milliseconds a template is asked for again: the pool has other transactions by then. */
const TEMPLATE_AGE = 30_000;

export interface SoloSettings {
  readonly address: string;
  /** Milliseconds from one look at the tip to the next. */
  readonly pollInterval: number;
}

/** Templates of a node, a new one whenever its tip has moved. */
export class SoloSource implements WorkSource {
  private readonly backOff: ReconnectDelay;
  /** Ends a wait early: a block was found, or refused. */
  private hurry = new AbortController();
  private tip: string | undefined;
  private askedAt = 0;

  constructor(
    private readonly rpc: NodeRpc,
    private readonly settings: SoloSettings,
    backOff?: ReconnectDelay,
  ) {
    this.backOff = backOff ?? new ReconnectDelay();
  }

  async run(listener: WorkListener, signal: AbortSignal): Promise<void> {
    let told = '';
    while (!signal.aborted) {
      try {
        this.hurry = new AbortController();
        await this.look(listener, signal);
        if (told !== '') listener.onNotice('info', 'the node answers again');
        told = '';
        this.backOff.reset();
        await patience(this.settings.pollInterval, AbortSignal.any([signal, this.hurry.signal]));
      } catch (error) {
        if (signal.aborted) return;
        this.tip = undefined;
        listener.onWork(undefined);
        if (errorText(error) !== told) listener.onNotice('warning', (told = errorText(error)));
        await this.backOff.until(signal);
      }
    }
  }

  private async look(listener: WorkListener, signal: AbortSignal): Promise<void> {
    const tip = await this.rpc.tip(signal);
    if (tip === this.tip && performance.now() - this.askedAt < TEMPLATE_AGE) return;
    const { own, network } = await this.rpc.heights(signal);
    if (own < network) throw new Error(`the node synchronizes (${String(own)} of ${String(network)} blocks)`);
    const template = await this.rpc.template(this.settings.address, signal);
    this.tip = tip;
    this.askedAt = performance.now();
    listener.onWork(blockWork(template, (blob) => this.submit(blob)));
  }

  private async submit(blob: Buffer): Promise<void> {
    try {
      await this.rpc.submit(blob);
    } finally {
      // Whatever became of it, its template is of no further use.
      this.tip = undefined;
      this.hurry.abort();
    }
  }
}
