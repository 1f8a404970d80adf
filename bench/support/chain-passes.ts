import { type ChainReader, verifyChain } from '../../packages/chain-db/src';
import { row, since } from './figures';

const seconds = (start: number): string => `${(since(start) / 1000).toFixed(1)} s`;

/** Prints the bytes per block of each table. */
export function printSpace(reader: ChainReader): void {
  const blocks = reader.height() + 1;
  console.log(row('table', ['rows', 'bytes', 'bytes a block']));
  for (const { name, rows, bytes } of reader.space())
    console.log(row(name, [rows, bytes, (bytes / blocks).toFixed(1)]));
}

/** Prints the duration of a verification. Synthetic blocks break rules, so problems are printed and do not fail the benchmark. */
export async function timeVerify(directory: string): Promise<void> {
  const start = performance.now();
  const { problems } = await verifyChain({ directory, network: 'devnet' });
  console.log(row('verify', [seconds(start), `${String(problems.length)} problems`]));
  for (const problem of problems.slice(0, 3)) console.log(`  ${problem}`);
}
