import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { nodeCommand, Program } from '../../packages/testing/src';

export interface WalletRpcOptions {
  /** The built tree. */
  readonly tree: string;
  /** Path of the new container. */
  readonly file: string;
  readonly viewKey: string;
  readonly spendKey: string;
  /** RPC port of a devnet node on this machine. */
  readonly nodePort: number;
  readonly port: number;
  readonly password: string;
}

/**
 * Creates a container from keys with wallet-rpc of a built tree and serves it in a separate process.
 * @returns stops the process
 * @throws Error with the output of the program
 */
export async function startWalletRpc(options: WalletRpcOptions): Promise<() => Promise<void>> {
  const { tree, file, viewKey, spendKey, nodePort, port, password } = options;
  const main = join(tree, 'apps/wallet-rpc/dist/main.js');
  const basics = [
    ...[main, '--container-file', file, '--container-password', 'bench'],
    ...['--network', 'devnet', '--log-file', ''],
  ];
  const made = spawnSync(process.execPath, [...basics, '-g', '--view-key', viewKey, '--spend-key', spendKey]);
  if (made.status !== 0) throw new Error(`no container: ${String(made.stdout)}${String(made.stderr)}`);
  const ports = ['--daemon-port', String(nodePort), '--bind-port', String(port)];
  const args = [...basics, ...ports, '--rpc-password', password];
  const program = new Program('the wallet', () => nodeCommand(args), { ready: /listens on/ });
  await program.start();
  return () => program.stop('SIGTERM');
}
