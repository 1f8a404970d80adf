import { REORGANISATION_DEPTH } from '@wrkz/core-types';
import { atomicWriteFile, yieldToEventLoop } from '@wrkz/service-kit';
import { type ActionParts, newFile, withReader, writeError } from './action';

/** Blocks from one checkpoint to the next. */
const INTERVAL = 100;
const LINES_PER_SLICE = 1000;

/**
 * `--export-checkpoints <file>`: writes a line `index,hash` for genesis and for every hundredth block that no reorganisation can
 * replace, in the format of `--load-checkpoints`. Exit code 1 if it was stopped.
 */
export async function exportCheckpointsAction({ config, notice, signal }: ActionParts): Promise<number> {
  const path = newFile(config, 'export-checkpoints');
  return withReader(config, async (reader) => {
    const highest = Math.max(0, reader.tip().height - REORGANISATION_DEPTH);
    const lines: string[] = [];
    for (let height = 0; height <= highest; height += INTERVAL) {
      const hash = reader.hashAt(height);
      if (hash !== undefined) lines.push(`${String(height)},${hash.toString('hex')}\n`);
      if (lines.length % LINES_PER_SLICE === 0) await yieldToEventLoop();
      if (signal.aborted) {
        notice('Stopped before everything was written');
        return 1;
      }
    }
    await atomicWriteFile(path, lines.join(''), { mode: 0o644 }).catch((error: unknown) => {
      throw writeError('export-checkpoints', path, error);
    });
    const last = (lines.length - 1) * INTERVAL;
    notice(`Exported ${String(lines.length)} checkpoints, the highest of block ${String(last)}`);
    return 0;
  });
}
