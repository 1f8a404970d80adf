import { type RepairReport, type RepairStep, repairChainDb } from '@wrkz/chain-db';
import { BlockProgress } from '../progress/progress';
import { PeerBlocks } from '../repair/peer-blocks';
import { peersConfig } from '../wiring/peers';
import type { ActionParts } from './action';

const LABELS: Record<RepairStep, string> = {
  verify: 'Verifying',
  look: 'Looking for what is whole',
  fetch: 'Fetching blocks',
  build: 'Building the new database',
  'verify new': 'Verifying the new database',
};

/** Blocks that a line names; of more their number is told. */
const NAMED = 20;

/**
 * `--repair`: makes a sound database of a damaged one, with blocks from peers where bytes are gone. Exit code 1 when a block
 * could not be had or it was stopped; the database is as it was then.
 */
export async function repairAction({ config, notice, stream, signal }: ActionParts): Promise<number> {
  const { network, directory } = config;
  const peers = new PeerBlocks({ network, config: peersConfig(config), notice, signal });
  const bars = new Map<RepairStep, BlockProgress>();
  const onProgress = (step: RepairStep, done: number, of: number): void => {
    let bar = bars.get(step);
    if (bar === undefined) {
      for (const other of bars.values()) other.stop();
      bars.set(step, (bar = new BlockProgress({ label: LABELS[step], write: notice, stream })));
    }
    bar.update(step === 'fetch' ? done : done + 1, step === 'fetch' ? of : of + 1);
  };
  try {
    const report = await repairChainDb({
      directory,
      network: network.name,
      signal,
      fetch: (wanted) => peers.fetch(wanted),
      onProgress,
      onDamage: (problems) => {
        for (const problem of problems) stream.write(`${problem}\n`);
      },
    }).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    for (const bar of bars.values()) bar.stop();
    for (const line of reportLines(report)) notice(line);
    return report === undefined || report.outcome === 'missing' ? 1 : 0;
  } finally {
    for (const bar of bars.values()) bar.stop();
    await peers.stop();
  }
}

function reportLines(report: RepairReport | undefined): string[] {
  if (report === undefined) return ['Stopped before the database was repaired; nothing in it was changed'];
  const { outcome } = report;
  if (outcome === 'sound') return [`Nothing is damaged: ${counted(report.height + 1, 'block')}, nothing was changed`];
  const fetched = `${counted(report.fetched, 'block')} fetched from peers`;
  if (outcome === 'missing') {
    const { missing } = report;
    const names = missing.slice(0, NAMED).join(', ') + (missing.length > NAMED ? ', ...' : '');
    return [
      `No peer gave ${counted(missing.length, 'block')} that the repair needs: ${names}`,
      `Nothing in the database was changed; ${fetched}, which are kept for the next --repair. Name a node that has every ` +
        'block with --add-exclusive-node',
    ];
  }
  const { dropped, forgotten } = report;
  return [
    `Repaired: ${counted(report.height + 1, 'block')}, ${fetched}`,
    ...(dropped === 0 ? [] : [`${counted(dropped, 'block')} at the top come with the next synchronisation`]),
    ...(forgotten === 0 ? [] : [`${counted(forgotten, 'damaged block')} off the main chain were left out`]),
    `The damaged database is kept in ${report.kept}; remove that folder when you no longer want it`,
  ];
}

function counted(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}
