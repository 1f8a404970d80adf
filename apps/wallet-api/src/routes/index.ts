import { docsRoutes, healthRoutes, metricsRoute, openApiRoute, type Readiness } from '@wrkz/service-kit';
import { ADDRESS_ROUTES } from './addresses';
import { BALANCE_ROUTES } from './balances';
import { KEY_REQUIRED, NO_GUARDS, WALLET_SERVICE, type WalletApiContext, type WalletRoute } from './declare';
import { KEY_ROUTES } from './keys';
import { LABEL_ROUTES } from './labels';
import { NODE_ROUTES } from './node';
import { PREPARE_ROUTES } from './prepare';
import { SEND_CONTROL_ROUTES } from './send-control';
import { SEND_ROUTES } from './send';
import { STATUS_ROUTES } from './status';
import { TRANSACTION_EXPORT_ROUTES } from './transaction-export';
import { TRANSACTION_ROUTES } from './transactions';
import { WALLET_FILE_ROUTES } from './wallet';

/** The wallet routes, by resource, in the order of the documents. */
export const WALLET_ROUTES: readonly WalletRoute[] = [
  ...WALLET_FILE_ROUTES,
  ...STATUS_ROUTES,
  ...NODE_ROUTES,
  ...ADDRESS_ROUTES,
  ...BALANCE_ROUTES,
  ...TRANSACTION_ROUTES,
  ...TRANSACTION_EXPORT_ROUTES,
  ...SEND_ROUTES,
  ...PREPARE_ROUTES,
  ...SEND_CONTROL_ROUTES,
  ...LABEL_ROUTES,
  ...KEY_ROUTES,
];

/** All routes of a service: the wallet routes, health, metrics and documents. */
export function walletRoutes(
  context: Pick<WalletApiContext, 'metrics' | 'isStopping' | 'wallets'>,
): readonly WalletRoute[] {
  const readiness = (): Readiness => ({
    ready: !context.isStopping(),
    walletOpen: context.wallets.current !== undefined,
  });
  const routes: WalletRoute[] = [
    ...WALLET_ROUTES,
    ...healthRoutes(readiness),
    ...(context.metrics === undefined ? [] : [metricsRoute(context.metrics, KEY_REQUIRED)]),
  ];
  routes.push(openApiRoute(WALLET_SERVICE, () => routes, { guards: KEY_REQUIRED }));
  routes.push(...docsRoutes(WALLET_SERVICE, { routes: () => routes, guards: NO_GUARDS }));
  return routes;
}
