import { parseBlock, parseExtraWallet, parseTransaction, toHex, UNLOCK_TIME_BOUNDARY } from '@wrkz/core-types';
import { generateKeyImage } from '@wrkz/crypto';
import { chainA } from './chain-a';
import type { TestNodeClient } from './node-client';
import type { TestWallet, TestWalletOutput } from './test-wallet';

/** The balance of a wallet, computed from the blocks and the pool. */
export interface Holding {
  readonly unlocked: bigint;
  readonly locked: bigint;
}

interface Found {
  readonly wallet: TestWallet;
  readonly amount: bigint;
  readonly unlockTime: bigint;
  readonly image: string;
}

/** A transaction that was counted. */
export interface SeenTransaction {
  /** Empty for a coinbase. */
  readonly hash: string;
  /** As in extra: 64 hex digits if plain, 16 if encrypted; empty without one. */
  readonly paymentId: string;
  readonly images: readonly string[];
  readonly taken: bigint;
  readonly given: bigint;
  readonly found: readonly Found[];
}

interface Layer {
  readonly hash: string;
  readonly transactions: readonly SeenTransaction[];
}

/**
 * The money of some wallets, summed over the raw blocks of a node. Shares no code with the wallets except for the curve and the
 * block format, and recomputes the sums from the blocks at every height.
 */
export class ChainSum {
  private readonly layers: Layer[] = [];
  private readonly known = new Map<string, SeenTransaction>();
  private pending: readonly SeenTransaction[] = [];

  constructor(private readonly wallets: readonly TestWallet[]) {}

  get height(): number {
    return this.layers.length - 1;
  }

  get tip(): string {
    return this.layers.at(-1)?.hash ?? '';
  }

  /** Follows the main chain of the node; blocks of an abandoned branch are removed first. */
  async follow(node: TestNodeClient, pool: readonly Buffer[]): Promise<void> {
    const { height } = await node.get<{ height: number }>('/info');
    while (this.height >= 0 && (this.height >= height || (await hashAt(node, this.height)) !== this.tip)) {
      this.layers.pop();
    }
    while (this.height + 1 < height) await this.append(node);
    this.pending = pool.map((bytes) => this.transaction(bytes));
  }

  /** Transactions in blocks, coinbases included. */
  get mined(): readonly SeenTransaction[] {
    return this.layers.flatMap(({ transactions }) => transactions);
  }

  /**
   * The balance of one wallet.
   * @param now Unix seconds, for unlock times
   * @param sends the pending sends of its container: a container does not know the pool
   */
  holding(wallet: TestWallet, now: number, sends = this.pending): Holding {
    const spent = new Set(this.layers.flatMap(({ transactions }) => transactions.flatMap(({ images }) => images)));
    const spending = new Set(this.pending.flatMap(({ images }) => images));
    // A smaller copy of expected change stays locked, because its spend would make the change unspendable.
    const coming = new Set(sends.flatMap(({ found }) => this.expected(found).map(({ image }) => image)));
    let [unlocked, locked] = [0n, 0n];
    for (const output of this.largest(wallet)) {
      const { image, unlockTime, amount } = output;
      if (spent.has(image) || spending.has(image)) continue;
      if (this.isOpen(unlockTime, now) && !coming.has(image)) unlocked += amount;
      else locked += amount;
    }
    return { unlocked, locked };
  }

  /** Everything received, spent or not: the balance of a view wallet. */
  received(wallet: TestWallet, now: number): Holding {
    const own = this.largest(wallet);
    const sum = (open: boolean): bigint =>
      own.reduce((total, { amount, unlockTime }) => total + (this.isOpen(unlockTime, now) === open ? amount : 0n), 0n);
    return { unlocked: sum(true), locked: sum(false) };
  }

  /** Of the outputs of the pool those that a wallet expects: no block has one as large with their key image, or its spend. */
  expected(found: readonly Found[]): Found[] {
    const images = [...this.mined, ...this.pending].flatMap((one) => one.images);
    const known = new Map(this.wallets.flatMap((wallet) => this.largest(wallet)).map((one) => [one.image, one.amount]));
    return found.filter(({ image, amount }) => !images.includes(image) && (known.get(image) ?? -1n) < amount);
  }

  /** Of mined outputs with one key image, only one can be spent: the largest counts. */
  private largest(wallet: TestWallet): Found[] {
    const byImage = new Map<string, Found>();
    for (const { found } of this.mined) {
      for (const output of found) {
        if (output.wallet === wallet && (byImage.get(output.image)?.amount ?? -1n) < output.amount)
          byImage.set(output.image, output);
      }
    }
    return [...byImage.values()];
  }

  /** Transactions of the pool that spend outputs of these wallets. */
  pendingOf(wallets: readonly TestWallet[]): readonly SeenTransaction[] {
    const own = new Set(
      this.layers.flatMap(({ transactions }) =>
        transactions.flatMap(({ found }) =>
          found.filter(({ wallet }) => wallets.includes(wallet)).map(({ image }) => image),
        ),
      ),
    );
    return this.pending.filter(({ images }) => images.some((image) => own.has(image)));
  }

  /** Sum of the outputs of the wallets that the pool spends, fees included. */
  inFlight(): bigint {
    return this.pending.reduce((sum, { taken }) => sum + taken, 0n);
  }

  /** Money supply: what coinbases pay beyond the fees of their blocks. */
  supply(): bigint {
    let supply = 0n;
    for (const { transactions } of this.layers) for (const { given, taken } of transactions) supply += given - taken;
    return supply;
  }

  /** Amount of the coinbase of the genesis block, whose keys no test has. */
  get genesis(): bigint {
    return this.layers[0]?.transactions.reduce((sum, { given }) => sum + given, 0n) ?? 0n;
  }

  private isOpen(unlockTime: bigint, now: number): boolean {
    return unlockTime < UNLOCK_TIME_BOUNDARY ? unlockTime <= BigInt(this.height + 1) : unlockTime <= BigInt(now + 60);
  }

  private async append(node: TestNodeClient): Promise<void> {
    const start = this.height + 1;
    const body = { startHeight: start, blockCount: 100, blockHashCheckpoints: [] };
    const { items } = await node.post<{ items: { block: string; transactions: string[] }[] }>('/getrawblocks', body);
    for (const [i, { block, transactions }] of items.entries()) {
      const raw = { block: Buffer.from(block, 'hex'), transactions: [] };
      this.layers.push({
        hash: await hashAt(node, start + i),
        transactions: [
          this.coinbase(raw, start + i),
          ...transactions.map((hex) => this.transaction(Buffer.from(hex, 'hex'))),
        ],
      });
    }
  }

  private coinbase(raw: { block: Buffer; transactions: Buffer[] }, height: number): SeenTransaction {
    const found = this.find((wallet) => wallet.find(raw, height, [NUMBERS]));
    const given = parseBlock(raw.block).coinbase.transaction.outputs.reduce((sum, { amount }) => sum + amount, 0n);
    return { hash: '', paymentId: '', images: [], taken: 0n, given, found };
  }

  private transaction(bytes: Buffer): SeenTransaction {
    const { transaction, hash } = parseTransaction(bytes);
    const name = toHex(hash);
    const seen = this.known.get(name);
    if (seen !== undefined) return seen;
    const keyInputs = transaction.inputs.flatMap((input) => (input.type === 'key' ? [input] : []));
    // `find` reads blocks: a coinbase that pays no wallet of the test precedes the transaction.
    const raw = { block: (chainA()[0] as { block: Buffer }).block, transactions: [bytes] };
    const made: SeenTransaction = {
      hash: name,
      paymentId: parseExtraWallet(transaction.extra).paymentId,
      images: keyInputs.map(({ keyImage }) => toHex(keyImage)),
      taken: keyInputs.reduce((sum, { amount }) => sum + amount, 0n),
      given: transaction.outputs.reduce((sum, { amount }) => sum + amount, 0n),
      found: this.find((wallet) => wallet.find(raw, 0, [NUMBERS, NUMBERS])),
    };
    this.known.set(name, made);
    return made;
  }

  private find(look: (wallet: TestWallet) => TestWalletOutput[]): Found[] {
    return this.wallets.flatMap((wallet) =>
      look(wallet).map(({ amount, unlockTime, publicKey, secretKey }) => ({
        wallet,
        amount,
        unlockTime,
        image: toHex(generateKeyImage(publicKey, secretKey)),
      })),
    );
  }
}

/** Dummy global indexes: `find` requires them, and the sums do not use them. */
const NUMBERS = Array.from({ length: 1_000 }, (_, i) => i);

async function hashAt(node: TestNodeClient, height: number): Promise<string> {
  const { block_header: header } = await node.rpc<{ block_header: { hash: string } }>('getblockheaderbyheight', {
    height,
  });
  return header.hash;
}
