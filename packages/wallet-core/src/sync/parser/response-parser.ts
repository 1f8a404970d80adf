import { readBinaryResponse, readSyncResponse, type SyncResponse, type SyncBlock } from '@wrkz/client';
import { workerEntry, WorkerThread } from '@wrkz/service-kit/base';
import { PARSER_ERRORS, type ParserThread } from './protocol';

/** Size in bytes below which parsing JSON on the main thread is faster than two messages to the worker thread. */
const SMALL = 256 * 1024;

/** Parses sync responses. Large ones in JSON are parsed on a worker thread, which is started on demand. */
export class ResponseParser {
  private thread: WorkerThread<ParserThread> | undefined;

  /** @throws NodeFailure `malformed` */
  readonly read = async (body: Buffer): Promise<SyncResponse> => {
    const packed = readBinaryResponse(body);
    if (packed !== undefined) return packed;
    if (body.length < SMALL) return readSyncResponse(body);
    if (this.thread?.alive !== true) this.thread = startThread();
    const thread = this.thread;
    const { id, scannedTo, tip } = await thread.call('open', body);
    const blocks: SyncBlock[] = [];
    for (;;) {
      const piece = await thread.call('take', id);
      if (piece.length === 0) return { blocks, scannedTo, tip };
      for (const block of piece) blocks.push(block);
    }
  };

  /** Terminates the worker thread. The next large response starts a new one. */
  async close(): Promise<void> {
    const thread = this.thread;
    this.thread = undefined;
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
