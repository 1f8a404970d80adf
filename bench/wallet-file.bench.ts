/**
 * Opening and saving a container with many transactions, and reads of its wallet: milliseconds of wall clock, and the longest
 * time that the main thread blocked the event loop, in processor time.
 *
 *   node -r ./scripts/source-loader.cjs bench/wallet-file.bench.ts [--transactions 100000] [--rounds 7]
 *
 * An open includes half a million PBKDF2 iterations; a save has its key derived already, as in a running wallet. Each
 * transaction has one output of the wallet; one in twenty is unspent. Medians of the rounds; the longest block of all rounds.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  createdWallet,
  Ledger,
  type WalletContent,
  WalletFile,
  type WalletOutput,
  WalletSnapshot,
} from '@wrkz/wallet-core';
import { runInSlices } from '@wrkz/service-kit';
import { median, milliseconds, row, runBench, since } from './support/figures';
import { machine } from './support/machine';
import { mainThreadTime } from './support/main-thread';

const { values } = parseArgs({
  options: { transactions: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '7' } },
});

/** Milliseconds between two samples of the event loop. */
const LOOK = 2;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function walletWith(count: number): WalletContent {
  const empty = createdWallet({ height: 0, timestamp: 0 });
  const [subWallet] = empty.subWallets;
  if (subWallet === undefined) throw new Error('a new wallet has an address');
  const { publicSpendKey } = subWallet;
  const outputs = Array.from({ length: count }, (_, i): WalletOutput => {
    const isSpent = i % 20 !== 0;
    return {
      keyImage: hashOf(`image ${i}`),
      amount: BigInt(i + 1),
      blockHeight: i + 1,
      transactionPublicKey: hashOf(`transaction key ${i}`),
      outputIndex: 0,
      globalIndex: i + 1,
      key: hashOf(`key ${i}`),
      spendHeight: isSpent ? count + i : 0,
      unlockTime: 0n,
      parentTransactionHash: hashOf(`transaction ${i}`),
      privateEphemeral: hashOf(`secret ${i}`),
      spendingTransactionHash: undefined,
    };
  });
  const transactions = outputs.map(({ parentTransactionHash: hash, amount, blockHeight }) => ({
    transfers: [{ publicSpendKey, amount }],
    hash,
    fee: 10_000n,
    blockHeight,
    timestamp: 1_700_000_000 + blockHeight,
    paymentId: '',
    unlockTime: 0n,
    isCoinbase: false,
  }));
  const [unspent, spent] = [0, 1].map((kind) => outputs.filter(({ spendHeight }) => Math.sign(spendHeight) === kind));
  return {
    ...empty,
    transactions,
    subWallets: [{ ...subWallet, unspent: unspent ?? [], spent: spent ?? [] }],
    progress: { height: 2 * count, recentHashes: [hashOf('tip')], checkpointHashes: [] },
  };
}

/** The argument of `Ledger.apply` for a block with one payment to this wallet. */
function paying({ subWallets }: WalletContent, height: number): Parameters<Ledger['apply']> {
  const [key, hash] = [hashOf('new key'), hashOf('new transaction')];
  const block = {
    height,
    hash: hashOf('next'),
    timestamp: 1_800_000_000,
    coinbase: undefined,
    transactions: [
      {
        hash,
        transactionPublicKey: hashOf('new transaction key'),
        unlockTime: 0n,
        paymentId: '',
        inputs: [],
        outputs: [{ key, amount: 1n }],
      },
    ],
  };
  const own = {
    transaction: 1,
    output: 0,
    publicSpendKey: subWallets[0]?.publicSpendKey ?? '',
    keyImage: hashOf('new image'),
    privateEphemeral: hashOf('new secret'),
    globalIndex: 1,
  };
  return [block, [own], new Map()];
}

/** Duration of some work, and the longest time that the main thread did not yield. */
async function watched<T>(work: () => Promise<T>): Promise<{ value: T; took: number; held: number }> {
  let held = 0;
  let last = mainThreadTime();
  const look = (): void => {
    const now = mainThreadTime();
    held = Math.max(held, now - last);
    last = now;
  };
  const timer = setInterval(look, LOOK);
  await wait(5 * LOOK);
  held = 0;
  const start = performance.now();
  try {
    const value = await work();
    const took = since(start);
    look();
    return { value, took, held };
  } finally {
    clearInterval(timer);
  }
}

async function main(): Promise<void> {
  const [count, rounds] = [Number(values.transactions), Number(values.rounds)];
  const folder = mkdtempSync(join(tmpdir(), 'bench-wallet-'));
  console.log(machine());
  try {
    const file = join(folder, 'a.wallet');
    const { walletFile: first } = await WalletFile.create(file, 'secret', () => walletWith(count));
    await first.close();
    const names = [
      'open',
      'the ledger of it',
      'first snapshot',
      'a block and its snapshot',
      'balance',
      '100 newest of the transactions',
      'save',
    ] as const;
    const figures = new Map(names.map((name) => [name, { took: [] as number[], held: [] as number[] }]));
    const note = async <T>(name: (typeof names)[number], work: () => Promise<T>): Promise<T> => {
      const { value, took, held } = await watched(work);
      figures.get(name)?.took.push(took);
      figures.get(name)?.held.push(held);
      return value;
    };
    for (let round = 0; round < rounds; round++) {
      const { walletFile, content } = await note('open', () => WalletFile.open(file, 'secret'));
      const ledger = await note('the ledger of it', () => runInSlices(Ledger.loading(content)));
      await walletFile.save(content);
      // The wallet derives the key of the next version at this time.
      await wait(1_000);
      const snapshotOf = (): WalletSnapshot => new WalletSnapshot(ledger.content(), () => 1_800_000_000);
      await note('first snapshot', async () => snapshotOf());
      const snapshot = await note('a block and its snapshot', async () => {
        const height = 2 * count + 1;
        ledger.apply(...paying(content, height));
        return snapshotOf();
      });
      await note('balance', async () => snapshot.balance());
      await note('100 newest of the transactions', async () => snapshot.transactions({ start: count - 99 }));
      await note('save', () => walletFile.save(snapshot.content));
      await walletFile.close();
    }
    console.log(`${String(count)} transactions, ${(statSync(file).size / 1e6).toFixed(1)} MB`);
    console.log(row('', ['median', 'longest hold']));
    for (const [name, { took, held }] of figures) {
      console.log(row(name, [milliseconds(median(took)), milliseconds(Math.max(...held))]));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

runBench(main);
