import { once } from 'node:events';
import { NodeList } from '@wrkz/client';
import { chainIdentity, type Network, networkOf } from '@wrkz/core-types';
import { CHAIN_A_HEIGHT } from '@wrkz/testing';
import type { Wallet, WalletDependencies, WalletOptions } from '../../../src';
import { RECORDED_AT } from '../../ledger/support/chain-a-wallets';
import { fresh } from '../../support/folder';
import { TestClock } from '../../sync/support/test-clock';

const PASSWORD = 'a password';

type Way = (dependencies: WalletDependencies, options: WalletOptions) => Promise<Wallet>;

export interface WholeOptions {
  /** RPC ports of daemons on loopback. */
  readonly ports: readonly number[];
  readonly file?: string;
  readonly password?: string;
  readonly skipCoinbases?: boolean;
  readonly network?: Network;
  /** Unix seconds; default the time of the recording, which unlocks the outputs of chain A that are locked by time. */
  readonly now?: number;
}

/** A wallet with its file and a list of nodes, composed like in a service; waits take no time. */
export class WholeWallet {
  readonly warnings: string[] = [];

  private constructor(
    readonly wallet: Wallet,
    readonly file: string,
    readonly password: string,
    private readonly clock: TestClock,
  ) {
    wallet.on('warning', (text) => this.warnings.push(text));
  }

  static async begin(way: Way, options: WholeOptions): Promise<WholeWallet> {
    const { ports, file = fresh('some.wallet'), password = PASSWORD, skipCoinbases = false } = options;
    const { network = networkOf('devnet'), now = RECORDED_AT } = options;
    const clock = new TestClock();
    const addresses = ports.map((port) => ({ host: '127.0.0.1', port, ssl: false }));
    const nodes = clock.watching(new NodeList(addresses, { chain: chainIdentity('devnet') }));
    const wallet = await way(
      {
        network,
        sync: { clock, skipCoinbases },
        pow: { findNonce: () => Promise.reject(new Error('nothing is sent here')) },
        now: () => now * 1_000,
        warn: (text) => whole.warnings.push(text),
      },
      { file, password, nodes },
    );
    const whole = new WholeWallet(wallet, file, password, clock);
    return whole;
  }

  get status(): Wallet['syncStatus'] {
    return this.wallet.syncStatus;
  }

  /**
   * Waits until the wallet is at the tip and, unless it is a view wallet, has the global index of each output.
   * @param isRead whether it has scanned the chain itself: a file of the reference may lack indexes of spent outputs
   */
  async untilSynced(isRead = true): Promise<this> {
    await this.untilHeight(CHAIN_A_HEIGHT, isRead);
    return this;
  }

  /** Like `untilSynced`, at another tip. */
  async untilHeight(height: number, isRead = true): Promise<void> {
    await this.until(() => {
      const { progress, isViewWallet, subWallets } = this.wallet.snapshot.content;
      const outputs = subWallets.flatMap(({ unspent, spent }) => (isRead ? [...unspent, ...spent] : unspent));
      const isPlaced = isViewWallet || outputs.every(({ globalIndex }) => globalIndex !== undefined);
      return this.wallet.syncStatus.isAtTip && progress.height === height && isPlaced;
    });
  }

  /** Waits until a condition holds, which is checked after each `changed` event. The clock runs during the wait. */
  async until(holds: () => boolean): Promise<void> {
    this.clock.go();
    try {
      while (!holds()) await once(this.wallet, 'changed');
    } finally {
      this.clock.stop();
    }
  }

  close(): Promise<void> {
    return this.wallet.close();
  }
}
