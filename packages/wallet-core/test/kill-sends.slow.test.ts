import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { chainAWallet, Suite, type SuiteNode } from '@wrkz/testing';
import type { WalletContent } from '../src/ledger/model';
import { Wallet } from '../src/wallet/wallet';
import { endPrograms, runProgram } from './support/child';
import { fresh, removeFolders } from './support/folder';
import { recordedWallets } from './support/recorded-wallets';
import { served, untilAtTip } from './support/served';

// Another process opens the files: all PBKDF2 iterations.
jest.unmock('node:crypto');

/* A wallet that sends to a node is killed at random moments. The environment variable KILLS is the number of kills. */

const KILLS = Number(process.env['KILLS'] ?? 60);
/** Milliseconds from the open wallet to the latest kill. */
const LATEST_KILL = 2_500;
/** One of this many kills happens during the opening. */
const EARLY_KILL = 8;
/** Codes of refusals for a temporary shortage of funds or decoys. */
const SHORT = new Set(['11', '28']);

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
let node: SuiteNode;

beforeAll(async () => {
  node = await suite.node({ from: await suite.chainA() });
});

afterAll(async () => {
  await endPrograms();
  await suite.stopAll();
  removeFolders();
});

const recordedDave = recordedWallets().find(({ name }) => name === 'dave.wallet')!;
const { password } = recordedDave;
const receiver = chainAWallet('erin').address;
const miner = chainAWallet('frank').address;

/** Runs the sending program and kills it. @returns the printed lines */
async function sendUntilKilled(file: string): Promise<string[]> {
  const program = runProgram('send.ts', [file, password, String(node.daemon.ports.rpc), receiver]);
  const lines: string[] = [];
  if (Math.random() * EARLY_KILL < 1) await wait(Math.random() * LATEST_KILL);
  else {
    lines.push(await program.line());
    await wait(Math.random() * LATEST_KILL);
  }
  program.kill();
  try {
    for (;;) lines.push(await program.line());
  } catch {
    expect(await program.ended).toBe('SIGKILL');
    return lines;
  }
}

function openWallet(file: string): Promise<Wallet> {
  const port = node.daemon.ports.rpc;
  return served((parts, settings) => Wallet.open(parts, settings), { file, password, port });
}

/** The stored content: a send that the container does not have yet is in the database. */
async function contentOf(file: string): Promise<WalletContent> {
  const wallet = await openWallet(file);
  const { content } = wallet.snapshot;
  await wallet.close();
  return content;
}

const hashesOf = ({ transactions, unconfirmed }: WalletContent): Set<string> =>
  new Set([...transactions, ...unconfirmed].map(({ hash }) => hash));

/** The content that is equal in a wallet that made its sends and in one that found them by a scan. */
const moneyOf = ({ subWallets, transactions }: WalletContent): unknown => ({
  hashes: transactions.map(({ hash }) => hash).sort(),
  amounts: transactions
    .flatMap(({ hash, transfers }) =>
      transfers.map(({ publicSpendKey, amount }) => `${hash} ${publicSpendKey} ${amount}`),
    )
    .sort(),
  unspent: subWallets.flatMap(({ unspent }) => unspent.map(({ key }) => key)).sort(),
  locked: subWallets.flatMap(({ locked }) => locked.map(({ key }) => key)),
});

test(`after each of ${String(KILLS)} kills during sends and saves, a wallet opens and has every send`, async () => {
  const file = fresh('dave.wallet');
  copyFileSync(recordedDave.path, file);
  const sent = new Set<string>();
  const refused: string[] = [];
  let killedWithSends = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const lines = await sendUntilKilled(file);
    const hashes = lines.filter((line) => line.startsWith('sent ')).map((line) => line.slice(5));
    if (hashes.length > 0) killedWithSends++;
    for (const hash of hashes) {
      // A repeated hash would report one payment as two.
      expect(sent.has(hash)).toBe(false);
      sent.add(hash);
    }
    refused.push(...lines.filter((line) => line.startsWith('refused ')).map((line) => line.slice(8)));
    const known = hashesOf(await contentOf(file));
    expect([...sent].filter((hash) => !known.has(hash))).toEqual([]);
    if (kill % 3 === 0) await node.generate(miner);
  }
  while (node.pool().length > 0) await node.generate(miner);
  const places = await node.status([...sent]);
  expect(new Set(places.transactionsInBlock)).toEqual(sent);
  expect(refused.filter((code) => !SHORT.has(code))).toEqual([]);
  expect(killedWithSends).toBeGreaterThan(0);

  const open = await openWallet(file);
  await untilAtTip(open);
  // A recorded send that was never submitted is given up after two queries of the node, a minute apart.
  while (open.snapshot.unconfirmed().length > 0) await once(open, 'changed');
  const before = open.snapshot.content;
  await open.reset(0);
  await untilAtTip(open);
  const after = open.snapshot.content;
  await open.close();
  const found = new Set(after.transactions.map(({ hash }) => hash));
  expect([...sent].filter((hash) => !found.has(hash))).toEqual([]);
  // A send without a response remains if it was submitted, and is removed if it was not.
  expect(moneyOf(before)).toEqual(moneyOf(after));
  process.stdout.write(
    `${String(KILLS)} kills, ${String(killedWithSends)} of them after sends, ${String(sent.size)} sends\n`,
  );
});
