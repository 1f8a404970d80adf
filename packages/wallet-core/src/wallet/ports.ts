import type { AppliedBlock, Ledger } from '../ledger/ledger';
import type { ScanStart, SubWallet, WalletContent } from '../ledger/model';
import type { RecordedSend } from '../ledger/recorded-send';

/* What a wallet is composed of besides its ledger. Each port is what the wallet needs of a part, and no more. */

/** A container that this program holds. */
export interface OpenContainer {
  /** When it resolves, the content outlives a power cut; what fails leaves the file as it was. */
  save(content: WalletContent): Promise<void>;
  changePassword(password: string, content: WalletContent): Promise<void>;
  isPassword(password: string): boolean;
  /** Waits for the saves that were asked for, and lets go of the file. */
  close(): Promise<void>;
}

export interface OpenedContainer {
  readonly walletFile: OpenContainer;
  readonly content: WalletContent;
}

export type { ContainerConversion } from '../container/green/convert';

/** Where containers come from and go to. */
export interface ContainerStore {
  open(file: string, password: string): Promise<OpenedContainer>;
  /** @param content is asked for once the name has proved to be usable */
  create(
    file: string,
    password: string,
    content: () => WalletContent | Promise<WalletContent>,
  ): Promise<OpenedContainer>;
  exportPlain(file: string, content: WalletContent): Promise<void>;
}

type KeysOfContent = Pick<WalletContent, 'isViewWallet' | 'privateViewKey' | 'subWallets' | 'subWalletIndexCounter'>;

export interface AddedSubWallet {
  readonly subWallet: SubWallet;
  readonly subWalletIndexCounter: number;
}

/** Keys of wallets and sub-wallets. Each call throws the refusal of its fault. */
export interface KeyMaker {
  createdWallet(start: ScanStart): WalletContent;
  walletFromKeys(privateViewKey: string, privateSpendKey: string, start: ScanStart): WalletContent;
  walletFromSeed(words: string, start: ScanStart): WalletContent;
  walletFromViewKey(privateViewKey: string, address: string, start: ScanStart): WalletContent;
  nextSubWallet(ring: KeysOfContent, start: ScanStart, signal?: AbortSignal): Promise<AddedSubWallet>;
  deterministicSubWallet(
    ring: KeysOfContent,
    index: bigint,
    start: ScanStart,
    signal?: AbortSignal,
  ): Promise<AddedSubWallet>;
  importedSubWallet(ring: KeysOfContent, privateSpendKey: string, start: ScanStart): AddedSubWallet;
  viewSubWallet(ring: KeysOfContent, publicSpendKey: string, start: ScanStart): AddedSubWallet;
  subWalletOf(ring: KeysOfContent, address: string): SubWallet;
  removableSubWallet(ring: KeysOfContent, address: string): SubWallet;
}

/** Where the node stands; 0 until it first answered. */
export interface NodeStanding {
  readonly localHeight: number;
  readonly networkHeight: number;
  readonly liteStartHeight: number;
  readonly isAtTip: boolean;
}

/** What the synchronization tells, by name of the event. */
export interface ChainFollowerEvents {
  /** What a block did, and the block. */
  applied: [AppliedBlock, { readonly hash: string }?];
  progressed: [];
  rewound: [number];
  synced: [number];
  cancelled: [string];
  indexed: [];
  warning: [string];
}

/** Follows a node and brings its blocks into the ledger. */
export interface ChainFollower<Node> {
  readonly status: NodeStanding;
  start(): void;
  /** The ledger is not touched after it resolves. */
  stop(): Promise<void>;
  swap(node: Node): Promise<void>;
  refresh(): void;
  on<Name extends keyof ChainFollowerEvents>(
    name: Name,
    listener: (...args: ChainFollowerEvents[Name]) => void,
  ): unknown;
}

/** A finished transaction. */
export interface FinishedSend {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly fee: bigint;
  readonly mixin: number;
  readonly defaultMixin: number;
  readonly intent: RecordedSend;
}

/** What building a transaction looks at. */
export interface SpendingView {
  readonly localHeight: number;
  readonly networkHeight: number;
  readonly privateViewKey: string;
  readonly isViewWallet: boolean;
  readonly subWallets: readonly SubWallet[];
}

/** Where a send is written down before it leaves. */
export interface SendRecords {
  /** false when it stands there already. */
  record(send: FinishedSend): Promise<boolean>;
  /** It never left, or was refused. */
  cancel(hash: string): Promise<void>;
}

/** Shapes of requests and answers that the wallet hands through. */
export interface SpendShapes {
  readonly send: unknown;
  readonly estimate: unknown;
  readonly sweep: unknown;
  readonly swept: unknown;
  readonly sweepEstimate: unknown;
}

/** Builds, signs and relays. */
export interface Spender<Shapes extends SpendShapes> {
  build(request: Shapes['send'], view: SpendingView, signal: AbortSignal): Promise<FinishedSend>;
  estimate(request: Shapes['send'], view: SpendingView, signal: AbortSignal): Promise<Shapes['estimate']>;
  dispatch(send: FinishedSend, records: SendRecords): Promise<void>;
  sweep(
    request: Shapes['sweep'],
    view: () => SpendingView,
    dispatch: (send: FinishedSend) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Shapes['swept']>;
  estimateSweep(
    request: Shapes['sweep'],
    view: () => SpendingView,
    signal: AbortSignal,
  ): Promise<Shapes['sweepEstimate']>;
  readonly prepared: {
    add(send: FinishedSend): void;
    find(hash: string): FinishedSend | undefined;
    take(hash: string, view: SpendingView, now: number): FinishedSend;
    forget(hash: string): boolean;
    clear(): void;
  };
}

/** Refusals of the wallet itself. */
export interface WalletRefusals {
  /** 57: an input was spent, locked or reorganised away meanwhile. */
  inputsGone(): Error;
  /** 62: a rescan at a lite node would lose transactions. */
  liteRescan(liteStartHeight: number, scanHeight: number, lost: number): Error;
  closed(): Error;
}

/** All parts of a wallet. */
export interface WalletParts<Node, Shapes extends SpendShapes> {
  readonly containers: ContainerStore;
  readonly keys: KeyMaker;
  readonly refusals: WalletRefusals;
  follow(node: Node, ledger: Ledger): ChainFollower<Node>;
  /** @param node the one that serves now */
  spender(node: () => Node): Spender<Shapes>;
  /** Lets go of a node's connections. */
  release(node: Node): void;
  /** Unix seconds of the machine's clock. */
  now(): number;
}
