import type { Metrics } from '@wrkz/service-kit';
import type { WalletApiConfig } from './config/config';
import type { FilePlaces } from './file-names';
import type { ServiceKeys } from './keys/service-keys';
import type { OpenWallet } from './open-wallet';
import type { Sends } from './once';
import type { PreparedOwners } from './prepared-owners';

/** What the routes work with. */
export interface WalletApiContext extends Pick<WalletApiConfig, 'network'> {
  readonly held: OpenWallet;
  readonly keys: ServiceKeys;
  readonly files: FilePlaces;
  readonly sends: Sends;
  readonly prepared: PreparedOwners;
  /** Undefined unless `--enable-metrics` is set. */
  readonly metrics: Metrics | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  isStopping(): boolean;
}
