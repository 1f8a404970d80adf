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
  STANDARD_OPTIONS,
  UsageError,
  versionLine,
} from '@wrkz/service-kit';
import { type ScopedKey, readKeyFile } from '../keys/key-file';
import { WALLET_API_OPTIONS } from './options';

/** The resolved options under their own names. */
export type WalletApiOptions = OptionValues<typeof WALLET_API_OPTIONS>;

/** Everything the program is told from outside, resolved and checked. */
export interface WalletApiConfig {
  readonly options: WalletApiOptions;
  readonly password: string;
  readonly keys: readonly ScopedKey[];
  readonly network: Network;
  /** At least 1. */
  readonly threads: number;
  /** Absolute. */
  readonly walletDirectory: string;
  readonly trustedProxies: readonly string[];
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}

const NAME = 'wrkz-wallet-api';

/**
 * Resolves the command line (without the program's own words) into a configuration.
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function readWalletApiConfig(argv: readonly string[]): WalletApiConfig {
  const { values, warnings, secrets } = parseOptions(WALLET_API_OPTIONS, argv, {
    name: NAME,
    description: 'A wallet over HTTP.',
    check: complaint,
  });
  const password = values['rpc-password'];
  if (password === undefined || password === '') throw withoutPassword();
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

/** The address that the program must have, and the second one that it can do without. */
export function walletListenAddresses(
  { options }: Pick<WalletApiConfig, 'options'>,
  port = options.port,
): ListenAddress[] {
  const second = options['rpc-bind-ipv6-address'];
  const optional = options['rpc-use-ipv6'] && second !== '' ? [{ host: second, port, required: false }] : [];
  return [{ host: options['rpc-bind-ip'], port }, ...optional];
}

function complaint(values: Readonly<Record<string, OptionValue>>): string | undefined {
  if (values['threads'] !== undefined && Number(values['threads']) < 1) return 'Thread count must be at least 1';
  if (values['scan-coinbase-transactions'] === true && values['skip-coinbase-transactions'] === true) {
    return '--scan-coinbase-transactions and --skip-coinbase-transactions cannot be used together';
  }
  return undefined;
}

function withoutPassword(): UsageError {
  const usage = `${versionLine(NAME)}\n\nUsage: ${NAME} [options]`;
  const help = helpText({ usage, options: [...WALLET_API_OPTIONS, ...STANDARD_OPTIONS] });
  return new UsageError(`You must specify an rpc-password!\n\n${help}`);
}

function ipv6Warnings(options: WalletApiOptions): string[] {
  const [asked, address] = [options['rpc-use-ipv6'], options['rpc-bind-ipv6-address']];
  if (asked && address === '') return ['--rpc-use-ipv6 needs --rpc-bind-ipv6-address too: there is no IPv6 listener'];
  if (!asked && address !== '')
    return ['--rpc-bind-ipv6-address counts only with --rpc-use-ipv6: there is no IPv6 listener'];
  return [];
}
