import { join } from 'node:path';
import type { Daemon } from '@wrkz/daemon';
import { encodeAddress, parseTransaction } from '@wrkz/core-types';
import {
  respondAsJuly2025,
  ChainSum,
  buildCopy,
  smallestCopyInput,
  TestWallet,
  SeededRandom,
  StandInNode,
  type SuiteNode,
} from '@wrkz/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { WalletError } from '../../../src';
import type { SendRequest, SignedSend } from '../../../src';
import { devnet, MoneyWallet } from './served';
import { TwoNodes } from './two-nodes';
import { importKeys, importView } from '../../support/imports';

export interface CampaignOptions {
  readonly seed: number;
  /** Number of wallets; the last one is a view wallet of the first one. */
  readonly wallets: number;
  readonly sends: number;
  readonly blocks: number;
  /** Number of blocks with a reorganisation. */
  readonly reorganisations: number;
  readonly restarts: number;
  /** Blocks that fund the wallets before the first send. */
  readonly funding: number;
  /** Every n-th wallet uses a node that responds like those of July 2025; default none. */
  readonly oldNodeOf?: number;
  /** Number of transactions of a stranger with copied keys of outputs. */
  readonly copies?: number;
  /** Receives a progress line after each block. */
  readonly report?: (text: string) => void;
}

/** A wallet of the campaign, with keys to compute its balance from the chain. */
interface Player {
  readonly name: string;
  readonly money: MoneyWallet;
  /** Test wallets by public spend key. */
  readonly testWallets: ReadonlyMap<string, TestWallet>;
  readonly isView: boolean;
  /** Whether its node responds like those of July 2025. */
  readonly isOld: boolean;
}

/** Codes of expected refusals: no unlocked balance, or too few decoys. */
const HARMLESS = new Set([11, 28]);
const NAMES = ['ann', 'ben', 'cat', 'dan', 'eve', 'fay', 'gus', 'hal', 'ivy'];
/** Number of sub-wallets in addition to the primary one. */
const MORE_KEYS: Readonly<Record<string, number>> = { ben: 1, eve: 2, hal: 3 };

/** Random sends between wallets, with reorganisations and restarts of the nodes. */
export class Campaign {
  private readonly nodes = new TwoNodes();
  private readonly random: SeededRandom;
  private readonly bytes = new Map<string, Buffer>();
  private players: Player[] = [];
  private sum!: ChainSum;
  private old!: StandInNode;
  private stranger: Player | undefined;
  private readonly used = new Set<string>();
  readonly counts = {
    sent: 0,
    sentAtOld: 0,
    checkedAtOld: 0,
    refused: 0,
    reorganisations: 0,
    restarts: 0,
    reopened: 0,
    checks: 0,
    late: 0,
    copies: 0,
    rescans: 0,
  };

  constructor(private readonly options: CampaignOptions) {
    this.random = new SeededRandom(options.seed);
  }

  async begin(): Promise<void> {
    await this.nodes.start();
    const names = NAMES.slice(0, this.options.wallets - 1);
    const funded = this.options.copies === undefined ? names : [...names, 'stranger', 'stranger'];
    await this.nodes.fund(() => this.keysOf(this.random.of(funded)).address, this.options.funding);
    this.old = this.nodes.suite.closeAtEnd(respondAsJuly2025(await StandInNode.start(this.node.url)));
    for (const name of names) this.players.push(await this.player(name));
    this.players.push(await this.viewer(this.players[0] as Player));
    if (this.options.copies !== undefined) this.stranger = await this.player('stranger');
    this.sum = new ChainSum(
      this.players.filter(({ isView }) => !isView).flatMap(({ testWallets }) => [...testWallets.values()]),
    );
    await this.check();
  }

  /** Runs the whole campaign. @throws Error for a failed expectation */
  async run(): Promise<void> {
    const { blocks, sends, reorganisations, restarts } = this.options;
    const turn = (every: number, block: number): boolean =>
      every > 0 && Math.floor((block * every) / blocks) > Math.floor(((block - 1) * every) / blocks);
    for (let block = 1; block <= blocks; block++) {
      await this.someSends(Math.floor((sends * block) / blocks));
      await this.copySome(Math.floor(((this.options.copies ?? 0) * block) / blocks), this.node);
      await this.check();
      const isReorganised = turn(reorganisations, block);
      await (isReorganised ? this.reorganise() : this.mine(this.node));
      await this.check(isReorganised);
      if (turn(restarts, block)) await this.restart();
      if (this.random.oneIn(this.stranger ? 3 : 25)) await this.reopenOne();
      this.options.report?.(`block ${String(block)}: ${JSON.stringify(this.counts)}`);
    }
    await this.end();
  }

  async stop(): Promise<void> {
    await Promise.allSettled(
      [...this.players, ...(this.stranger ? [this.stranger] : [])].map(({ money }) => money.close()),
    );
    await this.nodes.stop();
  }

  private keysOf(name: string): TestWallet {
    return new TestWallet(`${name} ${String(this.options.seed)}`);
  }

  /** Sends until the count is reached, or until only the next blocks unlock money; after a refusal another wallet sends. */
  private async someSends(count: number): Promise<void> {
    const max = this.counts.refused + MAX_REFUSALS;
    while (this.counts.sent < count && this.counts.refused < max) {
      const able = this.players.filter(({ isView }) => !isView);
      const some = Array.from({ length: Math.min(4, count - this.counts.sent) }, () => this.random.of(able));
      await Promise.all([...new Set(some)].map((player) => this.one(player)));
    }
  }

  private async one(player: Player): Promise<void> {
    const { wallet } = player.money;
    try {
      for (const { hash, bytes } of await this.anySend(player)) {
        this.bytes.set(hash, bytes);
        this.counts.sent += 1;
        if (player.isOld) this.counts.sentAtOld += 1;
      }
      if (wallet.isClosed) throw new Error('a wallet closed itself');
    } catch (error) {
      if (!(error instanceof WalletError && HARMLESS.has(error.code))) throw error;
      this.counts.refused += 1;
    }
  }

  /** A send, a prepared send, or a sweep. */
  private async anySend({ money: { wallet } }: Player): Promise<{ hash: string; bytes: Buffer }[]> {
    const way = this.random.below(20);
    if (way === 0) return this.swept(wallet);
    const request = this.request(wallet.snapshot.addresses);
    if (way > 2) return [sent(await wallet.send(request))];
    const prepared = await wallet.prepare(request);
    if (this.random.oneIn(4)) {
      wallet.deletePrepared(prepared.hash);
      return [];
    }
    return [sent(await wallet.sendPrepared(prepared.hash))];
  }

  private async swept(wallet: MoneyWallet['wallet']): Promise<{ hash: string; bytes: Buffer }[]> {
    const amount = this.random.amount(300_000);
    const { entries, paid, unpaid } = await wallet.sweep({ destination: this.anyAddress(), amount });
    for (const entry of entries) {
      if (!entry.success) {
        if (!HARMLESS.has(entry.errorCode)) throw new Error(`a sweep was refused: ${entry.errorMessage}`);
        this.counts.refused += 1;
      }
    }
    if (entries.every(({ success }) => success)) expect([paid, unpaid]).toEqual([amount, 0n]);
    return Promise.all(entries.flatMap((entry) => (entry.success ? [this.bytesOf(entry.transactionHash)] : [])));
  }

  /** The bytes of a transaction from the pool, because a sweep returns only hashes. */
  private async bytesOf(hash: string): Promise<{ hash: string; bytes: Buffer }> {
    const bytes = this.node.daemon.parts.pool.get(Buffer.from(hash, 'hex'))?.bytes;
    if (bytes === undefined) throw new Error(`the pool lacks ${hash}`);
    return { hash, bytes };
  }

  private request(own: readonly string[]): SendRequest {
    const { random } = this;
    const several = random.oneIn(4) ? 2 + random.below(3) : 1;
    const paymentId = several === 1 ? random.of(['', '', '', SHORT_ID, LONG_ID]) : random.of(['', LONG_ID]);
    const destinations = Array.from({ length: several }, () => ({
      address: this.anyAddress(),
      amount: random.amount(200_000),
    }));
    return {
      destinations,
      paymentId,
      ...(random.oneIn(6) && { fee: { kind: 'perByte', rate: 0.1 + random.next() } as const }),
      ...(random.oneIn(8) && { fee: { kind: 'fixed', amount: this.flatFee() + BigInt(random.below(9_000)) } as const }),
      ...(random.oneIn(6) && { extra: 'c0'.repeat(1 + random.below(200)) }),
      ...(random.oneIn(4) && { sourceAddresses: [random.of(own)] }),
      ...(random.oneIn(4) && { changeAddress: random.of(own) }),
      ...(random.oneIn(10) && { unlockTime: BigInt(this.node.height + 40 + random.below(60)) }),
      ...(random.oneIn(40) && { unlockTime: BigInt(Math.floor(Date.now() / 1000) + 100_000) }),
      ...(random.oneIn(10) && { mixin: 1 }),
    };
  }

  /** A fixed fee that suffices at the tip and for the next block. */
  private flatFee(): bigint {
    const { height } = this.node;
    const rules = [height, height + 1].map((at) => devnet.rulesAt(at).feeRule);
    return rules.some((rule) => rule.kind === 'fixed') ? 50_000n : 4_000n;
  }

  /** A stranger copies the keys of recent transactions into own ones with other amounts. @param count sum of all calls */
  private async copySome(count: number, node: SuiteNode<Daemon>): Promise<void> {
    if (this.stranger === undefined) return;
    const { money, testWallets } = this.stranger;
    const [keys] = [...testWallets.values()] as [TestWallet];
    while (this.counts.copies < count) {
      this.counts.copies += 1;
      const { height } = node;
      const own = smallestCopyInput(money.primary.unspent, this.used, height);
      const recent = [...this.bytes.values()].slice(-12);
      if (recent.length === 0 || own === undefined) continue;
      this.used.add(own.key);
      const { random } = this;
      const copy = await buildCopy(node, keys, own, { height, original: random.of(recent), random });
      this.bytes.set(parseTransaction(copy).hash.toString('hex'), copy);
      for (const place of random.oneIn(4) ? [this.node, this.nodes.rival] : [node]) {
        // A pool may have it already, or refuse it near a change of the rules.
        await place.send(copy).catch(() => undefined);
      }
    }
  }

  /** A scan from scratch finds the same balances and history. */
  private async rescanAll(): Promise<void> {
    for (const { money } of this.players) {
      // A reset removes pending sends, so that the balance has their inputs.
      for (const { hash } of money.wallet.snapshot.unconfirmed()) await money.wallet.giveUp(hash, 'refused');
      const before = bookOf(money);
      await money.wallet.reset(0);
      await money.untilAt(this.node.height, this.node.tip);
      expect(bookOf(money)).toEqual(before);
      this.counts.rescans += 1;
    }
  }

  private async mine(node: SuiteNode<Daemon>): Promise<void> {
    await node.generate(this.anyAddress());
  }

  /** The rival mines a longer branch from its own pool while it is disconnected. */
  private async reorganise(): Promise<void> {
    const depth = 1 + this.random.below(4);
    await this.nodes.cut();
    for (let i = 0; i < depth; i++) {
      await this.mine(this.node);
      await this.check();
      await this.one(this.random.of(this.players.filter(({ isView }) => !isView)));
      await this.copySome(this.counts.copies + this.random.below(3), this.node);
      await this.copySome(this.counts.copies + this.random.below(3), this.nodes.rival);
    }
    // The branch may contain the sends before the cut.
    for (let i = 0; i <= depth; i++) await this.mine(this.nodes.rival);
    await this.nodes.join();
    this.counts.reorganisations += 1;
  }

  /** Restarts the nodes with the same data and RPC port. */
  private async restart(): Promise<void> {
    await this.nodes.restart();
    this.counts.restarts += 1;
    await this.check(true);
  }

  private async reopenOne(): Promise<void> {
    await this.random.of(this.players).money.reopen();
    this.counts.reopened += 1;
    await this.check();
  }

  /** Mines all valid transactions, then checks the balances a last time. */
  private async end(): Promise<void> {
    for (let i = 0; i < 30 && this.node.pool().length > 0; i++) await this.mine(this.node);
    await this.check();
    expect(this.node.pool()).toEqual([]);
    for (const bytes of this.refused()) {
      const submission = { tx_as_hex: bytes.toString('hex') };
      expect(await this.node.post('/sendrawtransaction', submission)).toMatchObject({ status: 'Failed' });
    }
    if (this.stranger !== undefined) await this.rescanAll();
  }

  /**
   * Pending sends that no pool has because the rules changed in a reorganisation: wallets retain them for 60 blocks
   * (docs/protocol/wallet.md#submitting).
   */
  private refused(): Buffer[] {
    const pool = new Set(this.node.pool());
    return this.players.flatMap(({ money }) =>
      money.wallet.db.sends
        .all(['pending'])
        .filter(({ hash, refusedSince }) => refusedSince !== undefined && !pool.has(hash))
        .flatMap(({ signed }) => signed?.bytes ?? []),
    );
  }

  /**
   * Checks that every balance equals the sum over the chain, and that all balances add up to the money supply.
   * @param isAfterChange whether pools may differ, after a reorganisation or a restart
   */
  private async check(isAfterChange = false): Promise<void> {
    const { sum } = this;
    await this.untilAgreed(isAfterChange);
    const { height } = sum;
    let total = 0n;
    for (const player of this.players) {
      if (player.isView) this.checkViewer(player);
      else total += this.checkPlayer(player);
      if (player.isOld) this.counts.checkedAtOld += 1;
    }
    this.counts.checks += 1;
    if (this.stranger !== undefined) return;
    expect({ height, coins: total + sum.inFlight() }).toEqual({ height, coins: sum.supply() - sum.genesis });
    expect(sum.supply()).toBe(await this.generated());
  }

  /**
   * Waits until all wallets are at the tip and list the transactions of the pool. After a reorganisation or a restart nodes
   * exchange pool transactions for some time, and a wallet gives up a send after two queries without it. If the send returns
   * later, the wallet lists it once it is mined.
   */
  private async untilAgreed(isAfterChange: boolean): Promise<void> {
    const end = performance.now() + PATIENCE;
    for (let turn = 1; ; turn++) {
      const { node, sum } = this;
      const pool = node
        .pool()
        .map((hash) => this.bytes.get(hash) ?? fail(`the pool has a transaction of no wallet: ${hash}`));
      await sum.follow(node, [...pool, ...this.refused()]);
      await Promise.all(this.players.map(({ money }) => money.untilAt(sum.height, sum.tip)));
      const apart = this.players.flatMap(({ name, money, testWallets, isView }) => {
        const listed = hashesOf(money.wallet.snapshot.unconfirmed());
        const pending = isView ? '' : hashesOf(sum.pendingOf([...testWallets.values()]));
        return listed === pending ? [] : [`${name} lists ${listed}, the pool ${pending}`];
      });
      if (apart.length === 0) return;
      if (performance.now() > end) throw new Error(`waited too long: ${apart.join('; ')}`);
      if (isAfterChange && turn % 100 === 0) {
        await this.mine(this.node);
        this.counts.late += 1;
      }
      await pause(100);
    }
  }

  /** Compares a wallet with the chain. @returns the part of its balance that is in blocks */
  private checkPlayer({ name, money, testWallets }: Player): bigint {
    const { sum } = this;
    const pending = sum.pendingOf([...testWallets.values()]);
    const now = Math.floor(Date.now() / 1000);
    let [total, returning] = [0n, 0n];
    for (const [key, testWallet] of testWallets) {
      const { unlocked, locked } = sum.holding(testWallet, now, pending);
      const back = pending.reduce((coming, { found }) => coming + amountFor(testWallet, sum.expected(found)), 0n);
      const expected = {
        name,
        height: sum.height,
        coming: comingOf(
          pending.map((one) => ({ ...one, found: sum.expected(one.found) })),
          testWallet,
        ),
        unlocked,
        locked: locked + back,
      };
      const { snapshot } = money.wallet;
      const coming =
        snapshot.subWallets.find(({ publicSpendKey }) => publicSpendKey === key)?.unconfirmedIncoming ?? [];
      const reported = coming
        .map(({ parentTransactionHash, amount }) => `${parentTransactionHash} ${String(amount)}`)
        .sort();
      expect({ name, height: sum.height, coming: reported, ...snapshot.balance([key]) }).toEqual(expected);
      total += unlocked + locked + back;
      returning += back;
    }
    const whole = money.wallet.snapshot.balance();
    expect(whole.unlocked + whole.locked).toBe(total);
    return total - returning;
  }

  private checkViewer({ name, money, testWallets }: Player): void {
    const [testWallet] = testWallets.values();
    const now = Math.floor(Date.now() / 1000);
    const expected = this.sum.received(testWallet as TestWallet, now);
    expect({ name, ...money.wallet.snapshot.balance() }).toEqual({ name, ...expected });
  }

  private async generated(): Promise<bigint> {
    const { block } = await this.node.rpc<{ block: { alreadyGeneratedCoins: string } }>('f_block_json', {
      hash: this.sum.tip,
    });
    return BigInt(block.alreadyGeneratedCoins);
  }

  private anyAddress(): string {
    const { money } = this.random.of(this.players);
    return this.random.of(money.wallet.snapshot.addresses);
  }

  private get node(): SuiteNode<Daemon> {
    return this.nodes.node;
  }

  /** Whether the next player uses the old node. */
  private get isOld(): boolean {
    const { oldNodeOf } = this.options;
    return oldNodeOf !== undefined && (this.players.length + 1) % oldNodeOf === 0;
  }

  private nextPort(): number {
    return this.isOld ? this.old.port : this.nodes.port;
  }

  private async player(name: string): Promise<Player> {
    const { spendSecret, viewSecret } = this.keysOf(name);
    const keys = {
      privateViewKey: viewSecret.toString('hex'),
      privateSpendKey: spendSecret.toString('hex'),
      scanHeight: 0,
    };
    const file = join(this.nodes.suite.folder(), `${name}.wallet`);
    const money = await MoneyWallet.begin(file, [this.nextPort()], (parts, settings) =>
      importKeys(parts, settings, keys),
    );
    for (let i = 0; i < (MORE_KEYS[name] ?? 0); i++) {
      if (i === 1) {
        const other = this.keysOf(`${name} imported`);
        await money.wallet.importSubWallet(other.spendSecret.toString('hex'), 0);
      } else await money.wallet.createSubWallet();
    }
    const testWallets = money.wallet.snapshot.subWallets.map(
      ({ publicSpendKey, privateSpendKey }) =>
        [
          publicSpendKey,
          new TestWallet({ viewSecret, spendSecret: Buffer.from(privateSpendKey ?? fail('no key'), 'hex') }),
        ] as const,
    );
    return { name, money, testWallets: new Map(testWallets), isView: false, isOld: this.isOld };
  }

  private async viewer(of: Player): Promise<Player> {
    const [entry] = of.testWallets;
    const [key, testWallet] = entry ?? fail('no testWallet');
    const file = join(this.nodes.suite.folder(), 'view.wallet');
    const money = await MoneyWallet.begin(file, [this.nextPort()], (parts, settings) =>
      importView(parts, settings, {
        privateViewKey: testWallet.viewSecret.toString('hex'),
        address: encodeAddress({ spendPublic: testWallet.spendPublic, viewPublic: testWallet.viewPublic }),
        scanHeight: 0,
      }),
    );
    return {
      name: `view of ${of.name}`,
      money,
      testWallets: new Map([[key, testWallet]]),
      isView: true,
      isOld: this.isOld,
    };
  }
}

/** Max wait for an expected state, milliseconds. */
const PATIENCE = 300_000;
/** Refused sends per block. */
const MAX_REFUSALS = 50;
const LONG_ID = '0123456789abcdef'.repeat(4);
const SHORT_ID = '1122334455667788';

const sent = (send: SignedSend): { hash: string; bytes: Buffer } => ({
  hash: send.hash,
  bytes: send.bytes,
});

const hashesOf = (transactions: readonly { readonly hash: string }[]): string =>
  transactions
    .map(({ hash }) => hash)
    .sort()
    .join(' ');

const amountFor = (
  testWallet: TestWallet,
  found: readonly { readonly wallet: TestWallet; readonly amount: bigint }[],
): bigint => found.reduce((sum, one) => (one.wallet === testWallet ? sum + one.amount : sum), 0n);

/** The outputs of these transactions for a wallet, one line each. */
const comingOf = (pending: ReturnType<ChainSum['pendingOf']>, testWallet: TestWallet): string[] =>
  pending
    .flatMap(({ hash, found }) =>
      found.filter((one) => one.wallet === testWallet).map(({ amount }) => `${hash} ${String(amount)}`),
    )
    .sort();

function fail(message: string): never {
  throw new Error(message);
}

/** Balance and history, without the payment ids of own sends, which a scan cannot decrypt. */
const bookOf = ({ wallet: { snapshot } }: MoneyWallet): unknown => ({
  balance: snapshot.balance(),
  transactions: snapshot.content.transactions.map(({ hash, blockHeight, fee, transfers }) => ({
    ...{ hash, blockHeight, fee, transfers },
  })),
});
