import { resolve } from 'node:path';
import { openChainDb, verifyChain } from '@wrkz/chain-db';
import { ensureDirectory } from '@wrkz/service-kit';
import { ChainClient } from '../chain/client';
import type { Action, DaemonConfig } from '../config/config';
import { BlockProgress } from '../progress/progress';
import { DumpReader } from '../dump/reader';
import { exportDump } from '../dump/export';
import { importDump, type ImportReport } from '../dump/import';

/** What an action needs of its surroundings. */
export interface ActionParts {
  readonly config: DaemonConfig;
  /** A line for whoever started the program. */
  readonly notice: (line: string) => void;
  readonly stream: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Does one thing and ends. @returns the exit code @throws Error with a message for the operator */
export function runAction(action: Exclude<Action, 'serve'>, parts: ActionParts): Promise<number> {
  return ACTIONS[action](parts);
}

const ACTIONS: Record<Exclude<Action, 'serve'>, (parts: ActionParts) => Promise<number>> = {
  import: importAction,
  export: exportAction,
  verify: verifyAction,
};

async function importAction({ config, notice, stream, signal }: ActionParts): Promise<number> {
  const { network, options } = config;
  // First of all: a missing file must not leave an empty database behind.
  const dump = await DumpReader.open(resolve(options['dump-file']));
  const directory = ensureDirectory(config.directory);
  const progress = new BlockProgress({ label: 'Importing', write: notice, stream });
  const chain = await ChainClient.start({ directory, network: network.name, checkpoints: options['load-checkpoints'] });
  signal.addEventListener('abort', () => void chain.stop());
  const started = performance.now();
  try {
    const report = await importDump({
      dump,
      chain,
      signal,
      onProgress: (height, total) => progress.update(height, total),
    });
    progress.stop(importSummary(report, (performance.now() - started) / 1000));
    return report.stopped ? 1 : 0;
  } finally {
    progress.stop();
    await chain.stop();
  }
}

function importSummary({ blocks, transactions, height, stopped }: ImportReport, seconds: number): string {
  const rate = blocks / Math.max(seconds, 0.001);
  return (
    `${stopped ? 'Stopped; imported' : 'Imported'} ${String(blocks)} blocks with ${String(transactions)} transactions ` +
    `in ${seconds.toFixed(1)} s (${rate.toFixed(0)} blocks/s); the top is block ${String(height)}`
  );
}

async function exportAction({ config, notice, stream, signal }: ActionParts): Promise<number> {
  const { network, options, directory } = config;
  const progress = new BlockProgress({ label: 'Exporting', write: notice, stream });
  const db = openChainDb({ directory, network: network.name, readonly: true });
  const started = performance.now();
  try {
    const count = await exportDump({
      path: resolve(options['dump-file']),
      reader: db.reader,
      network,
      limit: options['max-export-blocks'],
      signal,
      onProgress: (height, total) => progress.update(height, total),
    });
    const seconds = Math.round((performance.now() - started) / 1000);
    progress.stop(`Exported ${String(count)} blocks. Time to export ${String(seconds)} seconds`);
    return 0;
  } finally {
    progress.stop();
    db.close();
  }
}

/** What was found goes to the stream line by line, the digest last: programs read it. */
async function verifyAction({ config, notice, stream, signal }: ActionParts): Promise<number> {
  const { network, directory } = config;
  const progress = new BlockProgress({ label: 'Verifying', write: notice, stream });
  const db = openChainDb({ directory, network: network.name, readonly: true });
  try {
    const onProgress = (height: number, top: number): void => progress.update(height + 1, top + 1);
    const report = await verifyChain(db, { onProgress, signal }).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    progress.stop();
    if (report === undefined) {
      notice('Stopped before everything was looked at');
      return 1;
    }
    for (const problem of report.problems) stream.write(`${problem}\n`);
    const blocks = counted(report.height + 1, 'block');
    const count = report.problems.length;
    stream.write(count === 0 ? `${blocks}, no problem found\n` : `${blocks}, ${counted(count, 'problem')} found\n`);
    stream.write(`digest ${report.digest}\n`);
    return count === 0 ? 0 : 1;
  } finally {
    progress.stop();
    db.close();
  }
}

function counted(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}
