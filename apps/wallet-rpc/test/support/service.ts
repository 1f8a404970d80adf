import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@wrkz/service-kit';
import { readWalletRpcConfig, WalletRpc, type WalletRpcOverrides } from '../../src';
import { generateContainer } from '../../src/one-shot';
import { QUICK_CLOCK } from './quick-clock';
import { PASSWORD, RpcClient } from './rpc-client';

export { PASSWORD, type Outcome } from './rpc-client';

/** A folder that is removed at the end. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'wrkz-wallet-rpc-'));

  file(name: string): string {
    return join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

const basics = (file: string, password: string): string[] => [
  ...['--container-file', file, '--container-password', password, '--network', 'devnet', '--log-file', ''],
];

/** Creates a container like `--generate-container`. */
export function generate(
  file: string,
  password: string,
  args: readonly string[] = [],
  signal?: AbortSignal,
): Promise<string> {
  return generateContainer(readWalletRpcConfig([...basics(file, password), '--generate-container', ...args]), signal);
}

/** A service on a free port. */
export class TestService extends RpcClient {
  private constructor(readonly rpc: WalletRpc) {
    super(() => rpc.port);
  }

  /** @param node the port of a node's RPC */
  static async start(
    {
      file,
      password = '',
      node,
      args = [],
    }: { file: string; password?: string; node: number; args?: readonly string[] },
    overrides: WalletRpcOverrides = {},
  ): Promise<TestService> {
    const security = args.includes('--rpc-legacy-security') ? [] : ['--rpc-password', PASSWORD];
    const rest = ['--daemon-port', String(node), '--threads', '1', ...security, ...args];
    const config = readWalletRpcConfig([...basics(file, password), ...rest]);
    const rpc = new WalletRpc(config, {
      ...{ logger: silentLogger(), port: 0, poolMs: 50, syncClock: QUICK_CLOCK },
      ...overrides,
    });
    await rpc.start();
    return new TestService(rpc);
  }

  stop(): Promise<void> {
    return this.rpc.stop();
  }

  /** Waits until the wallet is at the tip of the node, at least at this height, and ready to send. */
  async synced(height: number): Promise<void> {
    const { wallet } = this.rpc.context;
    const isReady = (): boolean =>
      wallet.syncStatus.walletHeight >= height &&
      wallet.syncStatus.isAtTip &&
      (wallet.snapshot.content.isViewWallet ||
        wallet.snapshot.subWallets.every(({ unspent }) =>
          unspent.every(({ globalIndex }) => globalIndex !== undefined),
        ));
    while (!isReady()) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          wallet.off('changed', done);
          resolve();
        };
        const timer = setTimeout(done, 20);
        wallet.once('changed', done);
      });
    }
  }
}
