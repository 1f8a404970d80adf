import { EventEmitter } from 'node:events';
import { type CompactStep, CorruptDatabase, type Opening } from '@wrkz/chain-db';
import { type RawBlock, rawBlockBytes } from '@wrkz/core-types';
import { workerEntry, WorkerThread } from '@wrkz/service-kit';
import type { EngineEvents } from './engine';
import { CALL_BLOCKS, QUEUE_BYTES } from './limits';
import type { AddBlockResult } from './results';
import {
  type BlockSource,
  ChainFailed,
  type ChainService,
  ChainStopped,
  type ChainUpkeep,
  type RepairBlock,
  type TipFacts,
} from './service';
import { CHAIN_ERRORS, type ChainThread, type WorkerSetup } from './thread';

/** Client of the chain engine, for another thread. Limits the bytes of blocks queued at the engine. */
export class ChainClient extends EventEmitter<EngineEvents> implements ChainService, ChainUpkeep {
  private readonly thread: WorkerThread<ChainThread>;
  private latest!: TipFacts;
  private why: string | undefined;
  private opened!: Opening;
  /** Serialized bytes given to the engine whose result is pending. */
  private bytesOut = 0;
  private lastSend: Promise<void> = Promise.resolve();
  private spaceFreed: (() => void) | undefined;

  private constructor(setup: WorkerSetup) {
    super();
    this.thread = new WorkerThread<ChainThread>({
      entry: workerEntry(__dirname, 'worker'),
      setup,
      errors: CHAIN_ERRORS,
      onEvent: {
        commit: (event) => {
          this.latest = event.tip;
          this.emit('commit', event);
        },
        pruned: (pass) => this.emit('pruned', pass),
        refusedSwitch: (refused) => this.emit('refusedSwitch', refused),
        diskShortage: (why) => {
          this.why = why;
          this.emit('diskShortage', why);
        },
        damage: (reason) => this.emit('damage', new CorruptDatabase(reason)),
      },
      onFailed: (error) => this.emit('failed', error),
      diedError: ({ message }) => new ChainFailed(`the chain engine failed: ${message}`),
      closedError: () => new ChainStopped(),
    });
  }

  /**
   * Starts the engine's thread, which opens (and creates) the database.
   * @throws Error with a message for the operator: in use, another network, unwritable...
   */
  static async start(setup: WorkerSetup): Promise<ChainClient> {
    const client = new ChainClient(setup);
    const { tip, opening } = await client.thread.ready;
    client.latest = tip;
    client.opened = opening;
    return client;
  }

  tip(): TipFacts {
    return this.latest;
  }

  /** Why blocks wait for free disk space; undefined while they do not. */
  get diskShortage(): string | undefined {
    return this.why;
  }

  /** What the engine found when it opened the database. */
  get opening(): Opening {
    return this.opened;
  }

  async addBlocks(blocks: readonly RawBlock[], source: BlockSource, more = false): Promise<AddBlockResult[]> {
    if (blocks.length === 0) return [];
    if (blocks.length > CALL_BLOCKS) throw new RangeError(`more than ${String(CALL_BLOCKS)} blocks`);
    const size = blocks.reduce((sum, raw) => sum + rawBlockBytes(raw), 0);
    // Sequential: a small call must not overtake the large one with the parents of its blocks.
    const sent = this.lastSend.then(async () => {
      await this.takeSpace(size);
      return { result: this.thread.call('addBlocks', { blocks, source, more }) };
    });
    this.lastSend = sent.then(() => undefined);
    try {
      return await (
        await sent
      ).result;
    } finally {
      this.bytesOut -= size;
      this.spaceFreed?.();
    }
  }

  rewindTo(height: number): Promise<void> {
    return this.thread.call('rewindTo', height);
  }

  compactStep(): Promise<CompactStep> {
    return this.thread.call('compactStep', undefined);
  }

  cutLog(): Promise<boolean> {
    return this.thread.call('cutLog', undefined);
  }

  repairPage(page: number, blocks: readonly RepairBlock[]): Promise<boolean> {
    return this.thread.call('repairPage', { page, blocks });
  }

  stop(): Promise<void> {
    return this.thread.close();
  }

  /** Waits until the engine has worked off enough; a call larger than the whole queue goes when it is empty. */
  private async takeSpace(size: number): Promise<void> {
    while (this.bytesOut > 0 && this.bytesOut + size > QUEUE_BYTES) {
      await new Promise<void>((freed) => (this.spaceFreed = freed));
    }
    this.bytesOut += size;
  }
}
