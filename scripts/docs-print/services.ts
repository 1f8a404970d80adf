import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { daemonApi, powHelperApi, proposalsApi, stratumApi, walletRpcApi } from '../../packages/api/src';
import { createMetrics, type ErrorRow, type OptionSpec } from '../../packages/service-kit/src';
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
import type { PrintedHelp } from './options';
import { type ErrorTable, type Examples, referenceFiles } from './reference';

/** The printed pages of one program. */
export interface PrintedService {
  /** The folder below docs/api; the program is `wrkz-<folder>`. */
  readonly folder: string;
  readonly helps: readonly PrintedHelp[];
  readonly errors?: readonly ErrorTable[];
  /** By name of the file. */
  readonly reference?: Readonly<Record<string, string>>;
}

const metrics = createMetrics('printed_');
const readiness = () => ({ ready: true });

const help = (
  call: string,
  options: readonly OptionSpec[],
  read: (argv: readonly string[]) => unknown,
): PrintedHelp => ({ call, options, read });

const examplesOf = (file: string): Examples =>
  JSON.parse(readFileSync(join(__dirname, '../../apps', file), 'utf8')) as Examples;

/** Rows that have only this number in the column Code. */
function numbered<Row extends Pick<ErrorRow, 'text' | 'when'>>(
  rows: Readonly<Record<string, Row>>,
  codeOf: (row: Row) => number | undefined,
): ErrorTable['rows'] {
  const entries = Object.entries(rows).map(([name, row]) => {
    return [name, { code: codeOf(row), text: row.text, when: row.when }] as const;
  });
  return Object.fromEntries(entries);
}

const daemon: PrintedService = {
  folder: 'daemon',
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
      rows: numbered(stratumApi.stratumErrors, () => stratumApi.STRATUM_ERROR_CODE),
    },
  ],
  reference: referenceFiles('wrkz-daemon', description, { routes: allRoutes, methods: allMethods }),
};

const walletNames = Object.keys(walletErrorRows) as (keyof typeof walletErrorRows)[];
const walletApi: PrintedService = {
  folder: 'wallet-api',
  helps: [help('wrkz-wallet-api', WALLET_API_OPTIONS, readWalletApiConfig)],
  errors: [
    {
      title: 'Wallet errors',
      text: 'The body has `errorCode` and `errorMessage`. The column Code has the HTTP status and `errorCode`.',
      whenTitle: 'Constant in the C++ sources; from 1000 on only here',
      rows: Object.fromEntries(walletNames.map((name) => [name, walletErrors(name)[0]!])),
    },
  ],
  reference: referenceFiles('wrkz-wallet-api', WALLET_SERVICE, {
    routes: walletRoutes({ metrics, isStopping: () => false, wallets: { current: undefined } as never }),
    examples: examplesOf('wallet-api/src/routes/examples.json'),
  }),
};

const walletRpc: PrintedService = {
  folder: 'wallet-rpc',
  helps: [help('wrkz-wallet-rpc', WALLET_RPC_OPTIONS, readWalletRpcConfig)],
  errors: [
    {
      title: 'Envelope',
      text: 'Errors of methods have the HTTP status 200.',
      rows: numbered(walletRpcApi.walletRpcEnvelopeErrors, ({ code }) => code),
    },
    {
      title: 'Wallet errors',
      text: 'The code of the error is -32700; the column Code has `data.application_code`.',
      rows: numbered(walletRpcApi.walletRpcErrors, ({ application }) => application),
    },
  ],
  reference: referenceFiles('wrkz-wallet-rpc', SERVICE_DESCRIPTION, {
    methods: ALL_METHODS,
    examples: examplesOf('wallet-rpc/src/methods/examples.json'),
  }),
};

const powHelper: PrintedService = {
  folder: 'pow-helper',
  helps: [help('wrkz-pow-helper', OPTIONS, readPowHelperConfig)],
  errors: [{ title: 'Routes', text: 'The body holds `status` and `error`.', rows: powHelperApi.powErrors }],
  reference: referenceFiles('wrkz-pow-helper', POW_SERVICE, {
    routes: powRoutes({ metrics, isReady: async () => true }),
  }),
};

const site = new Site({ network: 'mainnet', isDemo: false, publicUrl: undefined });
const proposals: PrintedService = {
  folder: 'proposals',
  helps: [
    help('wrkz-proposals', PROPOSALS_OPTIONS, parseCommandLine),
    ...ADMIN_COMMANDS.map(({ name, options }) => help(`wrkz-proposals ${name}`, options, parseCommandLine)),
  ],
  errors: [
    {
      title: 'Routes',
      text: 'Below `/api/` the body has `data` and `docstring`; elsewhere the text is on a page.',
      rows: proposalsApi.proposalErrors,
    },
  ],
  reference: referenceFiles('wrkz-proposals', PROPOSALS_SERVICE, {
    // Assets of the pages are not for clients, and their paths contain digests of their content.
    routes: proposalsRoutes({ metrics, readiness, site }).filter(({ path }) => !path.startsWith('/assets/')),
  }),
};

const miner: PrintedService = { folder: 'miner', helps: [help('wrkz-miner', MINER_OPTIONS, readMinerConfig)] };

/** In the order of the pages. */
export const PRINTED_SERVICES: readonly PrintedService[] = [daemon, walletApi, walletRpc, powHelper, proposals, miner];
