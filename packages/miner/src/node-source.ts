import { sealParent } from '@wrkz/consensus';
import { decodeBlock, encodeBlock, powAlgorithmOf, powInput, powNonceOffset } from '@wrkz/core-types';
import { errorText, MACHINE_CLOCK, withController } from '@wrkz/service-kit';
import type { NodeRpc, NodeTemplate } from './node-rpc';
import { ReconnectDelay } from './reconnect-delay';
import type { MiningWork, WorkListener, WorkSource } from './work';

/** Max age of a template, after which it is replaced to include new transactions of the pool. */
const MAX_TEMPLATE_AGE_MS = 30_000;

export interface NodeSourceOptions {
  readonly address: string;
  readonly pollIntervalMs: number;
  readonly reconnectDelay?: ReconnectDelay | undefined;
}

/** Requests templates from a node: a new one when the tip changes or a template is too old. */
export class NodeSource implements WorkSource {
  private readonly reconnectDelay: ReconnectDelay;
  /** Aborted after a submission, so that the next poll is immediate. */
  private pollNow = new AbortController();
  private tip: string | undefined;
  private templateAt = 0;

  constructor(
    private readonly rpc: NodeRpc,
    private readonly options: NodeSourceOptions,
  ) {
    this.reconnectDelay = options.reconnectDelay ?? new ReconnectDelay();
  }

  async run(listener: WorkListener, signal: AbortSignal): Promise<void> {
    let lastError = '';
    while (!signal.aborted) {
      try {
        this.pollNow = new AbortController();
        await this.poll(listener, signal);
        if (lastError !== '') listener.onNotice('info', 'the node can be reached again');
        lastError = '';
        this.reconnectDelay.reset();
        await withController([signal, this.pollNow.signal], (controller) =>
          MACHINE_CLOCK.wait(this.options.pollIntervalMs, controller.signal),
        );
      } catch (error) {
        if (signal.aborted) return;
        this.tip = undefined;
        listener.onWork(undefined);
        if (errorText(error) !== lastError) listener.onNotice('warning', (lastError = errorText(error)));
        await this.reconnectDelay.until(signal);
      }
    }
  }

  private async poll(listener: WorkListener, signal: AbortSignal): Promise<void> {
    const tip = await this.rpc.tip(signal);
    if (tip === this.tip && performance.now() - this.templateAt < MAX_TEMPLATE_AGE_MS) return;
    const { own, network } = await this.rpc.heights(signal);
    if (own < network) throw new Error(`the node is synchronizing (${String(own)} of ${String(network)} blocks)`);
    const template = await this.rpc.template(this.options.address, signal);
    this.tip = tip;
    this.templateAt = performance.now();
    listener.onWork(blockWork(template, (blob) => this.submit(blob)));
  }

  private async submit(blob: Buffer): Promise<void> {
    try {
      await this.rpc.submit(blob);
    } finally {
      // Request a new template whether the block was accepted or not.
      this.tip = undefined;
      this.pollNow.abort();
    }
  }
}

/**
 * Seals the parent block of a template: the node leaves the merge-mining tag empty (docs/protocol/blocks.md#block-templates).
 * @throws Error for a template that cannot be mined
 */
function blockWork(template: NodeTemplate, submit: (blob: Buffer) => Promise<void>): MiningWork {
  const block = sealParent(decodeBlock(Buffer.from(template.blocktemplate_blob, 'hex')));
  const algorithm = powAlgorithmOf(block.majorVersion);
  if (algorithm === undefined) throw new Error(`blocks of version ${String(block.majorVersion)} are not supported`);
  return {
    algorithm,
    data: powInput(block),
    nonceOffset: powNonceOffset(block),
    difficulty: BigInt(template.difficulty),
    height: template.height,
    isShare: false,
    submit: ({ nonce }) => submit(encodeBlock({ ...block, nonce: Number(nonce) })),
  };
}
