import { type ChainReader, openChainDb, readSnapshotHeader, removablePaths, totalRecords } from '@wrkz/chain-db';
import { errorText, yieldToEventLoop } from '@wrkz/service-kit';
import type { ActionParts } from './action';
import { importSnapshotAction } from './snapshot';
import { assertRewind } from './rewind';

/** Blocks that are summed up between two looks at the signal. */
const BLOCKS_A_TURN = 2_000;

/**
 * `--dry-run`: what the other options of this start would delete, in blocks, files and bytes. Nothing is touched. Exit code 1
 * where the real start would be refused.
 */
export async function dryRunAction(parts: ActionParts): Promise<number> {
  const { options, storage } = parts.config;
  if (options.resync) resync(parts);
  else await reading(parts, options['rewind-to-height'] === undefined ? undefined : rewind);
  if (storage.kind === 'pruned' && !options.resync) await reading(parts, prune);
  if (options['import-lite-snapshot'] !== undefined) {
    snapshot(parts, options['import-lite-snapshot']);
    const code = await importSnapshotAction(parts);
    if (code !== 0) return code;
  }
  if (parts.signal.aborted) {
    parts.notice('Stopped before everything was looked at');
    return 1;
  }
  parts.notice('Nothing was changed: --dry-run');
  return 0;
}

type Telling = (reader: ChainReader, parts: ActionParts) => void | Promise<void>;

async function reading(parts: ActionParts, tell: Telling | undefined): Promise<void> {
  if (tell === undefined) return;
  const { directory, network } = parts.config;
  const db = openChainDb({ directory, network: network.name, readonly: true });
  try {
    await tell(db.reader, parts);
  } finally {
    db.close();
  }
}

function resync({ config, notice }: ActionParts): void {
  const { directory, network } = config;
  const paths = removablePaths(directory);
  if (paths.length === 0) return notice(`No chain in ${directory} yet`);
  let blocks = 'of blocks that cannot be read';
  try {
    const db = openChainDb({ directory, network: network.name, readonly: true });
    blocks = `of ${counted(db.reader.height() + 1, 'block')}`;
    db.close();
  } catch (error) {
    // A resync deletes what is damaged; it is refused for another network's chain alone.
    if (error instanceof Error && error.name === 'WrongNetwork') throw error;
    notice(errorText(error));
  }
  const files = paths.reduce((sum, one) => sum + one.files, 0);
  const bytes = paths.reduce((sum, one) => sum + one.bytes, 0);
  notice(`--resync would delete the chain ${blocks}, ${counted(files, 'file')} of ${String(bytes)} bytes:`);
  for (const one of paths) notice(`  ${one.path} (${String(one.bytes)} bytes)`);
  notice('It would leave out the peer lists; bans are kept');
}

function rewind(reader: ChainReader, { config, notice }: ActionParts): void {
  const wanted = config.options['rewind-to-height'] ?? 0;
  const { height, generatedTransactions } = reader.tip();
  const count = height + 1;
  assertRewind(wanted, count, config.network.rewindLimit);
  if (wanted >= count) return notice(`Nothing to rewind: the chain has ${String(count)} blocks`);
  // Refused for bodies that are gone, as the rewind itself.
  reader.rawBlock(wanted);
  const facts = reader.factsRange(wanted, count);
  const bytes = facts.reduce((sum, { size }) => sum + Number(size), 0);
  const transactions = generatedTransactions - (reader.facts(wanted - 1)?.generatedTransactions ?? 0);
  notice(
    `--rewind-to-height ${String(wanted)} would take off ${counted(facts.length, 'block')} (${String(wanted)} to ` +
      `${String(height)}) with ${counted(transactions, 'transaction')}, ${String(bytes)} bytes of blocks; ` +
      `${counted(wanted, 'block')} would be left`,
  );
}

async function prune(reader: ChainReader, { config, notice, signal }: ActionParts): Promise<void> {
  const floor = Math.max(1, reader.floors().bodies);
  const target = reader.height() + 1 - config.pruneDepth;
  if (target <= floor)
    return notice(`--prune would delete nothing: the last ${String(config.pruneDepth)} blocks are kept`);
  let bytes = 0;
  for (let from = floor; from < target && !signal.aborted; from += BLOCKS_A_TURN) {
    bytes += reader.prunableBytes(from, Math.min(target, from + BLOCKS_A_TURN));
    await yieldToEventLoop();
  }
  notice(
    `--prune would delete the bodies and signatures of ${counted(target - floor, 'block')} (${String(floor)} to ` +
      `${String(target - 1)}), ${String(bytes)} bytes; the last ${String(config.pruneDepth)} blocks and genesis are kept`,
  );
}

function snapshot({ config, notice }: ActionParts, path: string): void {
  const header = readSnapshotHeader(path);
  const there = config.options.resync ? [] : removablePaths(config.directory);
  notice(
    `--import-lite-snapshot ${path} would write ${String(totalRecords(header))} records of the blocks ` +
      `below height ${String(header.liteHeight)} to ${config.directory}`,
  );
  if (there.length > 0) notice('A database is there already; an import deletes none');
}

function counted(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}
