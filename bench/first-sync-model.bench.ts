/**
 * A model of the first synchronisation of the real network: time, bytes and memory by height, and the resource that bounds it
 * (docs/benchmarks.md#model-of-the-first-synchronisation).
 *
 *   node -r ./scripts/source-loader.cjs bench/first-sync-model.bench.ts [--blocks 4200000] [--cores 2] [--network 12.5] [--disk 200]
 *
 * `--network` and `--disk` in MB/s. The constants are measured: bench/first-sync for the processor time of the threads at 20,000
 * blocks, bench/chain-growth for how the time and the written bytes of a block grow with the chain.
 */
import { parseArgs } from 'node:util';
import { row } from './support/figures';

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '4200000' },
    cores: { type: 'string', default: '2' },
    network: { type: 'string', default: '12.5' },
    disk: { type: 'string', default: '200' },
  },
});

/** The average block of mainnet: 36 outputs, 36 key images, 3 transactions. */
const BLOCK = { bytes: 8_200, hashes: 36 + 3 + 1 };
/** Processor time of a block in microseconds, at 20,000 blocks. */
const PROCESSOR = { main: 280, engine: 425, native: 140, collector: 280, others: 50 };
/** Microseconds of the engine that each doubling of the chain adds to a block: compaction of the hash index, look-ups. */
const ENGINE_PER_DOUBLING = 16;
const MEASURED_AT = 20_000;
/** Written bytes per block at 20,000 blocks, and what each doubling of the chain adds: rows, log and compaction. */
const WRITTEN = { first: 24_000, perDoubling: 300 };
/** MiB without the filters, and bytes of the filters for each hash. */
const MEMORY = { rest: 690, perHash: 1.6 };
const STEP = 10_000;

interface Rates {
  readonly [resource: string]: number;
}

/** Blocks per second that each resource allows at a height. */
function rates(height: number): Rates {
  const doublings = Math.max(0, Math.log2(height / MEASURED_AT));
  const engine = PROCESSOR.engine + ENGINE_PER_DOUBLING * doublings;
  const { main, native, collector, others } = PROCESSOR;
  return {
    network: (Number(values.network) * 1e6) / BLOCK.bytes,
    disk: (Number(values.disk) * 1e6) / (WRITTEN.first + WRITTEN.perDoubling * doublings),
    'engine thread': 1e6 / engine,
    'main thread': 1e6 / main,
    'all cores': (Number(values.cores) * 1e6) / (main + engine + native + collector + others),
  };
}

function main(): void {
  const blocks = Number(values.blocks);
  const printed = new Set([MEASURED_AT, 200_000, 1_000_000, 2_000_000, blocks]);
  let seconds = 0;
  console.log(row('blocks', ['blocks/s', 'minutes', 'GB received', 'GB written', 'memory MiB', 'bound by']));
  let written = 0;
  for (let height = STEP; height <= blocks; height += STEP) {
    const allowed = Object.entries(rates(height)).sort(([, a], [, b]) => a - b);
    const [bound, rate] = allowed[0] ?? ['', Infinity];
    seconds += STEP / rate;
    written += STEP * (WRITTEN.first + WRITTEN.perDoubling * Math.max(0, Math.log2(height / MEASURED_AT)));
    if (!printed.has(height)) continue;
    const filters = (height * BLOCK.hashes * MEMORY.perHash) / 2 ** 20;
    console.log(
      row(String(height), [
        ...[rate, seconds / 60].map((value) => value.toFixed(0)),
        ...[(height * BLOCK.bytes) / 1e9, written / 1e9].map((value) => value.toFixed(1)),
        (MEMORY.rest + filters).toFixed(0),
        bound,
      ]),
    );
  }
}

main();
