import { EventEmitter } from 'node:events';
import type { Ledger } from '../../src/ledger/ledger';
import type { WalletContent } from '../../src/ledger/model';
import type {
  ChainFollower,
  ChainFollowerEvents,
  FinishedSend,
  KeyMaker,
  NodeStanding,
  Spender,
  SpendShapes,
  WalletParts,
} from '../../src/wallet/ports';
import { emptyContent, emptySubWallet } from '../ledger/support/contents';
import { hashOf, type ModelBlock, type ModelTransaction, noteOf, tell } from '../ledger/support/model-chain';

export const ALICE = hashOf('alice');

export interface TestShapes extends SpendShapes {
  readonly send: { readonly amount: bigint };
  readonly estimate: string;
  readonly sweep: string;
  readonly swept: readonly string[];
  readonly sweepEstimate: string;
}

/** A follower that a test plays the chain to. */
export class PlayedChain extends EventEmitter<ChainFollowerEvents> implements ChainFollower<string> {
  status: NodeStanding = { localHeight: 0, networkHeight: 0, liteStartHeight: 0, isAtTip: false };
  isRunning = false;

  constructor(
    readonly ledger: Ledger,
    private readonly log: string[],
    public node: string,
  ) {
    super();
  }

  start(): void {
    this.isRunning = true;
    this.log.push('start');
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    this.log.push('stop');
  }

  async swap(node: string): Promise<void> {
    this.node = node;
    this.log.push(`swap ${node}`);
  }

  refresh(): void {
    this.log.push('refresh');
  }

  play(...blocks: ModelBlock[]): void {
    if (!this.isRunning) throw new Error('the synchronization is stopped');
    for (const model of blocks) {
      const { block, found } = tell(model);
      this.emit('applied', this.ledger.apply(block, found, new Map()));
    }
    this.status = { ...this.status, networkHeight: this.ledger.position().height };
    this.emit('progressed');
  }
}

/** Parts of a wallet that write down what is asked of them. */
export class FakeParts implements WalletParts<string, TestShapes> {
  readonly log: string[] = [];
  readonly saved: WalletContent[] = [];
  chain: PlayedChain | undefined;
  /** What saving, following and relaying do; a test puts its own in. */
  onSave: () => Promise<void> = async () => undefined;
  onFollow: () => void = () => undefined;
  onRelay: (hash: string) => Promise<'accepted' | 'refused'> = async () => 'accepted';
  onBuild: () => Promise<void> = async () => undefined;
  private made = 0;

  constructor(private readonly content: WalletContent = emptyContent([emptySubWallet(ALICE, { isPrimary: true })])) {}

  readonly refusals = {
    inputsGone: () => new Error('57'),
    liteRescan: (lite: number, height: number, lost: number) => new Error(`62 ${lite} ${height} ${lost}`),
    closed: () => new Error('closed'),
  };

  readonly containers = {
    open: async (file: string) => this.opened(file, this.content),
    create: async (file: string, _password: string, content: () => WalletContent | Promise<WalletContent>) =>
      this.opened(file, await content()),
    exportPlain: async (file: string) => void this.log.push(`export ${file}`),
  };

  private opened(file: string, content: WalletContent) {
    this.log.push(`open ${file}`);
    return {
      content,
      walletFile: {
        save: async (latest: WalletContent) => {
          await this.onSave();
          this.saved.push(latest);
          this.log.push('save');
        },
        changePassword: async (password: string) => void this.log.push(`password ${password}`),
        isPassword: (password: string) => password === 'secret',
        close: async () => void this.log.push('close file'),
      },
    };
  }

  readonly keys: KeyMaker = {
    createdWallet: (start) => ofStart(start),
    walletFromKeys: (_view, _spend, start) => ofStart(start),
    walletFromSeed: (_words, start) => ofStart(start),
    walletFromViewKey: (_view, _address, start) => ({ ...ofStart(start), isViewWallet: true }),
    nextSubWallet: async (ring) => made(hashOf(`next ${ring.subWalletIndexCounter}`), ring.subWalletIndexCounter + 1),
    deterministicSubWallet: async (_ring, index) => made(hashOf(`index ${index}`), Number(index)),
    importedSubWallet: (_ring, key) => made(key, 0),
    viewSubWallet: (_ring, key) => made(key, 0),
    subWalletOf: (ring, address) => required(ring.subWallets.find((one) => one.address === address)),
    removableSubWallet: (ring, address) => required(ring.subWallets.find((one) => one.address === address)),
  };

  follow(node: string, ledger: Ledger): PlayedChain {
    this.onFollow();
    return (this.chain = new PlayedChain(ledger, this.log, node));
  }

  release(node: string): void {
    this.log.push(`release ${node}`);
  }

  now(): number {
    return 1_800_000_000;
  }

  spender(): Spender<TestShapes> {
    const prepared = new Map<string, FinishedSend>();
    const build: Spender<TestShapes>['build'] = async ({ amount }, { subWallets }, signal) => {
      // Input choice comes first, and blocks may come while the rest is done.
      const inputs = subWallets
        .flatMap(({ publicSpendKey: owner, unspent }) => unspent.map((output) => ({ owner, output })))
        .slice(0, 1);
      this.log.push('build');
      await this.onBuild();
      signal.throwIfAborted();
      if (inputs.length === 0) throw new Error('11');
      this.made += 1;
      const transaction: ModelTransaction = {
        hash: hashOf(`send ${this.made}`),
        isCoinbase: false,
        paymentId: '',
        takes: inputs.map(({ output: { key, amount: worth } }) => ({ key, amount: worth })),
        outputs: [
          { key: hashOf(`change ${this.made}`), amount: (inputs[0]?.output.amount ?? 0n) - amount, owner: ALICE },
        ],
      };
      const facts = { bytes: Buffer.alloc(0), fee: 0n, mixin: 7, defaultMixin: 7 };
      return { ...facts, hash: transaction.hash, intent: noteOf(transaction, inputs) };
    };
    return {
      build,
      estimate: async () => 'estimate',
      dispatch: async (send, records) => {
        const isFirst = await records.record(send);
        this.log.push('relay');
        if ((await this.onRelay(send.hash)) === 'accepted') return;
        if (isFirst) await records.cancel(send.hash);
        throw new Error('31');
      },
      sweep: async (_request, view, dispatch, signal) => {
        const hashes: string[] = [];
        while (view().subWallets.some(({ unspent }) => unspent.length > 0)) {
          const send = await build({ amount: 1n }, view(), signal);
          await dispatch(send);
          hashes.push(send.hash);
        }
        return hashes;
      },
      estimateSweep: async () => 'sweep estimate',
      prepared: {
        add: (send) => void prepared.set(send.hash, send),
        find: (hash) => prepared.get(hash),
        take: (hash) => required(prepared.get(hash)),
        forget: (hash) => prepared.delete(hash),
        clear: () => prepared.clear(),
      },
    };
  }
}

function ofStart({ height, timestamp }: { height: number; timestamp: number }): WalletContent {
  return emptyContent([emptySubWallet(ALICE, { isPrimary: true })], { startHeight: height, startTimestamp: timestamp });
}

const made = (publicSpendKey: string, walletIndex: number) => ({
  subWallet: emptySubWallet(publicSpendKey, { walletIndex }),
  subWalletIndexCounter: walletIndex,
});

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('not there');
  return value;
}
