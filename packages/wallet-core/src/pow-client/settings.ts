import type { OptionValues } from '@wrkz/service-kit';

/** The wallet's settings for a proof-of-work server, as its user sees them. */
export interface PowServerSettings {
  /** Off means: always search locally. */
  readonly enabled: boolean;
  /** A host, a host with a path, or a full URL whose scheme decides about SSL. */
  readonly host: string;
  /** Used where the host names no port of its own. */
  readonly port: number;
  readonly ssl: boolean;
  /** Sent as X-API-KEY when the server asks for one. */
  readonly apiKey?: string | undefined;
}

/** What a wallet starts with: switched off, filled in with the public server. */
export const DEFAULT_POW_SERVER: PowServerSettings = {
  enabled: false,
  host: 'txpow.wrkz.work',
  port: 443,
  ssl: true,
};

/**
 * The base URL of the server, without a trailing slash.
 * @throws RangeError when the settings name no http(s) server
 */
export function powServerUrl({ host, port, ssl }: PowServerSettings): string {
  const text = host.trim();
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0].toLowerCase();
  if (scheme !== undefined && scheme !== 'http://' && scheme !== 'https://') {
    throw new RangeError('the proof-of-work server is reached over http or https');
  }
  const given = scheme === undefined ? `${ssl ? 'https' : 'http'}://${text}` : text;
  if (text === '' || !URL.canParse(given))
    throw new RangeError(`${JSON.stringify(host)} names no proof-of-work server`);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new RangeError('a port lies between 1 and 65535');
  const url = new URL(given);
  if (!namesPort(given)) url.port = String(port);
  url.search = '';
  url.hash = '';
  return url.toString().replace(/\/+$/, '');
}

/** Whether the authority carries a port; `URL` hides a scheme's own. */
function namesPort(url: string): boolean {
  const authority = url.slice(url.indexOf('//') + 2).split(/[/?#]/, 1)[0] ?? '';
  return /:\d+$/.test(authority);
}

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
