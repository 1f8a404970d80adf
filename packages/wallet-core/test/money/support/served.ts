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

/** Milliseconds: waits up to this are cut short by a nudge; longer ones are precautions of the wallet. */
const SHORT = 10_000;
/** Ends only what hangs. */
const PATIENCE = 300_000;

/** The waits of a wallet, twenty times as fast, and shorter ones end as soon as a test knows that there is something to see. */
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

/** A whole wallet on a file, as the services open it, at a node of this machine. */
export class MoneyWallet {
  private constructor(
    readonly file: string,
    private opened: Wallet,
    private readonly clock: NudgedClock,
    readonly ports: readonly number[],
    readonly network: Network,
  ) {}

  /** @param network that of the nodes; a test may give the wallet stricter rules than theirs */
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

  /** Closed and opened again, as after a restart of the service. */
  async reopen(): Promise<void> {
    await this.wallet.close();
    this.opened = await serve(this, this.clock, (dependencies, options) => Wallet.open(dependencies, options));
  }

  close(): Promise<void> {
    return this.wallet.close();
  }

  /** Until something holds of it; looked at after each of its changes, and now and then for what changes without one. */
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

  /** Until it has read this block, and knows that the node has no other above it. */
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
