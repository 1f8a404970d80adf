import type { NodeList } from '@wrkz/client';
import { errorText, type Logger } from '@wrkz/service-kit';
import {
  PowClient,
  powServerSettings,
  type ServedWallet,
  serveWallet,
  Wallet,
  WalletError,
  walletErrorRows,
} from '@wrkz/wallet-core';
import { nodeList, openingNews } from '@wrkz/wallet-service';
import type { WalletRpcConfig } from './config/config';

export interface ServedContainer extends ServedWallet {
  readonly nodes: NodeList;
}

/** The nodes that the options name. @throws Error for an address that names none */
export function nodesOf({ node, network, options }: WalletRpcConfig): NodeList {
  return nodeList(node, { network, failover: options['daemon-failover'], token: options['daemon-token'] });
}

/**
 * Opens the container and follows the nodes.
 * @throws Error with a message for the operator
 */
export async function openContainer(
  config: WalletRpcConfig,
  logger: Logger,
  now: () => number,
): Promise<ServedContainer> {
  const { options, network, threads, containerFile: file } = config;
  const warn = (text: string): void => logger.warning(text);
  const pow = new PowClient(powServerSettings(options), {
    threads,
    onFallback: (reason) => warn(`the proof-of-work helper did not help: ${reason}`),
  });
  const sync = { skipCoinbases: options['skip-coinbase-transactions'], maxBlocks: options['sync-max-blocks'] };
  const nodes = nodesOf(config);
  try {
    const served = await serveWallet({ network, sync, pow, now, warn }, (parts) =>
      Wallet.open(parts, { file, password: options['container-password'], node: nodes }),
    );
    served.wallet.on('warning', warn);
    nodes.on('switched', ({ from, to, reason }) => warn(`the node ${to} serves now instead of ${from}: ${reason}`));
    openingNews(served).forEach(warn);
    return { ...served, nodes };
  } catch (error) {
    nodes.close();
    throw new Error(`The container ${file} could not be opened: ${openingText(error)}`, { cause: error });
  }
}

function openingText(error: unknown): string {
  const isInUse = error instanceof WalletError && error.code === walletErrorRows.walletFileInUse.code;
  return isInUse ? `${errorText(error)} Close it there first.` : errorText(error);
}
