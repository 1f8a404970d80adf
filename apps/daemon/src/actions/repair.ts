import {
  type ChainReader,
  type FetchBlocks,
  openChainDb,
  repairChainDb,
  type RepairReport,
  type RepairStep,
  verifyChain,
} from '@wrkz/chain-db';
import type { Network, RawBlock } from '@wrkz/core-types';
import { largestBlock, transactionsOfBlock } from '../chain/announced-work';
import type { P2pConfig } from '../p2p/config';
import { P2pNode } from '../p2p/node';
import type { ChainPort, PoolPort } from '../p2p/ports';
import { BlockProgress } from '../progress/progress';
import { PeerBlocks } from '../repair/peer-blocks';
import { peersConfig } from '../wiring/peers';
import type { ActionDependencies } from './action';

const LABELS: Record<RepairStep, string> = {
  verify: 'Verifying',
  fetch: 'Repairing pages',
  rebuild: 'Building the new database',
  'verify new': 'Verifying the new database',
};

/** Max missing blocks listed by height. */
const MAX_NAMED = 20;
/** Milliseconds to wait for another peer. On the test networks peers are local. */
const PATIENCE_MS = { mainnet: 60_000, testnet: 3_000 };

/**
 * `--repair`: repairs a damaged database, with blocks from peers where they cannot be read. Exit code 1 when a block could not
 * be fetched and after a signal: the database is not replaced then.
 */
export async function repairAction({ config, notice, screen, signal }: ActionDependencies): Promise<number> {
  const { network, directory } = config;
  const patienceMs = network.name === 'mainnet' ? PATIENCE_MS.mainnet : PATIENCE_MS.testnet;
  let node: Promise<P2pNode> | undefined;
  let peers: PeerBlocks | undefined;
  const fetch: FetchBlocks = async (wanted) => {
    const source = await (node ??= startRepairNode(network, peersConfig(config), notice));
    return (peers ??= new PeerBlocks(source, { patienceMs, signal })).fetch(wanted);
  };
  const bars = new Map<RepairStep, BlockProgress>();
  const stopBars = (): void => {
    for (const bar of bars.values()) bar.stop();
  };
  const onProgress = (step: RepairStep, height: number, tip: number): void => {
    let bar = bars.get(step);
    if (bar === undefined) {
      stopBars();
      bars.set(step, (bar = new BlockProgress({ label: LABELS[step], write: notice, screen })));
    }
    bar.update(height + 1, tip + 1);
  };
  const onDamage = (problems: readonly string[]): void => {
    for (const problem of problems) screen.write(`${problem}\n`);
  };
  try {
    const report = await repairChainDb({ directory, network: network.name, signal, fetch, onProgress, onDamage }).catch(
      (error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      },
    );
    stopBars();
    for (const line of reportLines(report)) notice(line);
    return report === undefined || report.outcome === 'missing' ? 1 : 0;
  } finally {
    stopBars();
    await (await node?.catch(() => undefined))?.stop();
  }
}

function reportLines(report: RepairReport | undefined): string[] {
  if (report === undefined) return ['Stopped before the database was repaired. The next --repair continues'];
  if (report.outcome === 'sound') {
    return [`The database is sound: ${counted(report.height + 1, 'block')}. Nothing was changed`];
  }
  const fetched = `${counted(report.fetched, 'block')} fetched from peers`;
  if (report.outcome === 'missing') {
    const { missing } = report;
    const names = missing.slice(0, MAX_NAMED).join(', ') + (missing.length > MAX_NAMED ? ', ...' : '');
    return [
      `No peer sent ${counted(missing.length, 'block')} that the repair needs: ${names}`,
      `The database was not replaced; ${fetched}. The next --repair continues. Name a node that has every block with ` +
        '--add-exclusive-node',
    ];
  }
  if (report.outcome === 'pages repaired') {
    return [`Repaired ${counted(report.pages, 'page')} in place: ${counted(report.height + 1, 'block')}, ${fetched}`];
  }
  const { dropped, damagedFolder } = report;
  return [
    `Repaired: ${counted(report.height + 1, 'block')}, ${fetched}`,
    ...(dropped === 0 ? [] : [`The next synchronisation brings ${counted(dropped, 'block')} at the top`]),
    `The damaged database is in ${damagedFolder}. Remove that folder when you no longer need it`,
  ];
}

export function counted(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/**
 * `--verify`: verifies the whole database. Programs read the output: it has one line for each problem, then the state
 * digest (of a full database) and the rules digest. Exit code 1 when there is a problem, and after a signal.
 */
export async function verifyAction({ config, notice, screen, signal }: ActionDependencies): Promise<number> {
  const { network, directory } = config;
  const progress = new BlockProgress({ label: 'Verifying', write: notice, screen });
  const db = openChainDb({ directory, network: network.name, readonly: true });
  try {
    notice(`Verifying ${storedText(db.reader)}`);
    const onProgress = (height: number, tip: number): void => progress.update(height + 1, tip + 1);
    const report = await verifyChain(db, { onProgress, signal }).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    progress.stop();
    if (report === undefined) {
      notice('Stopped before the whole database was verified');
      return 1;
    }
    for (const problem of report.problems) screen.write(`${problem}\n`);
    const blocks = counted(report.height + 1, 'block');
    const count = report.problems.length;
    screen.write(count === 0 ? `${blocks}, no problem found\n` : `${blocks}, ${counted(count, 'problem')} found\n`);
    if (report.digest !== undefined) screen.write(`digest ${report.digest}\n`);
    if (report.rulesDigest !== undefined) screen.write(`rules digest ${report.rulesDigest}\n`);
    return count === 0 ? 0 : 1;
  } finally {
    progress.stop();
    db.close();
  }
}

function storedText(reader: ChainReader): string {
  const { bodies, lite } = reader.floors();
  if (lite !== undefined) return `a lite database, which has whole blocks from height ${String(lite)} on`;
  return bodies === 0 ? 'a full database' : `a pruned database, which has block data from height ${String(bodies)} on`;
}

/** Starts a node without a chain, which connects to peers and serves none: `--repair` fetches blocks through it. */
async function startRepairNode(network: Network, config: P2pConfig, notice: (line: string) => void): Promise<P2pNode> {
  const logger = { debug: () => undefined, info: () => undefined, warning: notice, error: notice };
  const noListener = { bindHost: '127.0.0.1', bindPort: 0, bindHost6: undefined, hidePort: true, inPeers: 0 };
  const node = new P2pNode(
    { ...config, ...noListener, resetState: false },
    { chain: noChain(network), pool: noPool, logger },
  );
  await node.start();
  return node;
}

/** Far above the height of any chain. */
const FAR_ABOVE = 100_000_000;

/** An empty chain: it contains only genesis and downloads nothing that peers announce. */
function noChain({ genesis }: Network): ChainPort {
  const raw: RawBlock = { block: genesis.block, transactions: [] };
  const isGenesis = (hash: Buffer): boolean => hash.equals(genesis.hash);
  return {
    tip: () => ({ height: 0, hash: genesis.hash }),
    isKnown: () => true,
    heightOf: (hash) => (isGenesis(hash) ? 0 : undefined),
    hashAt: (height) => (height === 0 ? genesis.hash : undefined),
    hashes: (start, count) => (start === 0 && count > 0 ? [genesis.hash] : []),
    rawBlock: (hash) => (isGenesis(hash) ? raw : undefined),
    transaction: () => undefined,
    transactionsOfBlock: () => transactionsOfBlock(FAR_ABOVE),
    largestBlock: () => largestBlock(FAR_ABOVE),
    availability: () => ({}),
    checkProofOfWork: () => Promise.resolve('deep'),
    addBlocks: () => Promise.resolve([]),
    on: () => undefined,
    off: () => undefined,
  };
}

/** A pool that accepts nothing. */
const noPool: PoolPort = {
  add: () => Promise.resolve({ accepted: false, scope: 'none' }),
  has: () => true,
  get: () => undefined,
  hashes: () => [],
  on: () => undefined,
  off: () => undefined,
};
