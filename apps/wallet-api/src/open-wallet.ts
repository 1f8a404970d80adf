import { EventEmitter } from 'node:events';
import type { NodeList, NodeSwitch } from '@wrkz/client';
import {
  type ServedWallet,
  serveWallet,
  type ServiceShapes,
  type ServiceWallet,
  type WalletParts,
  type WalletSettings,
  type WalletSurroundings,
  type WalletTransaction,
} from '@wrkz/wallet-core';
import { type NodeChoice, nodeList, type NodeListOptions } from '@wrkz/wallet-server';
import { forbidden } from './refusals';

/** A way to a wallet: open, create or import. */
export type WayToWallet = (
  parts: WalletParts<NodeList, ServiceShapes>,
  settings: WalletSettings<NodeList>,
) => Promise<ServiceWallet>;

/** The wallet that is open, and what the routes ask of it. */
export interface Open extends ServedWallet {
  /** Absolute. */
  readonly file: string;
  readonly node: NodeChoice;
  readonly nodes: NodeList;
  /** The last time that another node of the list took over, with unix seconds. */
  readonly nodeSwitch: (NodeSwitch & { readonly timestamp: number }) | undefined;
}

interface OpenWalletEvents {
  /** A block brought it. */
  transaction: [WalletTransaction, Open];
  opened: [Open];
  /** Saved and closed. */
  closed: [];
  warning: [string];
}

/**
 * Holds the one wallet. What opens, closes or changes its life is done one after the other; whoever reads takes `current`
 * and waits for nothing.
 */
export class OpenWallet extends EventEmitter<OpenWalletEvents> {
  #open: Open | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isEnding = false;
  /** The last switch within each list. */
  readonly #switches = new WeakMap<NodeList, NonNullable<Open['nodeSwitch']>>();
  /** Files that were read again from `--rescan-from`. */
  readonly #rescanned = new Set<string>();

  constructor(
    private readonly surroundings: WalletSurroundings,
    private readonly settings: NodeListOptions & { readonly rescanFrom?: number | undefined },
  ) {
    super();
  }

  /** Undefined while none is open. */
  get current(): Open | undefined {
    return this.#open;
  }

  /** @throws HttpError 403 while none is open */
  require(): Open {
    if (this.#open === undefined) throw forbidden();
    return this.#open;
  }

  /** @throws HttpError 403 when one is open already; WalletError */
  open(
    way: WayToWallet,
    { file, password, node, isNew }: { file: string; password: string; node: NodeChoice; isNew: boolean },
  ): Promise<void> {
    return this.#exclusively(async () => {
      if (this.#open !== undefined || this.#isEnding) throw forbidden();
      const nodes = nodeList(node, this.settings);
      // The first switch may come while the file is being read.
      this.#watch(nodes);
      try {
        const served = await serveWallet(this.surroundings, (parts) => way(parts, { file, password, node: nodes }));
        this.#hold({ ...served, file, node, nodes, nodeSwitch: this.#switches.get(nodes) });
      } catch (error) {
        nodes.close();
        throw error;
      }
      if (!isNew) await this.#rescan(file);
    });
  }

  /** Saves and closes. @throws HttpError 403 when none is open */
  close(): Promise<void> {
    return this.#exclusively(async () => {
      const { wallet } = this.require();
      this.#open = undefined;
      try {
        await wallet.close();
      } finally {
        this.emit('closed');
      }
    });
  }

  /** For the end of the program: no wallet is opened any more. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#exclusively(async () => {
      const open = this.#open;
      this.#open = undefined;
      await open?.wallet.close();
      if (open !== undefined) this.emit('closed');
    });
  }

  /** @throws HttpError 403; WalletError 30 for an address that names no node */
  setNode(node: NodeChoice): Promise<void> {
    return this.withWallet(async (open) => {
      const nodes = nodeList(node, this.settings);
      this.#watch(nodes);
      await open.wallet.setNode(nodes);
      this.#open = { ...open, node, nodes, nodeSwitch: this.#switches.get(nodes) };
    });
  }

  /** Runs what nothing else of the wallet's life may run beside. @throws HttpError 403 when none is open */
  withWallet<T>(task: (open: Open) => Promise<T>): Promise<T> {
    return this.#exclusively(() => task(this.require()));
  }

  /** Reads an opened wallet again from the height that the operator names, once while the program runs. */
  async #rescan(file: string): Promise<void> {
    const { rescanFrom } = this.settings;
    if (rescanFrom === undefined || this.#rescanned.has(file)) return;
    const { wallet } = this.require();
    try {
      await wallet.rescan(rescanFrom);
    } catch (error) {
      this.#open = undefined;
      await wallet.close().catch(() => undefined);
      throw error;
    }
    this.#rescanned.add(file);
  }

  #hold(open: Open): void {
    this.#open = open;
    open.wallet.on('warning', (text) => void this.emit('warning', text));
    open.wallet.on('transaction', (transaction) => {
      if (this.#open?.wallet === open.wallet) this.emit('transaction', transaction, this.#open);
    });
    this.emit('opened', open);
  }

  #watch(nodes: NodeList): void {
    nodes.on('switched', (change) => {
      const nodeSwitch = { ...change, timestamp: Math.floor((this.surroundings.now ?? Date.now)() / 1000) };
      this.#switches.set(nodes, nodeSwitch);
      if (this.#open?.nodes === nodes) this.#open = { ...this.#open, nodeSwitch };
      this.emit('warning', `the node ${change.to} serves now instead of ${change.from}: ${change.reason}`);
    });
  }

  #exclusively<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
