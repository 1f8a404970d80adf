import { EventEmitter } from 'node:events';
import type { NodeList, NodeSwitch } from '@wrkz/client';
import { Mutex } from '@wrkz/service-kit';
import type { StoredEvent, Wallet, WalletDependencies, WalletOptions, WalletTransaction } from '@wrkz/wallet-core';
import { type NodeChoice, nodeList, type WalletNodeOptions } from '@wrkz/wallet-server';
import { forbidden } from './errors';

/** Opens, creates or imports a wallet. */
export type WalletFactory = (dependencies: WalletDependencies, options: WalletOptions) => Promise<Wallet>;

/** The open wallet with its file and nodes. */
export interface OpenWallet {
  readonly wallet: Wallet;
  /** Absolute path. */
  readonly file: string;
  readonly node: NodeChoice;
  readonly nodes: NodeList;
  /** The last failover. The timestamp is in Unix seconds. */
  readonly nodeSwitch: (NodeSwitch & { readonly timestamp: number }) | undefined;
}

interface WalletManagerEvents {
  /** A transaction was found in a block. */
  transaction: [WalletTransaction, OpenWallet];
  /** An event about money or a send was stored in the wallet database. */
  moneyEvent: [StoredEvent];
  /** A send used a smaller ring than requested. Both numbers are decoys per input. */
  ringFallback: [{ readonly requested: number; readonly used: number }];
  opened: [OpenWallet];
  /** The wallet was saved and closed. */
  closed: [];
  warning: [string];
}

/**
 * Opens and closes the single wallet of the service. A mutex serializes open, close, node changes and `withWallet`; readers
 * use `current` and never wait.
 */
export class WalletManager extends EventEmitter<WalletManagerEvents> {
  private openWallet: OpenWallet | undefined;
  private isShutDown = false;
  private readonly mutex = new Mutex();
  /** The last failover within each node list. */
  private readonly switches = new WeakMap<NodeList, NonNullable<OpenWallet['nodeSwitch']>>();
  /** Files that were already rescanned because of `--rescan-from`. */
  private readonly rescanned = new Set<string>();

  constructor(
    private readonly dependencies: WalletDependencies,
    private readonly options: WalletNodeOptions & { readonly rescanFrom?: number | undefined },
  ) {
    super();
  }

  /** Undefined while no wallet is open. */
  get current(): OpenWallet | undefined {
    return this.openWallet;
  }

  /** @throws HttpError 403 while no wallet is open */
  require(): OpenWallet {
    if (this.openWallet === undefined) throw forbidden();
    return this.openWallet;
  }

  /** @throws HttpError 403 when a wallet is already open; WalletError */
  open(
    factory: WalletFactory,
    { file, password, node, isNew }: { file: string; password: string; node: NodeChoice; isNew: boolean },
  ): Promise<void> {
    return this.mutex.run(async () => {
      if (this.openWallet !== undefined || this.isShutDown) throw forbidden();
      const nodes = nodeList(node, this.options);
      // A failover may happen while the file is being read.
      this.watchFailover(nodes);
      try {
        const wallet = await factory(this.dependencies, { file, password, nodes });
        this.publish({ wallet, file, node, nodes, nodeSwitch: this.switches.get(nodes) });
      } catch (error) {
        nodes.close();
        throw error;
      }
      if (!isNew) await this.rescan(file);
    });
  }

  /** Saves and closes. @throws HttpError 403 when no wallet is open */
  close(): Promise<void> {
    this.beginClose();
    return this.mutex.run(() => this.closeWallet(this.require()));
  }

  /** Closes the wallet at program exit. Later calls of `open` are rejected. */
  async shutDown(): Promise<void> {
    this.isShutDown = true;
    this.beginClose();
    await this.mutex.run(async () => {
      if (this.openWallet !== undefined) await this.closeWallet(this.openWallet);
    });
  }

  /** @throws HttpError 403; WalletError daemonOffline for an invalid address */
  setNode(node: NodeChoice): Promise<void> {
    return this.withWallet(async (open) => {
      const nodes = nodeList(node, this.options);
      this.watchFailover(nodes);
      await open.wallet.setNodes(nodes);
      this.openWallet = { ...open, node, nodes, nodeSwitch: this.switches.get(nodes) };
    });
  }

  /** Runs a task under the mutex. @throws HttpError 403 when no wallet is open */
  withWallet<T>(task: (open: OpenWallet) => Promise<T>): Promise<T> {
    return this.mutex.run(() => task(this.require()));
  }

  /** Before the mutex: its holder may wait for a send, which the close aborts. `closeWallet` reports errors. */
  private beginClose(): void {
    this.openWallet?.wallet.close().catch(() => undefined);
  }

  private async closeWallet({ wallet }: OpenWallet): Promise<void> {
    this.openWallet = undefined;
    try {
      await wallet.close();
    } finally {
      this.emit('closed');
    }
  }

  /** Applies `--rescan-from` to an opened wallet, once per file and process. */
  private async rescan(file: string): Promise<void> {
    const { rescanFrom } = this.options;
    if (rescanFrom === undefined || this.rescanned.has(file)) return;
    const { wallet } = this.require();
    try {
      await wallet.rescan(rescanFrom);
    } catch (error) {
      this.openWallet = undefined;
      await wallet.close().catch(() => undefined);
      throw error;
    }
    this.rescanned.add(file);
  }

  private publish(open: OpenWallet): void {
    this.openWallet = open;
    open.wallet.on('warning', (text) => void this.emit('warning', text));
    open.wallet.on('event', (event) => void this.emit('moneyEvent', event));
    open.wallet.on('ringFallback', (fallback) => void this.emit('ringFallback', fallback));
    open.wallet.on('transaction', (transaction) => {
      if (this.openWallet?.wallet === open.wallet) this.emit('transaction', transaction, this.openWallet);
    });
    this.emit('opened', open);
  }

  private watchFailover(nodes: NodeList): void {
    nodes.on('switched', (change) => {
      const nodeSwitch = { ...change, timestamp: Math.floor((this.dependencies.now ?? Date.now)() / 1000) };
      this.switches.set(nodes, nodeSwitch);
      if (this.openWallet?.nodes === nodes) this.openWallet = { ...this.openWallet, nodeSwitch };
      this.emit('warning', `node failover from ${change.from} to ${change.to}: ${change.reason}`);
    });
  }
}
