import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isPlaceOfChain, openChainDb } from '@wrkz/chain-db';
import { atomicWriteFile, errorText, yieldToEventLoop } from '@wrkz/service-kit';
import { REORGANISATION_DEPTH } from '@wrkz/core-types';
import type { ActionParts } from './action';

/** Blocks from one checkpoint to the next. */
const INTERVAL = 100;
/** Lines put together between two looks at the signal. */
const LINES_A_TURN = 1000;

/**
 * `--export-checkpoints <file>`: a line `index,hash` of genesis and of every hundredth block that no reorganisation reaches,
 * as `--load-checkpoints` reads it. A file that exists is not overwritten.
 */
export async function exportCheckpointsAction({ config, notice, signal }: ActionParts): Promise<number> {
  const { network, options, directory } = config;
  const path = resolve(options['export-checkpoints'] ?? '');
  if (existsSync(path)) throw new Error(`the file ${path} exists already`);
  if (isPlaceOfChain(directory, path)) throw new Error(`${path} is a name of the database itself; choose another one`);
  const db = openChainDb({ directory, network: network.name, readonly: true });
  try {
    const highest = Math.max(0, db.reader.tip().height - REORGANISATION_DEPTH);
    const lines: string[] = [];
    for (let height = 0; height <= highest; height += INTERVAL) {
      const hash = db.reader.hashAt(height);
      if (hash !== undefined) lines.push(`${String(height)},${hash.toString('hex')}\n`);
      if (lines.length % LINES_A_TURN === 0) await yieldToEventLoop();
      if (signal.aborted) {
        notice('Stopped before everything was written');
        return 1;
      }
    }
    await atomicWriteFile(path, lines.join(''), { mode: 0o644 }).catch((error: unknown) => {
      throw new Error(`the checkpoints ${path} cannot be written: ${errorText(error)}`, { cause: error });
    });
    notice(
      `Exported ${String(lines.length)} checkpoints, the highest of block ${String((lines.length - 1) * INTERVAL)}`,
    );
    return 0;
  } finally {
    db.close();
  }
}
