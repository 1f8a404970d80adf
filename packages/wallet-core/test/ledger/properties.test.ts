import fc from 'fast-check';
import { Ledger } from '../../src/ledger/ledger';
import { RETIREMENT_BLOCKS } from '../../src/ledger/apply-block';
import type { LedgerChange, PendingSend, RetiredOutput, WalletContent, WalletOutput } from '../../src/ledger/model';
import { emptyContent, emptySubWallet } from './support/contents';
import {
  hashOf,
  heldBy,
  type ModelBlock,
  type ModelTransaction,
  pendingOf,
  scannedBlock,
  expectedState,
} from './support/model-chain';

/* Random chains, reorganisations, sends and cancels: the ledger equals a recomputation from the whole chain. */

const OWNERS = ['a', 'b', 'c'].map(hashOf);

type Step =
  | {
      kind: 'block';
      pays: { owner: number; amount: number; copies: boolean }[];
      mines: number;
      foreign: number | undefined;
      /** Difference to the height of the previous block. */
      gap: number;
    }
  | { kind: 'send'; inputs: number; change: number; foreign: boolean }
  | { kind: 'cancel'; which: number }
  | { kind: 'fork'; depth: number }
  | { kind: 'again'; depth: number }
  | { kind: 'reload' }
  | { kind: 'save' }
  | { kind: 'rescan'; blocks: number }
  | { kind: 'tip' };

/** @param gap heights between two blocks */
const stepWith = (gap: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('block' as const),
        pays: fc.array(
          fc.record({ owner: fc.nat(OWNERS.length), amount: fc.integer({ min: 1, max: 50 }), copies: fc.boolean() }),
          { maxLength: 3 },
        ),
        mines: fc.nat(7),
        foreign: fc.option(fc.nat(20), { nil: undefined }),
        gap,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('send' as const),
        inputs: fc.integer({ min: 1, max: 3 }),
        change: fc.nat(3),
        foreign: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('fork' as const), depth: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), depth: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reload' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('save' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rescan' as const), blocks: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('tip' as const) }) },
  );

/** The chain, the pending sends, and the ledger under test. */
class World {
  chain: ModelBlock[] = [];
  pending: ModelTransaction[] = [];
  ledger: Ledger;
  /** Stored data of a wallet: a content, later changes, and retired outputs. */
  private saved = emptyContent(OWNERS.map((owner) => emptySubWallet(owner)));
  private log: LedgerChange[] = [];
  private readonly retired = new Map<string, RetiredOutput>();
  private readonly sent = new Map<string, PendingSend>();
  private made = 0;

  constructor() {
    this.ledger = this.open(this.saved);
  }

  private open(content: WalletContent): Ledger {
    return new Ledger(content, (height) =>
      [...this.retired.values()].filter(({ output }) => output.spendHeight >= height),
    );
  }

  private name(what: string): string {
    this.made += 1;
    return hashOf(`${what} ${this.made}`);
  }

  get height(): number {
    return this.chain.at(-1)?.height ?? 0;
  }

  private unspent(): { owner: string; output: WalletOutput }[] {
    return this.ledger.content().subWallets.flatMap(({ publicSpendKey: owner, unspent, unconfirmedIncoming }) => {
      // A smaller copy of expected change is not spent.
      const expected = new Set(unconfirmedIncoming.map(({ key }) => key));
      return unspent.flatMap((output) => (expected.has(output.key) ? [] : [{ owner, output }]));
    });
  }

  get retiredCount(): number {
    return this.retired.size;
  }

  run(next: Step): void {
    this.step(next);
    const { changes, retired } = this.ledger.takeChanges();
    this.log.push(...changes);
    for (const one of retired) this.retired.set(one.output.key, one);
  }

  private step(next: Step): void {
    switch (next.kind) {
      case 'block':
        return this.block(next);
      case 'send':
        return this.send(next);
      case 'cancel': {
        const [cancelled] = this.pending.splice(next.which, 1);
        if (cancelled !== undefined) this.ledger.cancelSend(cancelled.hash);
        return this.restoreSends();
      }
      case 'fork':
        return this.fork(next.depth);
      case 'again':
        return this.again(next.depth);
      case 'reload':
        return this.reload();
      case 'save':
        return this.save();
      case 'rescan':
        return this.rescan(next.blocks);
      case 'tip':
        return this.ledger.markTip(this.height, this.chain.at(-1)?.hash ?? hashOf('genesis'));
    }
  }

  private block({ pays, mines, foreign, gap }: Extract<Step, { kind: 'block' }>): void {
    const mined = this.chain.flatMap(({ transactions }) => transactions.filter(({ takes }) => takes.length === 0));
    const change = this.pending.flatMap((send) => send.outputs);
    const seen = [...mined.flatMap((one) => one.outputs), ...change];
    const outputs = pays.map(({ owner, amount, copies }, i) => {
      // Copies of change of another program are smaller: after a larger one, the change is not expected again.
      const foreign = this.pending.filter(({ hash }) => !this.sent.has(hash)).flatMap((send) => send.outputs);
      const larger = new Set(foreign.filter((one) => one.amount <= BigInt(amount)).map(({ key }) => key));
      const known = seen.filter(({ key }) => !larger.has(key));
      const copied = copies ? known[amount % Math.max(1, known.length)] : undefined;
      // A second output with a known key and another amount, to the same owner.
      return {
        key: copied?.key ?? this.name(`output ${i}`),
        amount: BigInt(amount),
        owner: copied === undefined ? OWNERS[owner] : copied.owner,
      };
    });
    const transactions: ModelTransaction[] = [
      { hash: this.name('coinbase'), isCoinbase: true, paymentId: '', takes: [], outputs },
      // Pending sends have no order; one that spends an output of another comes later in the chain.
      ...this.minable().slice(0, mines),
    ];
    const taken = foreign === undefined ? undefined : this.unspent()[foreign];
    if (taken !== undefined) {
      const { key, amount } = taken.output;
      const change = { key: this.name('change'), amount: amount / 2n, owner: taken.owner };
      transactions.push({
        hash: this.name('sent by another program'),
        isCoinbase: false,
        paymentId: '',
        takes: [{ key, amount }],
        outputs: [change],
      });
    }
    this.apply({ height: this.height + gap, hash: this.name('block'), transactions });
  }

  private minable(): ModelTransaction[] {
    const there = new Set(this.ledger.content().subWallets.flatMap(({ locked }) => locked.map(({ key }) => key)));
    return this.pending.filter(({ takes }) => takes.every(({ key }) => there.has(key)));
  }

  private apply(block: ModelBlock): void {
    const { block: reported, found } = scannedBlock(block);
    const mined = new Set(block.transactions.map(({ hash }) => hash));
    this.chain.push(block);
    this.pending = this.pending.filter(({ hash }) => !mined.has(hash));
    this.ledger.apply(reported, found, new Map());
  }

  private send({ inputs, change, foreign }: Extract<Step, { kind: 'send' }>): void {
    const chosen = this.unspent().slice(0, inputs);
    if (chosen.length === 0) return;
    const total = chosen.reduce((sum, { output }) => sum + output.amount, 0n);
    const transaction: ModelTransaction = {
      hash: this.name('send'),
      isCoinbase: false,
      paymentId: 'f'.repeat(16),
      takes: chosen.map(({ output: { key, amount } }) => ({ key, amount })),
      outputs: [
        ...(foreign ? [{ key: this.name('paid'), amount: total / 3n, owner: undefined }] : []),
        { key: this.name('change'), amount: total / 3n, owner: OWNERS[change] },
      ],
    };
    const send = pendingOf(transaction, chosen);
    this.ledger.recordSend(send);
    this.sent.set(transaction.hash, send);
    this.pending.push(transaction);
  }

  /** A reorganisation whose branch begins with an empty block. */
  private fork(depth: number): void {
    const height = Math.max(1, this.height - depth + 1);
    this.takeBack(height);
    this.rewind(height);
    this.apply({ height, hash: this.name('block'), transactions: [] });
  }

  /** Applying the same blocks twice changes nothing. */
  private again(depth: number): void {
    const before = this.ledger.content();
    const again = this.chain.slice(-depth);
    if (again[0] !== undefined) this.rewind(again[0].height);
    for (const block of again) this.ledger.apply(scannedBlock(block).block, scannedBlock(block).found, new Map());
    expect(settled(this.ledger.content())).toEqual(settled(before));
  }

  private takeBack(height: number): void {
    const own = new Set<string>();
    const spent = new Set<string>();
    for (const block of this.chain) {
      for (const transaction of block.transactions) {
        for (const { key, owner } of transaction.outputs) if (owner !== undefined) own.add(key);
      }
      for (const transaction of block.transactions) {
        const takes = transaction.takes.filter(({ key }) => own.has(key) && !spent.has(key));
        for (const { key } of takes) spent.add(key);
        if (block.height >= height && takes.length > 0) this.pending.push(transaction);
      }
    }
    this.chain = this.chain.filter((block) => block.height < height);
  }

  /** Rescans the last blocks, as an import of an old address does. */
  private rescan(blocks: number): void {
    const again = this.chain.slice(-blocks);
    if (blocks === 0 || again[0] === undefined) return;
    this.rewind(again[0].height);
    for (const block of again) this.ledger.apply(scannedBlock(block).block, scannedBlock(block).found, new Map());
  }

  /** Awaited spends are in memory only, so a restart is exact only while there are none. */
  private save(): void {
    if (this.minable().length < this.pending.length) return;
    this.saved = this.ledger.content();
    this.log = [];
  }

  /** A restart: the saved content and the changes since. */
  private reload(): void {
    this.ledger = this.open(this.saved);
    for (const change of this.log) this.ledger.replay(change);
    this.restoreSends();
  }

  private rewind(height: number): void {
    this.ledger.rewind(height);
    this.restoreSends();
  }

  /** Like the wallet after a rewind, a restart or the end of a send. */
  private restoreSends(): void {
    this.ledger.restoreSends([...this.sent.values()].filter(({ hash }) => this.ledger.hasSend(hash)));
  }
}

/** Without spent outputs, which are retired. */
const unspentOf = (books: unknown): unknown => {
  const { outputs, ...rest } = books as { outputs: readonly string[] };
  return { ...rest, outputs: outputs.filter((line) => !line.includes(' spent at ')) };
};

/** Without the order in which lists of sends and change were filled. */
const settled = (content: WalletContent): unknown => ({
  held: unspentOf(heldBy(content)),
  // Older hashes may be missing: a file does not name their heights, so a rewind drops those that may be above the fork.
  progress: [content.progress.height, content.progress.recentHashes[0]],
  transactions: content.transactions,
  keys: content.transactionKeys,
});

test('the ledger equals a recomputation from the chain and the pending sends', () => {
  fc.assert(
    fc.property(fc.array(stepWith(fc.constant(1)), { minLength: 1, maxLength: 60 }), (all) => {
      const world = new World();
      for (const next of all) {
        world.run(next);
        expect(heldBy(world.ledger.content())).toEqual(expectedState(world.chain, world.pending));
        expectMoved(world);
      }
    }),
    { numRuns: 300 },
  );
});

test('history and balance equal one scan from scratch after any retirement, restart, rewind and rescan', () => {
  const gap = fc.oneof(fc.constant(1), fc.integer({ min: RETIREMENT_BLOCKS / 2, max: 2 * RETIREMENT_BLOCKS }));
  let retired = 0;
  fc.assert(
    fc.property(fc.array(stepWith(gap), { minLength: 20, maxLength: 60, size: 'max' }), (all) => {
      const world = new World();
      for (const next of all) {
        world.run(next);
        expect(unspentOf(heldBy(world.ledger.content()))).toEqual(unspentOf(expectedState(world.chain, world.pending)));
        expectMoved(world);
      }
      retired += world.retiredCount;
    }),
    { numRuns: 150 },
  );
  expect(retired).toBeGreaterThan(100);
});

/** The transfers of the history add up to the balance. */
function expectMoved({ ledger }: World): void {
  const { subWallets, transactions } = ledger.content();
  const held = subWallets
    .flatMap(({ unspent, locked }) => [...unspent, ...locked])
    .reduce((sum, { amount }) => sum + amount, 0n);
  const moved = transactions.flatMap(({ transfers }) => transfers).reduce((sum, { amount }) => sum + amount, 0n);
  expect(moved).toBe(held);
}
