import { readSyncResponse, type SyncResponse, type SyncBlock } from '@wrkz/client';
import { workerEntry, WorkerThread } from '@wrkz/service-kit/base';
import { PARSER_ERRORS, type ParserThread } from './protocol';

/** Below this, reading at once takes less than the way to the thread and back. */
const SMALL = 256 * 1024;

/** Reads sync responses: large ones on a thread of its own, which begins with the first of them. */
export class ResponseParser {
  #thread: WorkerThread<ParserThread> | undefined;

  /** @throws NodeFailure `malformed` */
  readonly read = async (body: Buffer): Promise<SyncResponse> => {
    if (body.length < SMALL) return readSyncResponse(body);
    if (this.#thread?.alive !== true) this.#thread = startThread();
    const thread = this.#thread;
    const { id, scannedTo, tip } = await thread.call('open', body);
    const blocks: SyncBlock[] = [];
    for (;;) {
      const piece = await thread.call('take', id);
      if (piece.length === 0) return { blocks, scannedTo, tip };
      for (const block of piece) blocks.push(block);
    }
  };

  /** Ends the thread; another one begins when it is needed again. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close();
  }
}

function startThread(): WorkerThread<ParserThread> {
  return new WorkerThread<ParserThread>({
    entry: workerEntry(__dirname, 'thread'),
    setup: undefined,
    errors: PARSER_ERRORS,
  });
}
