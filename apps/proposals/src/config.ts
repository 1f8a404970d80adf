import { join } from 'node:path';
import { dataDirectory, type OptionValues, parseCommand, splitList } from '@wrkz/service-kit';
import { ADMIN_COMMANDS } from './admin/commands';
import { checkOptions, type DATA_OPTIONS, PROPOSALS_OPTIONS } from './options';
import type { DatabaseFolder } from './store/database';

/** Option values by name. */
export type ProposalsOptions = OptionValues<typeof PROPOSALS_OPTIONS>;

/** The resolved and validated configuration of the service. */
export interface ProposalsConfig {
  readonly options: ProposalsOptions;
  readonly folder: DatabaseFolder;
  /** Addresses and ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Warnings to log at startup. */
  readonly warnings: readonly string[];
  /** Values to hide in log lines. */
  readonly secrets: readonly string[];
}

export type ParsedCommandLine = ReturnType<typeof parseCommandLine>;

/**
 * @param argv the command-line arguments, without program and script name
 * @returns an admin command, or the options of the service
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function parseCommandLine(argv: readonly string[]) {
  return parseCommand(
    {
      name: 'wrkz-proposals',
      description: 'Lists the funding proposals of the community on web pages and over an HTTP API.',
      options: PROPOSALS_OPTIONS,
      check: checkOptions,
      effective: (values) => ({ 'data-dir': values['data-dir'] ?? dataDirectory('proposals') }),
      commands: ADMIN_COMMANDS,
    },
    argv,
  );
}

/** @throws UsageError, EarlyExit, RangeError for an admin command */
export function readProposalsConfig(argv: readonly string[]): ProposalsConfig {
  const parsed = parseCommandLine(argv);
  if (parsed.command !== undefined) throw new RangeError(`${parsed.command} does not start the service`);
  return proposalsConfig(parsed);
}

type ServiceCommandLine = Extract<ParsedCommandLine, { readonly command: undefined }>;

export function proposalsConfig({ values: options, warnings, secrets }: ServiceCommandLine): ProposalsConfig {
  const trustedProxies = splitList(options['trusted-proxy']);
  return { options, folder: databaseFolder(options), trustedProxies, warnings, secrets };
}

/** Mainnet uses the data folder itself, other networks use a subfolder. */
export function databaseFolder(options: OptionValues<typeof DATA_OPTIONS>): DatabaseFolder {
  const { network } = options;
  const directory = options['data-dir'] ?? dataDirectory('proposals');
  return { directory: network === 'mainnet' ? directory : join(directory, network), network };
}
