import { join } from 'node:path';
import { NodeList } from '@wrkz/client';
import { chainIdentity, networkOf } from '@wrkz/core-types';
import { DEFAULT_POW_SERVER, PowClient, scanFrom, Wallet, walletFromKeys } from '@wrkz/wallet-core';
import {
  buildCopy,
  pollUntil,
  type SeededRandom,
  smallestCopyInput,
  type TestNodeClient,
  type TestWallet,
} from '../../src';

/** Depth of an output that the stranger spends, so that a reorganisation does not remove it. */
const SAFE_BLOCKS = 5;

/** A stranger who copies the output keys of transactions into own ones, with other amounts. */
export class Copier {
  private readonly used = new Set<string>();

  private constructor(
    private readonly keys: TestWallet,
    private readonly wallet: Wallet,
    private readonly random: SeededRandom,
  ) {}

  static async start(keys: TestWallet, folder: string, port: number, random: SeededRandom): Promise<Copier> {
    const nodes = new NodeList([{ host: '127.0.0.1', port, ssl: false }], { chain: chainIdentity('devnet') });
    const [view, spend] = [keys.viewSecret.toString('hex'), keys.spendSecret.toString('hex')];
    const wallet = await Wallet.create(
      { network: networkOf('devnet'), pow: new PowClient(DEFAULT_POW_SERVER), warn: () => undefined },
      { file: join(folder, 'stranger.wallet'), password: '', nodes },
      () => walletFromKeys(view, spend, scanFrom(0)),
    );
    return new Copier(keys, wallet, random);
  }

  /** @returns the copy; undefined without a spendable output */
  async copyOf(node: TestNodeClient, original: Buffer): Promise<Buffer | undefined> {
    const { height: count } = await node.get<{ height: number }>('/info');
    const height = count - 1;
    const smallest = () =>
      smallestCopyInput(this.wallet.snapshot.primary?.unspent ?? [], this.used, height - SAFE_BLOCKS);
    await pollUntil(
      async () => smallest() !== undefined || this.wallet.syncStatus.walletHeight >= height,
      () => 'the stranger to be at the tip',
    );
    const own = smallest();
    if (own === undefined) return undefined;
    this.used.add(own.key);
    return buildCopy(node, this.keys, own, { height, original, random: this.random });
  }

  stop(): Promise<void> {
    return this.wallet.close();
  }
}
