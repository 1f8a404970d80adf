import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Network, networkOf } from '@wrkz/core-types';
import {
  helpText,
  type ListenAddress,
  type OptionValues,
  type OptionValue,
  parseOptions,
  splitList,
  UsageError,
} from '@wrkz/service-kit';
import { readKeyFile, type ScopedKey } from './keys';
import { WALLET_API_OPTIONS } from './options';

/** Option values by name. */
export type WalletApiOptions = OptionValues<typeof WALLET_API_OPTIONS>;

/** The resolved and validated configuration. */
export interface WalletApiConfig {
  readonly options: WalletApiOptions;
  readonly password: string;
  readonly keys: readonly ScopedKey[];
  readonly network: Network;
  /** At least 1. */
  readonly threads: number;
  /** Absolute path. */
  readonly walletDirectory: string;
  readonly trustedProxies: readonly string[];
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}

const NAME = 'wrkz-wallet-api';

/**
 * Resolves the command line into a configuration.
 * @param argv the command-line arguments, without program and script name
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function readWalletApiConfig(argv: readonly string[]): WalletApiConfig {
  const { values, warnings, secrets } = parseOptions(WALLET_API_OPTIONS, argv, {
    name: NAME,
    description: 'HTTP API for one wallet. `wrkz-wallet-api restore <backup> <file>` restores a backup.',
    check: checkOptions,
    effective: (values) => ({ threads: values['threads'] ?? availableParallelism() }),
  });
  const password = values['rpc-password'];
  if (password === undefined || password === '') throw missingPassword();
  return {
    options: values,
    password,
    keys: values['rpc-key-file'] === '' ? [] : readKeyFile(values['rpc-key-file'], password),
    network: networkOf(values.network),
    threads: values.threads ?? availableParallelism(),
    walletDirectory: resolve(values['wallet-dir']),
    trustedProxies: splitList(values['trusted-proxy']),
    warnings: [...warnings, ...ipv6Warnings(values)],
    secrets,
  };
}

/** The main address, and the optional IPv6 address. */
export function walletListenAddresses(
  { options }: Pick<WalletApiConfig, 'options'>,
  port = options.port,
): ListenAddress[] {
  const ipv6 = options['rpc-bind-ipv6-address'];
  const optional =
    options['rpc-use-ipv6'] && ipv6 !== '' ? [{ host: ipv6, port, required: false, portOption: 'port' }] : [];
  return [{ host: options['rpc-bind-ip'], port, portOption: 'port' }, ...optional];
}

function checkOptions(values: Readonly<Record<string, OptionValue>>): string | undefined {
  if (values['threads'] !== undefined && Number(values['threads']) < 1) return 'Thread count must be at least 1';
  if (values['scan-coinbase-transactions'] === true && values['skip-coinbase-transactions'] === true) {
    return '--scan-coinbase-transactions and --skip-coinbase-transactions cannot be used together';
  }
  return undefined;
}

function missingPassword(): UsageError {
  return new UsageError(
    `You must specify an rpc-password!\n\n${helpText({ name: NAME, options: WALLET_API_OPTIONS })}`,
  );
}

function ipv6Warnings(options: WalletApiOptions): string[] {
  const [isEnabled, address] = [options['rpc-use-ipv6'], options['rpc-bind-ipv6-address']];
  if (isEnabled && address === '') return ['--rpc-use-ipv6 has no effect without --rpc-bind-ipv6-address'];
  if (!isEnabled && address !== '') return ['--rpc-bind-ipv6-address has no effect without --rpc-use-ipv6'];
  return [];
}
