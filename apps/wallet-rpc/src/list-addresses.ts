import { serviceLogger, type WalletRpcConfig } from './config/config';
import { openContainer } from './open-container';

/** The lines of `--address`. @throws Error with a message for the operator */
export async function addressLines(config: WalletRpcConfig): Promise<string[]> {
  const { wallet } = await openContainer(config, { logger: serviceLogger(config), now: Date.now });
  const lines = wallet.snapshot.addresses.map((address) => `Address: ${address}`);
  await wallet.close();
  return lines;
}
