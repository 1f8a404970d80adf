import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Network, type NetworkName, networkOf } from '@wrkz/core-types';
import {
  type ListenAddress,
  type LocalSocketAddress,
  localSocketAddress,
  type Logger,
  loggerFromOptions,
  type OptionValue,
  type OptionValues,
  parseOptions,
  splitList,
  UsageError,
} from '@wrkz/service-kit';
import { type NodeChoice, nodeChoice } from '@wrkz/wallet-server';
import { SERVICE_LOG_SCALE, WALLET_RPC_OPTIONS } from './options';

export type WalletRpcOptions = OptionValues<typeof WALLET_RPC_OPTIONS>;

/** The resolved and validated configuration. */
export interface WalletRpcConfig {
  readonly options: WalletRpcOptions;
  readonly network: Network;
  /** At least 1. */
  readonly threads: number;
  /** Absolute path. */
  readonly containerFile: string;
  /** Absolute path of the container to restore; undefined for none. */
  readonly backup: string | undefined;
  /** Absolute path; undefined for none. */
  readonly logFile: string | undefined;
  readonly node: NodeChoice;
  /** Replaces the port. */
  readonly socket: LocalSocketAddress | undefined;
  readonly trustedProxies: readonly string[];
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}

const NAME = 'wrkz-wallet-rpc';

/**
 * Resolves the command line into a configuration.
 * @param argv the command-line arguments, without program and script name
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function readWalletRpcConfig(argv: readonly string[]): WalletRpcConfig {
  const { values, warnings, secrets } = parseOptions(WALLET_RPC_OPTIONS, argv, {
    name: NAME,
    description: 'A wallet over JSON-RPC.',
    check: complaint,
    effective: (values) => ({
      threads: values['threads'] ?? availableParallelism(),
      'daemon-port': values['daemon-port'] ?? networkOf(values['network'] as NetworkName).ports.rpc,
    }),
  });
  const root = resolve(values['server-root']);
  const network = networkOf(values.network);
  const containerFile = resolve(root, values['container-file']);
  const isNew = values['generate-container'] || values['restore-backup'] !== '';
  if (!isNew) requireContainer(containerFile, values['container-file']);
  return {
    options: values,
    network,
    threads: values.threads ?? availableParallelism(),
    containerFile,
    backup: values['restore-backup'] === '' ? undefined : resolve(root, values['restore-backup']),
    logFile: values['log-file'] === '' ? undefined : resolve(root, values['log-file']),
    node: nodeChoice(
      {
        daemonHost: values['daemon-address'],
        daemonPort: values['daemon-port'],
        daemonSSL: values['daemon-ssl'],
      },
      { network },
    ),
    socket: localSocketAddress(values['bind-ipc-path'], values['bind-ipc-mode'], values['bind-ipc-group']),
    trustedProxies: splitList(values['trusted-proxy']),
    warnings,
    secrets,
  };
}

/** The address to listen on; empty if a local socket replaces it. */
export function serviceListenAddresses(
  { options, socket }: Pick<WalletRpcConfig, 'options' | 'socket'>,
  port = options['bind-port'],
): ListenAddress[] {
  return socket === undefined ? [{ host: options['bind-address'], port, portOption: 'bind-port' }] : [];
}

/** Validates the options, with the texts and in the order of the C++ program. @returns an error text */
function complaint(values: Readonly<Record<string, OptionValue>>): string | undefined {
  const given = (name: string): boolean => values[name] !== undefined && values[name] !== '';
  if (!given('container-file')) return 'You must specify a wallet file to open!';
  const hasKeys = given('view-key') || given('spend-key');
  if ((hasKeys || given('mnemonic-seed')) && values['generate-container'] !== true) {
    return '--generate-container is required';
  }
  if (hasKeys && given('mnemonic-seed')) return 'You cannot specify import from both Mnemonic seed and private keys';
  if (hasKeys && !(given('view-key') && given('spend-key'))) return 'Need both secret spend key and secret view key.';
  const commands = [values['generate-container'], values['address'], given('restore-backup')].filter(
    (one) => one === true,
  );
  if (commands.length > 1) return '--generate-container, --address and --restore-backup each do one thing and exit';
  if (commands.length === 0 && !given('rpc-password') && values['rpc-legacy-security'] !== true) {
    return 'Please specify either an RPC password or use the --rpc-legacy-security flag';
  }
  if (values['threads'] !== undefined && Number(values['threads']) < 1) return 'Thread count must be at least 1';
  if (values['scan-coinbase-transactions'] === true && values['skip-coinbase-transactions'] === true) {
    return '--scan-coinbase-transactions and --skip-coinbase-transactions cannot be used together';
  }
  return undefined;
}

function requireContainer(file: string, given: string): void {
  if (existsSync(file)) return;
  const missing = 'The wallet file you specified does not exist';
  if (existsSync(`${file}.wallet`)) throw new UsageError(`${missing}. Did you mean: ${given}.wallet?`);
  throw new UsageError(`${missing}; please check your spelling and try again.`);
}

/** The logger. If the log file cannot be opened, the service starts without it and logs a warning. */
export function serviceLogger(config: WalletRpcConfig): Logger {
  const file = config.logFile ?? '';
  return loggerFromOptions(config, { scale: SERVICE_LOG_SCALE, file, fileRequired: false });
}
