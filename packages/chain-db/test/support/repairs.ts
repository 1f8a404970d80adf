import type { VerifiedBlock } from '@wrkz/consensus';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  databaseFile,
  repairChainDb,
  verifyChain,
  type FetchBlocks,
  type RepairOptions,
  type RepairReport,
} from '../../src';
import { freshDirectory } from './directories';

/** A peer that has these blocks. `asked` records the requested heights. */
export function peerWith(blocks: readonly VerifiedBlock[]): { fetch: FetchBlocks; requested: number[] } {
  const byId = new Map(blocks.map((block) => [block.facts.hash.toString('hex'), block]));
  const requested: number[] = [];
  const fetch: FetchBlocks = (wanted) => {
    requested.push(...wanted.map(({ height }) => height));
    const given = wanted.flatMap(({ id }) => {
      const found = byId.get(id.toString('hex'));
      if (found === undefined) return [];
      const { block, transactions } = found;
      return [{ id, raw: { block: block.bytes, transactions: transactions.map(({ bytes }) => bytes) } }];
    });
    return Promise.resolve(given);
  };
  return { fetch, requested };
}

/** A network without peers. */
export const noPeer: FetchBlocks = () => Promise.resolve([]);

/** A copy of a closed database in a new folder. */
export function copyOf(directory: string): string {
  const copy = join(freshDirectory(), 'chain');
  mkdirSync(copy);
  for (const suffix of ['', '-wal', '-control']) {
    const file = `${databaseFile(directory)}${suffix}`;
    if (existsSync(file)) copyFileSync(file, `${databaseFile(copy)}${suffix}`);
  }
  return copy;
}

/** Flips one bit of the database file. @param bit from the start of the file */
export function flip(directory: string, bit: number): void {
  const file = databaseFile(directory);
  const content = readFileSync(file);
  const at = Math.floor(bit / 8);
  content.writeUInt8(content.readUInt8(at) ^ (1 << (bit % 8)), at);
  writeFileSync(file, content);
}

export function repair(
  directory: string,
  fetch: FetchBlocks,
  more: Partial<RepairOptions> = {},
): Promise<RepairReport> {
  return repairChainDb({ directory, network: 'devnet', fetch, ...more });
}

/** The problems that a verification reports; its error if it cannot run. */
export async function findings(
  directory: string,
): Promise<{ problems: readonly string[]; rules?: string | undefined }> {
  try {
    const { problems, rulesDigest } = await verifyChain({ directory, network: 'devnet' });
    return { problems, rules: rulesDigest };
  } catch (error) {
    return { problems: [String(error)] };
  }
}
