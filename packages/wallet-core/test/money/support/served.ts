import { NodeList } from '@wrkz/client';
import { networkOf, toHex } from '@wrkz/core-types';
import {
  DEFAULT_POW_SERVER,
  PowClient,
  serveWallet,
  type ServedWallet,
  type ServiceShapes,
  type SubWallet,
  type SyncClock,
  MACHINE_CLOCK,
  Wallet,
  type WalletParts,
  type WalletSettings,
} from '../../../src';
import type { ServiceWallet } from '../../../src';

export const devnet = networkOf('devnet');
export const PASSWORD = 'money';

/** The waits of a wallet, fifty times as fast: a block is seen within a tenth of a second, a lost send within two. */
export const HASTY: SyncClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => MACHINE_CLOCK.wait(Math.max(20, milliseconds / 50), signal),
};

type Way = (parts: WalletParts<NodeList, ServiceShapes>, settings: WalletSettings<NodeList>) => Promise<ServiceWallet>;

/** A whole wallet on a file, as the services open it, at a node of this machine. */
export class MoneyWallet {
  private constructor(
    readonly file: string,
    private served: ServedWallet,
    private readonly ports: readonly number[],
  ) {}

  static async begin(file: string, ports: readonly number[], way: Way): Promise<MoneyWallet> {
    return new MoneyWallet(file, await serve(file, ports, way), ports);
  }

  get wallet(): ServiceWallet {
    return this.served.wallet;
  }

  get primary(): SubWallet {
    return this.wallet.snapshot.primary as SubWallet;
  }

  /** Closed and opened again, as after a restart of the service. */
  async reopen(): Promise<void> {
    await this.wallet.close();
    this.served = await serve(this.file, this.ports, (parts, settings) => Wallet.open(parts, settings));
  }

  get status(): unknown {
    const { difficulty, ...rest } = this.served.syncStatus();
    return { ...rest, difficulty: String(difficulty) };
  }

  close(): Promise<void> {
    return this.wallet.close();
  }

  /** Until something holds of it; looked at after each of its changes, and now and then for what changes without one. */
  async until(holds: () => boolean, complaint: () => string, patience = 60_000): Promise<void> {
    const end = performance.now() + patience;
    while (!holds()) {
      if (performance.now() > end) throw new Error(`waited too long: ${complaint()}`);
      const over = new AbortController();
      const changed = new Promise<void>((resolve) => {
        this.wallet.once('changed', resolve);
        over.signal.addEventListener('abort', () => this.wallet.off('changed', resolve), { once: true });
      });
      await Promise.race([changed, HASTY.wait(1_000, over.signal)]);
      over.abort();
    }
  }

  /** Until it has read this block, and knows that the node has no other above it. */
  untilAt(height: number, hash: string): Promise<void> {
    const at = (): boolean => {
      const { networkHeight, localHeight } = this.wallet.status;
      const { progress } = this.wallet.snapshot.content;
      return networkHeight === height && localHeight === height && progress.recentHashes[0] === hash;
    };
    const where = (): string => {
      const { progress } = this.wallet.snapshot.content;
      const { stall } = this.served.syncStatus();
      return `${this.file} at ${String(progress.height)} of ${String(height)}: ${JSON.stringify(stall)}`;
    };
    return this.until(at, where);
  }
}

function serve(file: string, ports: readonly number[], way: Way): Promise<ServedWallet> {
  const genesisHash = toHex(devnet.genesis.hash);
  const node = new NodeList(
    ports.map((port) => ({ host: '127.0.0.1', port, ssl: false })),
    { genesisHash },
  );
  return serveWallet(
    { network: devnet, pow: new PowClient(DEFAULT_POW_SERVER), sync: { clock: HASTY }, warn: () => undefined },
    (parts) => way(parts, { file, password: PASSWORD, node }),
  );
}
