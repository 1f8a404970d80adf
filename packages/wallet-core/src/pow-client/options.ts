import type { OptionValues } from '@wrkz/service-kit';
import { DEFAULT_POW_SERVER, powServerUrl, type PowServerSettings } from './endpoint';

/**
 * The options by which a wallet service is given a proof-of-work helper; without the first one it works alone
 * (docs/operations/pow-helper.md).
 *
 * @param group the heading of `--help` they stand under
 */
export function powServerOptions<const G extends string>(group: G) {
  return [
    {
      name: 'tx-pow-server',
      type: 'string',
      default: '',
      group,
      help: 'A helper that does the proof of work of transactions: host, host/path or URL; empty for this machine',
      validate: (value: string | number | boolean): string | undefined => complaint(String(value)),
    },
    {
      name: 'tx-pow-server-port',
      type: 'number',
      default: DEFAULT_POW_SERVER.port,
      min: 1,
      max: 65_535,
      group,
      help: 'Its port, unless the host names one',
    },
    {
      name: 'tx-pow-server-ssl',
      type: 'boolean',
      default: DEFAULT_POW_SERVER.ssl,
      group,
      help: 'Reach it over TLS, unless a URL says how',
    },
    {
      name: 'tx-pow-server-key',
      type: 'string',
      default: undefined,
      secret: true,
      group,
      help: 'Sent to it as X-API-KEY',
    },
  ] as const;
}

type PowServerValues = OptionValues<ReturnType<typeof powServerOptions>>;

/** What the options say. Off unless a server is named; their values have been checked. */
export function powServerSettings(values: PowServerValues): PowServerSettings {
  const host = values['tx-pow-server'].trim();
  const apiKey = values['tx-pow-server-key'];
  return {
    enabled: host !== '',
    host,
    port: values['tx-pow-server-port'],
    ssl: values['tx-pow-server-ssl'],
    ...(apiKey === undefined || apiKey === '' ? {} : { apiKey }),
  };
}

function complaint(host: string): string | undefined {
  if (host.trim() === '') return undefined;
  try {
    powServerUrl({ ...DEFAULT_POW_SERVER, host });
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
