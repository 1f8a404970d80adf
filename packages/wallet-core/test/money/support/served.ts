import { NodeList } from '@wrkz/client';
import { chainIdentity, type Network, networkOf } from '@wrkz/core-types';
import { MACHINE_CLOCK, type WaitClock } from '@wrkz/service-kit/base';
import {
  DEFAULT_POW_SERVER,
  PowClient,
  type SubWallet,
  Wallet,
  type WalletDependencies,
  type WalletOptions,
} from '../../../src';

export const devnet = networkOf('devnet');
const PASSWORD = 'money';

/** Milliseconds: `nudge` ends waits up to this length; longer ones are precautions of the wallet. */
const SHORT = 10_000;
/** Milliseconds. Long, so that only a hanging test reaches it. */
const PATIENCE = 300_000;

/** The clock of a wallet, twenty times as fast. `nudge` ends short waits when the node has news. */
class NudgedClock implements WaitClock {
  private readonly waiting = new Set<AbortController>();

  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds > SHORT) return MACHINE_CLOCK.wait(milliseconds / 20, signal);
    const nudged = new AbortController();
    this.waiting.add(nudged);
    await MACHINE_CLOCK.wait(milliseconds / 20, AbortSignal.any([signal, nudged.signal]));
    this.waiting.delete(nudged);
  }

  nudge(): void {
    for (const one of this.waiting) one.abort();
  }
}

type Way = (dependencies: WalletDependencies, options: WalletOptions) => Promise<Wallet>;

/** A whole wallet with a file, opened like by the services, at local nodes. */
export class MoneyWallet {
  private constructor(
    readonly file: string,
    private opened: Wallet,
    private readonly clock: NudgedClock,
    readonly ports: readonly number[],
    readonly network: Network,
  ) {}

  /** @param network default that of the nodes; a test may give the wallet stricter rules */
  static async begin(file: string, ports: readonly number[], way: Way, network = devnet): Promise<MoneyWallet> {
    const clock = new NudgedClock();
    return new MoneyWallet(file, await serve({ file, ports, network }, clock, way), clock, ports, network);
  }

  get wallet(): Wallet {
    return this.opened;
  }

  get primary(): SubWallet {
    return this.wallet.snapshot.primary as SubWallet;
  }

  /** Closes and opens the wallet, like a restart of the service. */
  async reopen(): Promise<void> {
    await this.wallet.close();
    this.opened = await serve(this, this.clock, (dependencies, options) => Wallet.open(dependencies, options));
  }

  close(): Promise<void> {
    return this.wallet.close();
  }

  /** Waits until a condition holds. It is checked after each `changed` event, and every 20 ms for changes without one. */
  async until(holds: () => boolean, complaint: () => string): Promise<void> {
    const end = performance.now() + PATIENCE;
    while (!holds()) {
      if (performance.now() > end) throw new Error(`waited too long: ${complaint()}`);
      const over = new AbortController();
      const changed = new Promise<void>((resolve) => {
        this.wallet.once('changed', resolve);
        over.signal.addEventListener('abort', () => this.wallet.off('changed', resolve), { once: true });
      });
      await Promise.race([changed, MACHINE_CLOCK.wait(20, over.signal)]);
      over.abort();
    }
  }

  /** Waits until the wallet has scanned this block and it is the tip of the node. */
  untilAt(height: number, hash: string): Promise<void> {
    const at = (): boolean => {
      const { networkHeight, localHeight } = this.wallet.syncStatus;
      const { progress } = this.wallet.snapshot.content;
      return networkHeight === height && localHeight === height && progress.recentHashes[0] === hash;
    };
    const where = (): string => {
      const { progress } = this.wallet.snapshot.content;
      const { stall } = this.wallet.syncStatus;
      return `${this.file} at ${String(progress.height)} of ${String(height)}: ${JSON.stringify(stall)}`;
    };
    this.clock.nudge();
    return this.until(at, where);
  }
}

function serve(
  { file, ports, network }: Pick<MoneyWallet, 'file' | 'ports' | 'network'>,
  clock: WaitClock,
  way: Way,
): Promise<Wallet> {
  const nodes = new NodeList(
    ports.map((port) => ({ host: '127.0.0.1', port, ssl: false })),
    { chain: chainIdentity('devnet') },
  );
  return way(
    { network, pow: new PowClient(DEFAULT_POW_SERVER), sync: { clock }, warn: () => undefined },
    { file, password: PASSWORD, nodes },
  );
}
