import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type RawBlock, rawBlockBytes } from '@wrkz/core-types';
import { workerEntry } from '@wrkz/service-kit';
import { CALL_BLOCKS, QUEUE_BYTES } from './limits';
import type { PlainError, Report, Request, WorkerSetup } from './messages';
import {
  type AddResult,
  type BlockSource,
  ChainFailed,
  type ChainService,
  ChainStopped,
  type CommitEvent,
  type TipFacts,
} from './service';
import { pack, type Packed, transferList, unpack } from '@wrkz/service-kit';

interface ClientEvents {
  commit: [CommitEvent];
  /** The engine takes nothing more; the program should end. */
  failed: [Error];
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** The chain engine seen from another thread. Packs, posts and waits; never computes. */
export class ChainClient extends EventEmitter<ClientEvents> implements ChainService {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  /** Serialized bytes given to the engine and not answered. */
  private bytesOut = 0;
  private turn: Promise<void> = Promise.resolve();
  private roomFreed: (() => void) | undefined;
  private ended: Error | undefined;
  private gone: Promise<unknown> | undefined;

  private constructor(
    private readonly worker: Worker,
    private latest: TipFacts,
  ) {
    super();
  }

  /**
   * Starts the engine's thread, which opens (and creates) the database.
   * @throws Error with a message for the operator: in use, another network, unwritable...
   */
  static async start(setup: WorkerSetup): Promise<ChainClient> {
    const entry = workerEntry(__dirname, 'worker');
    const worker = new Worker(entry.path, { workerData: setup, execArgv: entry.execArgv });
    const [packed] = (await once(worker, 'message')) as [Packed];
    const first = unpack<Report>(packed);
    if (first.kind !== 'ready') {
      await worker.terminate();
      throw rebuild(
        first.kind === 'failed' ? first.error : { name: 'Error', message: 'the chain engine did not start' },
      );
    }
    const client = new ChainClient(worker, first.tip);
    client.listen();
    return client;
  }

  tip(): TipFacts {
    return this.latest;
  }

  async addBlocks(blocks: readonly RawBlock[], source: BlockSource): Promise<AddResult[]> {
    if (blocks.length === 0) return [];
    if (blocks.length > CALL_BLOCKS) throw new RangeError(`more than ${String(CALL_BLOCKS)} blocks`);
    const size = blocks.reduce((sum, raw) => sum + rawBlockBytes(raw), 0);
    // One after the other, or a small call would overtake the large one whose blocks it stands on.
    const sent = this.turn.then(async () => {
      await this.room(size);
      return { answer: this.ask<AddResult[]>((id) => ({ kind: 'add', id, blocks, source })) };
    });
    this.turn = sent.then(() => undefined);
    try {
      return await (
        await sent
      ).answer;
    } finally {
      this.bytesOut -= size;
      this.roomFreed?.();
    }
  }

  rewindTo(height: number): Promise<void> {
    return this.ask<undefined>((id) => ({ kind: 'rewind', id, height }));
  }

  async stop(): Promise<void> {
    this.ended ??= new ChainStopped();
    if (this.gone === undefined) {
      this.gone = once(this.worker, 'exit');
      this.post({ kind: 'stop' });
    }
    await this.gone;
  }

  /** Waits until the engine has worked off enough; a call larger than the whole queue goes when it is empty. */
  private async room(size: number): Promise<void> {
    while (this.bytesOut > 0 && this.bytesOut + size > QUEUE_BYTES) {
      await new Promise<void>((freed) => (this.roomFreed = freed));
    }
    this.bytesOut += size;
  }

  private ask<T>(request: (id: number) => Request): Promise<T> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    const id = (this.lastId += 1);
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.post(request(id));
    });
  }

  private post(request: Request): void {
    const packed = pack(request);
    this.worker.postMessage(packed, transferList(packed));
  }

  private listen(): void {
    this.worker.on('message', (packed: Packed) => this.onReport(unpack<Report>(packed)));
    this.worker.on('error', (error) => this.fail(new ChainFailed(`the chain engine failed: ${error.message}`)));
    this.worker.on('exit', () => this.rejectAll(this.ended ?? new ChainStopped()));
  }

  private onReport(report: Report): void {
    switch (report.kind) {
      case 'commit':
        this.latest = report.event.tip;
        this.emit('commit', report.event);
        return;
      case 'added':
        return this.answer(report.id, (waiting) => waiting.resolve(report.results as never));
      case 'rewound':
        return this.answer(report.id, (waiting) => waiting.resolve(undefined as never));
      case 'error':
        return this.answer(report.id, (waiting) => waiting.reject(rebuild(report.error)));
      case 'failed':
        return this.fail(rebuild(report.error));
      default:
    }
  }

  private answer(id: number, give: (waiting: Waiting) => void): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (waiting !== undefined) give(waiting);
  }

  private fail(error: Error): void {
    if (this.ended !== undefined) return;
    this.ended = error;
    this.rejectAll(error);
    this.emit('failed', error);
  }

  private rejectAll(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

/** The error of the other thread, in the class that callers know where there is one. */
function rebuild({ name, message }: PlainError): Error {
  if (name === 'ChainStopped') return new ChainStopped();
  if (name === 'ChainFailed') return new ChainFailed(message);
  if (name === 'RangeError') return new RangeError(message);
  return Object.assign(new Error(message), { name });
}
