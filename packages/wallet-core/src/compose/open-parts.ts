import { NodeList } from '@wrkz/client';
import { type Network, toHex } from '@wrkz/core-types';
import { walletError } from '../errors';
import * as newWallets from '../keys/wallet-keys';
import * as subWallets from '../keys/sub-wallets';
import type { AppliedBlock } from '../ledger/ledger';
import type { PowClient } from '../pow-client/pow-client';
import { Synchronizer, type SynchronizerOptions, type WalletSyncStatus } from '../sync';
import type { ChainFollower, WalletParts } from '../wallet/ports';
import { type ContainerSurroundings, containerStore } from '../wallet/storage';
import { serviceSpender } from './service-spender';
import type { ServiceShapes, ServiceWallet } from './shapes';
import { WalletClosed } from '../errors';

/** What a wallet service knows before any wallet is open. */
export interface WalletSurroundings {
  readonly network: Network;
  readonly sync?: Omit<SynchronizerOptions, 'genesisHash'>;
  readonly pow: Pick<PowClient, 'findNonce'>;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Told of what is wrong without being an error. */
  readonly warn: (text: string) => void;
}

/** An open wallet with the parts of it that a service looks at itself. */
export interface ServedWallet extends ContainerSurroundings {
  readonly wallet: ServiceWallet;
  /** Where the synchronization stands, in full. */
  readonly syncStatus: () => WalletSyncStatus;
}

/**
 * Puts a wallet together from containers, keys, synchronization and sending.
 *
 * @param begin one of the ways to a wallet, such as `(parts) => Wallet.open(parts, settings)`
 * @throws what the way throws
 */
export async function serveWallet(
  surroundings: WalletSurroundings,
  begin: (parts: WalletParts<NodeList, ServiceShapes>) => Promise<ServiceWallet>,
): Promise<ServedWallet> {
  const { network, sync, pow, warn, now = Date.now } = surroundings;
  const seconds = (): number => Math.floor(now() / 1000);
  let surrounded: ContainerSurroundings | undefined;
  let synchronizer: Synchronizer<AppliedBlock> | undefined;
  const wallet = await begin({
    containers: containerStore((found) => (surrounded = found), now),
    keys: { ...newWallets, ...subWallets },
    refusals: {
      inputsGone: walletError.preparedTransactionExpired,
      liteRescan: (liteStartHeight, scanHeight, lost) =>
        walletError.liteNodeCannotRescanThatLow({ liteStartHeight, scanHeight, lost }),
      closed: () => new WalletClosed(),
    },
    follow: (node, ledger) => {
      synchronizer = new Synchronizer(node, ledger, { ...sync, genesisHash: toHex(network.genesis.hash) });
      synchronizer.on('unreadable', ({ height }, error) => {
        warn(
          `block ${String(height)} could not be read and was passed: ${error instanceof Error ? error.message : ''}`,
        );
      });
      // The types of its events are the same; that of EventEmitter cannot be compared with a narrower one.
      return synchronizer as ChainFollower<NodeList>;
    },
    spender: (nodes) => serviceSpender(nodes, { network, pow, now: seconds }),
    release: (node) => node.close(),
    now: seconds,
  });
  if (surrounded === undefined || synchronizer === undefined)
    throw new Error('the wallet was opened without its parts');
  const follower = synchronizer;
  return { ...surrounded, wallet, syncStatus: () => follower.status };
}
