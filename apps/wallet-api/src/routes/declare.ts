import { walletApi } from '@wrkz/api';
import type { Network } from '@wrkz/core-types';
import {
  type ErrorRow,
  type Guards,
  type Metrics,
  type Route,
  routeDeclarer,
  type ServiceDescription,
  VERSION,
} from '@wrkz/service-kit';
import type { AuditAction, AuditLog } from '../audit-log';
import type { FilePolicy } from '../file-paths';
import type { Authenticator, KeyScope } from '../keys';
import type { SendExecutor } from '../send-executor';
import type { WalletManager } from '../wallet-manager';

/** The dependencies of the route handlers. */
export interface WalletApiContext {
  readonly network: Network;
  readonly wallets: WalletManager;
  readonly authenticator: Authenticator;
  readonly files: FilePolicy;
  readonly sends: SendExecutor;
  /** Set with `--audit-log`. */
  readonly audit: AuditLog | undefined;
  /** Undefined without `--enable-metrics`. */
  readonly metrics: Metrics | undefined;
  isStopping(): boolean;
}

/** Preconditions of a route, checked before the request is parsed. */
export interface WalletLabels {
  readonly wallet: 'open' | 'closed' | 'any';
  /** Whether the route works with a view wallet, which has no private spend keys. */
  readonly viewWallet: boolean;
  /** Min scope of the API key. */
  readonly scope: KeyScope;
  /** Name of the route in the audit log; undefined if it is not logged. */
  readonly audit?: AuditAction | undefined;
}

export type WalletRoute = Route<WalletApiContext, WalletLabels>;

export const declareWalletRoute = routeDeclarer<WalletApiContext, WalletLabels>();

/** Requires the API key. Wrong keys are limited, the number of requests is not. */
export const KEY_REQUIRED: Guards = { key: true, limit: false };

export const NO_GUARDS: Guards = { key: false, limit: false };

/** Guards and preconditions of a route. Default: the wallet is open and may be a view wallet. */
export function access(
  scope: KeyScope,
  { wallet = 'open', viewWallet = true, audit }: Partial<WalletLabels> = {},
): { readonly guards: Guards; readonly labels: WalletLabels } {
  return { guards: KEY_REQUIRED, labels: { wallet, viewWallet, scope, ...(audit === undefined ? {} : { audit }) } };
}

const withoutBody = (status: number, when: string): ErrorRow => ({ status, text: '', when });

export const NOT_FOUND = withoutBody(404, 'Not found.');

const UNAUTHORIZED = withoutBody(401, 'The API key is missing or wrong.');
const TOO_MANY_ATTEMPTS = withoutBody(
  429,
  'The client address sent too many wrong API keys, and too many attempts are waiting.',
);
const FORBIDDEN = withoutBody(
  403,
  'No wallet is open, or one is open already, or the scope of the API key is too low.',
);
const INVALID_FIELD = withoutBody(400, 'A field or path parameter is missing, has a wrong type or is out of range.');
const BODY_TOO_LARGE = withoutBody(413, 'The body is larger than 1048576 bytes.');
const ENCODED_BODY = withoutBody(415, 'The body has a content encoding.');
const INTERNAL_ERROR = withoutBody(500, 'Internal error; the log has the details.');

/** Head of the API documents, and the errors shared by many routes. */
export const WALLET_SERVICE: ServiceDescription<WalletApiContext, WalletLabels> = {
  title: 'WrkzCoin wallet API',
  version: VERSION,
  description:
    'HTTP API for one wallet at a time. Amounts are integers in atomic units (100 atomic units = 1 WRKZ). Heights ' +
    'are block indexes starting at 0. Timestamps are unix seconds. Field names and error codes are those of the ' +
    'C++ wallet-api.',
  alwaysAsksKey: true,
  labelNotes: ({ wallet, viewWallet, scope, audit }) => [
    `Scope: ${scope}.`,
    ...(wallet === 'any' ? [] : [wallet === 'open' ? 'A wallet must be open.' : 'No wallet may be open.']),
    ...(viewWallet ? [] : ['Not for view wallets.']),
    ...(audit === undefined ? [] : [`In the audit log: ${audit}.`]),
  ],
  errorBody: walletApi.walletErrorBody,
  routeErrors: ({ guards, labels, body, params, query }) => [
    ...(guards.key ? [UNAUTHORIZED, TOO_MANY_ATTEMPTS] : []),
    ...(labels === undefined ? [] : [FORBIDDEN]),
    ...(body === undefined && params === undefined && query === undefined ? [] : [INVALID_FIELD]),
    BODY_TOO_LARGE,
    ENCODED_BODY,
    INTERNAL_ERROR,
  ],
};
