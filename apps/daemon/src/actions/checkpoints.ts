import { REORGANISATION_DEPTH } from '@wrkz/core-types';
import { atomicWriteFile, yieldToEventLoop } from '@wrkz/service-kit';
import { readCheckpointFile } from '../chain/checkpoints';
import { type ActionDependencies, newFile, withReader, writeError } from './action';
import { daemonCommand } from './command';

/** Blocks between two checkpoints. */
const INTERVAL = 100;
const LINES_PER_SLICE = 1000;

/**
 * `--export-checkpoints <file>`: writes a line `index,hash` for genesis and for every hundredth block that no reorganisation can
 * replace, in the format of `--load-checkpoints`. Exit code 1 if it was stopped.
 */
export async function exportCheckpointsAction({ config, notice, signal }: ActionDependencies): Promise<number> {
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

/** `wrkz-daemon compare-checkpoints <file> <file>`: exit code 1 if the lists contradict each other. */
export const compareCheckpointsCommand = daemonCommand({
  name: 'compare-checkpoints',
  help: 'Compare two lists of checkpoints, such as those of two nodes before a release.',
  arguments: [
    { name: 'file', help: 'A list, as --export-checkpoints writes it' },
    { name: 'other file', help: 'The list to compare with' },
  ],
  options: [],
  run: (_values, files, { write }) => {
    const [first, second] = files.map((file) => readCheckpointFile(file));
    if (first === undefined || second === undefined) throw new Error('two files are expected');
    const common = [...first.entries()].filter(([height]) => second.at(height) !== undefined).sort(([a], [b]) => a - b);
    const different = common.filter(([height, hash]) => !second.agrees(height, hash));
    const [onlyFirst, onlySecond] = [first.size - common.length, second.size - common.length];
    write(
      `${String(common.length)} heights are in both lists, ${String(onlyFirst)} only in the first, ${String(onlySecond)} only in the second`,
    );
    write(`The highest are ${String(first.highest)} and ${String(second.highest)}`);
    for (const [height, hash] of different.slice(0, 10)) {
      write(`block ${String(height)}: ${hash.toString('hex')} and ${second.at(height)?.toString('hex') ?? ''}`);
    }
    write(different.length === 0 ? 'The lists agree' : `The lists differ at ${String(different.length)} heights`);
    return Promise.resolve(different.length === 0 && common.length > 0 ? 0 : 1);
  },
});
