import type { NodeList, NodeTimeouts } from '@wrkz/client';
import { errorText, type Logger, rootCause, type WaitClock } from '@wrkz/service-kit';
import { isWalletError, PowClient, powServerSettings, Wallet } from '@wrkz/wallet-core';
import { nodeList, openingWarnings } from '@wrkz/wallet-server';
import type { WalletRpcConfig } from './config';

export interface ServedContainer {
  readonly wallet: Wallet;
  readonly nodes: NodeList;
}

export interface OpeningDependencies {
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly nodeTimeouts?: Partial<NodeTimeouts> | undefined;
  readonly syncClock?: WaitClock | undefined;
}

/**
 * Opens the container and follows the nodes.
 * @throws Error with a message for the operator
 */
export async function openContainer(
  config: WalletRpcConfig,
  { logger, now, nodeTimeouts, syncClock }: OpeningDependencies,
): Promise<ServedContainer> {
  const { options, network, threads, node, containerFile: file } = config;
  const warn = (text: string): void => logger.warning(text);
  const pow = new PowClient(powServerSettings(options), {
    threads,
    onFallback: (reason) => warn(`the proof-of-work server failed, using local threads: ${reason}`),
  });
  const sync = {
    skipCoinbases: options['skip-coinbase-transactions'],
    maxBlocks: options['sync-max-blocks'],
    clock: syncClock,
  };
  const nodes = nodeList(node, {
    network,
    failover: options['daemon-failover'],
    token: options['daemon-token'],
    timeouts: nodeTimeouts,
  });
  try {
    const wallet = await Wallet.open(
      { network, sync, pow, now, warn },
      { file, password: options['container-password'], nodes },
    );
    wallet.on('warning', warn);
    nodes.on('switched', ({ from, to, reason }) => warn(`node failover from ${from} to ${to}: ${reason}`));
    openingWarnings(wallet).forEach(warn);
    return { wallet, nodes };
  } catch (error) {
    nodes.close();
    throw new Error(`The container ${file} could not be opened: ${openingText(error)}`, { cause: error });
  }
}

/** The text of an error for the operator: the reason of the system, if known. */
export function openingText(error: unknown): string {
  if (isWalletError(error, 'walletFileInUse')) return `${errorText(error)} Close it there first.`;
  return errorText(isWalletError(error, 'invalidWalletFilename', 'wrongPassword') ? rootCause(error) : error);
}
