import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { daemonApi, powHelperApi, proposalsApi, stratumApi, walletRpcApi } from '../../packages/api/src';
import { createMetrics, openApiDocument, openRpcDocument, type OptionSpec } from '../../packages/service-kit/src';
import { walletErrorRows } from '../../packages/wallet-core/src/errors';
import { MINER_OPTIONS, readMinerConfig } from '../../packages/miner/src';
import { DAEMON_OPTIONS, readConfig } from '../../apps/daemon/src';
import { DAEMON_COMMANDS, daemonCommandService } from '../../apps/daemon/src/actions/commands';
import { ATTACH_COMMANDS, readAttach } from '../../apps/daemon/src/console/attach/client';
import { allMethods, allRoutes, description } from '../../apps/daemon/src/rpc/service';
import { readServeRpc, SERVE_RPC_COMMANDS, SERVE_RPC_OPTIONS } from '../../apps/daemon/src/serve-rpc/config';
import { OPTIONS, readPowHelperConfig } from '../../apps/pow-helper/src';
import { POW_SERVICE, powRoutes } from '../../apps/pow-helper/src/routes';
import { parseCommandLine, PROPOSALS_OPTIONS } from '../../apps/proposals/src';
import { ADMIN_COMMANDS } from '../../apps/proposals/src/admin/commands';
import { Site } from '../../apps/proposals/src/pages/site';
import { proposalsRoutes } from '../../apps/proposals/src/routes';
import { PROPOSALS_SERVICE } from '../../apps/proposals/src/routes/declare';
import {
  readWalletApiConfig,
  WALLET_API_OPTIONS,
  WALLET_SERVICE,
  walletErrors,
  walletRoutes,
} from '../../apps/wallet-api/src';

import { ALL_METHODS, readWalletRpcConfig, WALLET_RPC_OPTIONS } from '../../apps/wallet-rpc/src';
import { SERVICE_DESCRIPTION } from '../../apps/wallet-rpc/src/methods/declare';
import { serviceReference, type ServiceReference } from './declarations';
import type { PrintedHelp } from './options';
import type { ErrorTable, Examples } from './reference';

const examplesOf = (file: string): Examples =>
  JSON.parse(readFileSync(join(__dirname, '../../apps', file), 'utf8')) as Examples;

/** Everything that is printed of one program. */
export interface PrintedService {
  /** The folder below docs/api. */
  readonly folder: string;
  readonly program: string;
  readonly helps: readonly PrintedHelp[];
  readonly errors: readonly ErrorTable[];
  readonly reference?: ServiceReference;
  readonly examples?: Examples;
  readonly openapi?: object;
  readonly openrpc?: object;
}

const metrics = createMetrics('printed_');
const readiness = () => ({ ready: true });

const help = (
  call: string,
  options: readonly OptionSpec[],
  read: (argv: readonly string[]) => unknown,
): PrintedHelp => ({ call, options, read });

const daemon: PrintedService = {
  folder: 'daemon',
  program: 'wrkz-daemon',
  helps: [
    help('wrkz-daemon', DAEMON_OPTIONS, (argv) =>
      readConfig(argv, [...SERVE_RPC_COMMANDS, ...ATTACH_COMMANDS, ...DAEMON_COMMANDS]),
    ),
    help('wrkz-daemon serve-rpc', SERVE_RPC_OPTIONS, (argv) => readServeRpc(argv, DAEMON_OPTIONS)),
    ...ATTACH_COMMANDS.map(({ name, options }) =>
      help(`wrkz-daemon ${name}`, options, (argv) => readAttach(argv, DAEMON_OPTIONS)),
    ),
    ...DAEMON_COMMANDS.map(({ name, options }) =>
      help(`wrkz-daemon ${name}`, options, (argv) => daemonCommandService(argv, () => undefined)),
    ),
  ],
  errors: [
    { title: 'Routes', text: 'Answered by HTTP routes, and by `/json_rpc` before a method.', rows: daemonApi.refusals },
    { title: 'Methods', text: 'The error object of JSON-RPC.', rows: daemonApi.rpcErrors },
    {
      title: 'Stratum',
      text: `Over the line protocol of miners; the code is always ${String(stratumApi.STRATUM_ERROR_CODE)}.`,
      rows: Object.fromEntries(
        Object.entries(stratumApi.stratumErrors).map(([name, row]) => [name, { ...row, status: 0 }]),
      ),
      codeOf: () => String(stratumApi.STRATUM_ERROR_CODE),
    },
  ],
  reference: serviceReference(description, { routes: allRoutes, methods: allMethods }),
  openapi: openApiDocument(description, allRoutes),
  openrpc: openRpcDocument(description, allMethods),
};

const helperRoutes = powRoutes({ metrics, isReady: async () => true });
const powHelper: PrintedService = {
  folder: 'pow-helper',
  program: 'wrkz-pow-helper',
  helps: [help('wrkz-pow-helper', OPTIONS, readPowHelperConfig)],
  errors: [{ title: 'Routes', text: 'The body holds `status` and `error`.', rows: powHelperApi.powErrors }],
  reference: serviceReference(POW_SERVICE, { routes: helperRoutes }),
  openapi: openApiDocument(POW_SERVICE, helperRoutes),
};

const walletNames = Object.keys(walletErrorRows) as (keyof typeof walletErrorRows)[];
const apiRoutes = walletRoutes({ metrics, isStopping: () => false, wallets: { current: undefined } as never });
const walletApi: PrintedService = {
  folder: 'wallet-api',
  program: 'wrkz-wallet-api',
  helps: [help('wrkz-wallet-api', WALLET_API_OPTIONS, readWalletApiConfig)],
  errors: [
    {
      title: 'Wallet errors',
      text: 'The body has `errorCode` and `errorMessage`. The column Code has the HTTP status and `errorCode`.',
      whenTitle: 'Constant in the C++ sources; from 1000 on only here',
      rows: Object.fromEntries(walletNames.map((name) => [name, walletErrors(name)[0]!])),
    },
  ],
  reference: serviceReference(WALLET_SERVICE, { routes: apiRoutes }),
  examples: examplesOf('wallet-api/src/routes/examples.json'),
  openapi: openApiDocument(WALLET_SERVICE, apiRoutes),
};

const walletRpc: PrintedService = {
  folder: 'wallet-rpc',
  program: 'wrkz-wallet-rpc',
  helps: [help('wrkz-wallet-rpc', WALLET_RPC_OPTIONS, readWalletRpcConfig)],
  errors: [
    {
      title: 'Envelope',
      text: 'The HTTP status is always 200.',
      rows: walletRpcApi.walletRpcEnvelopeErrors,
      codeOf: ({ code }: { code: number }) => String(code),
    },
    {
      title: 'Wallet errors',
      text: 'The code of the error is -32700; the column Code has `data.application_code`.',
      rows: walletRpcApi.walletRpcErrors,
      codeOf: ({ application = 0 }: { application?: number }) => String(application),
    },
  ],
  reference: serviceReference(SERVICE_DESCRIPTION, { methods: ALL_METHODS }),
  examples: examplesOf('wallet-rpc/src/methods/examples.json'),
  openrpc: openRpcDocument(SERVICE_DESCRIPTION, ALL_METHODS),
};

const site = new Site({ network: 'mainnet', isDemo: false, publicUrl: undefined });
// The paths of assets hold digests of their contents: files of the pages, of no interest to a client.
const listingRoutes = proposalsRoutes({ metrics, readiness, site }).filter(({ path }) => !path.startsWith('/assets/'));
const proposals: PrintedService = {
  folder: 'proposals',
  program: 'wrkz-proposals',
  helps: [
    help('wrkz-proposals', PROPOSALS_OPTIONS, parseCommandLine),
    ...ADMIN_COMMANDS.map(({ name, options }) => help(`wrkz-proposals ${name}`, options, parseCommandLine)),
  ],
  errors: [
    {
      title: 'Routes',
      text: 'Below `/api/` the body holds `data` and `docstring`; elsewhere the text stands in a page.',
      rows: proposalsApi.proposalErrors,
    },
  ],
  reference: serviceReference(PROPOSALS_SERVICE, { routes: listingRoutes }),
  openapi: openApiDocument(PROPOSALS_SERVICE, listingRoutes),
};

const miner: PrintedService = {
  folder: 'miner',
  program: 'wrkz-miner',
  helps: [help('wrkz-miner', MINER_OPTIONS, readMinerConfig)],
  errors: [],
};

/** In the order of the pages. */
export const PRINTED_SERVICES: readonly PrintedService[] = [daemon, walletApi, walletRpc, powHelper, proposals, miner];
