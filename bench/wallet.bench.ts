/**
 * How fast a wallet follows a node: chain A repeated to 100,000 blocks, from a server in a process of its own, through
 * client, reader, scanner and ledger as in a wallet program.
 *
 *   node -r ./scripts/source-loader.cjs bench/wallet.bench.ts [--blocks 100000] [--sub-wallets 1,1000] [--rounds 1]
 *
 * Blocks and outputs per second, processor seconds of the wallet's process, its memory, and the longest pauses of its event
 * loop. Snapshots are taken as in an open wallet. Block and transaction hashes differ in each repetition, one-time keys do not:
 * own outputs are found in each repetition and counted once.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { NodeList, type SyncBlock } from '@wrkz/client';
import { chainIdentity, networkOf } from '@wrkz/core-types';
import { deterministicSubWalletKeysAsync } from '@wrkz/crypto';
import { chainAWallet } from '@wrkz/testing';
import { Ledger, Synchronizer, walletFromKeys, importedSubWallet, type WalletContent } from '@wrkz/wallet-core';
import { median, row, runBench, since } from './support/figures';
import { machine } from './support/machine';

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '100000' },
    'sub-wallets': { type: 'string', default: '1,1000' },
    rounds: { type: 'string', default: '1' },
  },
});

/** Alice's keys, and this number of sub-wallets in total. */
async function walletOf(count: number): Promise<WalletContent> {
  const alice = chainAWallet('alice');
  const start = { height: 0, timestamp: 0 };
  const content = walletFromKeys(alice.viewSecret.toString('hex'), alice.spendSecret.toString('hex'), start);
  const subWallets = [...content.subWallets];
  for (let index = 1; index < count; index++) {
    const { secretKey } = await deterministicSubWalletKeysAsync(alice.spendSecret, index);
    subWallets.push(importedSubWallet(content, secretKey.toString('hex'), start).subWallet);
  }
  return { ...content, subWallets };
}

interface Round {
  readonly seconds: number;
  readonly processor: number;
  readonly blocks: number;
  readonly outputs: number;
  readonly pause: number;
  readonly pauses: number;
  readonly memory: number;
  readonly found: number;
}

function outputsOf({ coinbase, transactions }: SyncBlock): number {
  return transactions.reduce((sum, { outputs }) => sum + outputs.length, coinbase?.outputs.length ?? 0);
}

async function round(port: number, content: WalletContent): Promise<Round> {
  const node = new NodeList([{ host: '127.0.0.1', port, ssl: false }], { chain: chainIdentity('devnet') });
  const ledger = new Ledger(content);
  const sync = new Synchronizer(node, ledger, { network: networkOf('devnet') });
  let blocks = 0;
  let outputs = 0;
  let memory = 0;
  sync.on('applied', (_applied, block) => {
    blocks++;
    outputs += outputsOf(block);
  });
  sync.on('progressed', () => {
    ledger.content();
    memory = Math.max(memory, process.memoryUsage.rss());
  });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const used = process.cpuUsage();
  const start = performance.now();
  delay.enable();
  sync.start();
  await once(sync, 'synced');
  delay.disable();
  const seconds = since(start) / 1_000;
  const { user, system } = process.cpuUsage(used);
  await sync.stop();
  node.close();
  return {
    ...{ seconds, blocks, outputs, memory, found: ledger.content().transactions.length },
    processor: (user + system) / 1e6,
    pause: delay.max / 1e6,
    pauses: delay.percentile(99.9) / 1e6,
  };
}

async function startServer(): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(__dirname, 'support/repeated-chain.ts'), [values.blocks], {
    execArgv: ['-r', join(__dirname, '../scripts/source-loader.cjs')],
  });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the server has ended')));
  failed.catch(() => undefined);
  const [port] = (await Promise.race([once(child, 'message'), failed])) as [number];
  return { child, port };
}

async function main(): Promise<void> {
  const { child, port } = await startServer();
  try {
    console.log(machine());
    console.log(
      `\n${row(`${values.blocks} blocks`, ['blocks/s', 'outputs/s', 'processor', 'memory', 'pause', '99.9 %'])}`,
    );
    for (const count of values['sub-wallets'].split(',').map(Number)) {
      const content = await walletOf(count);
      const rounds: Round[] = [];
      for (let i = 0; i < Number(values.rounds); i++) rounds.push(await round(port, content));
      const of = (value: (one: Round) => number): number => median(rounds.map(value));
      console.log(
        row(`${count} sub-wallet${count === 1 ? '' : 's'}, ${String(rounds[0]?.found)} transactions`, [
          of(({ blocks, seconds }) => blocks / seconds),
          of(({ outputs, seconds }) => outputs / seconds),
          `${of(({ processor }) => processor).toFixed(1)} s`,
          `${Math.round(of(({ memory }) => memory) / 2 ** 20)} MiB`,
          `${of(({ pause }) => pause).toFixed(1)} ms`,
          `${of(({ pauses }) => pauses).toFixed(1)} ms`,
        ]),
      );
    }
  } finally {
    child.disconnect();
  }
}

runBench(main);
