import { setTimeout as pause } from 'node:timers/promises';
import { parseTransaction } from '@wrkz/core-types';
import { StandInNode, type StandInResponse, type StandInHandler, type TestNodeClient } from '../../src';

export const FAULTS = [
  'refuses submissions and stores them',
  'refuses submissions and forwards them',
  'accepts submissions and drops them',
  'loses responses to submissions',
  'denies hashes',
  'drops connections',
  'is slow',
  'claims a higher chain',
  'claims a lower chain',
  'shifts global indexes',
  'offers few decoys',
  'hides the pool',
] as const;

export type Fault = (typeof FAULTS)[number];

const REFUSED = { json: { status: 'Failed', error: 'refused by the faulty node' } };
/** Milliseconds; above the timeout of the wallets. */
const SLOW_MS = 6_000;
const HIGHER = 1_000;
const LOWER = 5;

/** A proxy in front of the node of the wallets. It stores every submitted transaction, and misbehaves while `fault` is set. */
export class FaultyNode {
  fault: Fault | undefined;
  /** Every transaction that a wallet submitted, by hash, regardless of the outcome. */
  readonly submitted = new Map<string, Buffer>();
  private requests = 0;

  private constructor(
    private readonly front: StandInNode,
    private readonly node: TestNodeClient,
  ) {
    this.on('/sendrawtransaction', ({ body }, behind) => this.submission(String(body['tx_as_hex']), behind));
    this.on('/get_transactions_status', async ({ body }, behind) => {
      const denies = this.fault === 'denies hashes' || this.fault === 'refuses submissions and forwards them';
      if (!denies) return behind();
      const unknown = body['transactionHashes'];
      return { json: { status: 'OK', transactionsInBlock: [], transactionsInPool: [], transactionsUnknown: unknown } };
    });
    this.on('/info', async (_request, behind) => {
      const { status, json } = await behind();
      const shift = { 'claims a higher chain': HIGHER, 'claims a lower chain': -LOWER }[String(this.fault)] ?? 0;
      const [height, network] = [Number(json['height']) + shift, Number(json['network_height']) + shift];
      return { status, json: { ...json, height, network_height: network } };
    });
    for (const path of ['/get_global_indexes_for_range', '/getrawblocks']) {
      this.on(path, async (_request, behind) => {
        const { status, json } = await behind();
        if (this.fault === 'shifts global indexes') shiftIndexes(json);
        return { status, json };
      });
    }
    this.on('/getrandom_outs', async (_request, behind) => {
      const { status, json } = await behind();
      const sets = (json['outs'] ?? []) as { outs: unknown[] }[];
      if (this.fault === 'offers few decoys') for (const set of sets) set.outs = set.outs.slice(0, 1);
      return { status, json };
    });
    this.on('/getwalletsyncdata', (_request, behind) => behind());
    this.on('/get_pool_changes_lite', (_request, behind) => {
      const nothing = { addedTxs: [], deletedTxsIds: [], isTailBlockActual: true, status: 'OK' };
      return this.fault === 'hides the pool' ? { json: nothing } : behind();
    });
  }

  static async start(node: TestNodeClient): Promise<FaultyNode> {
    return new FaultyNode(await StandInNode.start(node.url), node);
  }

  get port(): number {
    return this.front.port;
  }

  close(): Promise<void> {
    return this.front.close();
  }

  /** Submits all stored transactions to the node itself. @returns the number of accepted ones */
  async submitAll(): Promise<number> {
    let accepted = 0;
    for (const bytes of this.submitted.values()) {
      const isAccepted = await this.node.send(bytes).then(
        () => true,
        () => false,
      );
      if (isAccepted) accepted++;
    }
    return accepted;
  }

  private on(path: string, handler: StandInHandler): void {
    this.front.on(path, async (request, behind): Promise<StandInResponse> => {
      this.requests++;
      // The stand-in records requests, which would fill the memory during a long campaign.
      this.front.requests.length = 0;
      if (this.fault === 'drops connections' && this.requests % 2 === 0) return (response) => response.destroy();
      if (this.fault === 'is slow' && this.requests % 3 === 0) await pause(SLOW_MS);
      return handler(request, behind);
    });
  }

  private async submission(hex: string, behind: Parameters<StandInHandler>[1]): Promise<StandInResponse> {
    const bytes = Buffer.from(hex, 'hex');
    this.submitted.set(parseTransaction(bytes).hash.toString('hex'), bytes);
    switch (this.fault) {
      case 'refuses submissions and stores them':
        return REFUSED;
      case 'refuses submissions and forwards them':
        await behind();
        return REFUSED;
      case 'accepts submissions and drops them':
        return { json: { status: 'OK', error: '' } };
      case 'loses responses to submissions':
        await behind();
        return (response) => response.destroy();
      default:
        return behind();
    }
  }
}

/** Adds 1 to every number in a list of numbers, at any depth of a response. */
function shiftIndexes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const isIndexes = Array.isArray(inner) && inner.length > 0 && inner.every((one) => typeof one === 'number');
    if (isIndexes) (value as Record<string, unknown>)[name] = inner.map((index) => Number(index) + 1);
    else shiftIndexes(inner);
  }
}
