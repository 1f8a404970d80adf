import type { OptionValues } from '@wrkz/service-kit';

export interface PowServerSettings {
  /** False: always search locally. */
  readonly enabled: boolean;
  /** A host, a host with a path, or a URL. The scheme of a URL takes precedence over `ssl`. */
  readonly host: string;
  /** Used unless `host` includes a port. */
  readonly port: number;
  readonly ssl: boolean;
  /** Sent as X-API-KEY. */
  readonly apiKey?: string | undefined;
}

/** The default settings: the public server, disabled. */
export const DEFAULT_POW_SERVER: PowServerSettings = {
  enabled: false,
  host: 'txpow.wrkz.work',
  port: 443,
  ssl: true,
};

/**
 * The base URL of the server, without a trailing slash.
 * @throws RangeError when the settings have no valid http(s) URL
 */
export function powServerUrl({ host, port, ssl }: PowServerSettings): string {
  const text = host.trim();
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0].toLowerCase();
  if (scheme !== undefined && scheme !== 'http://' && scheme !== 'https://') {
    throw new RangeError(`the proof-of-work server ${JSON.stringify(host)} needs an http or https URL`);
  }
  const given = scheme === undefined ? `${ssl ? 'https' : 'http'}://${text}` : text;
  if (text === '' || !URL.canParse(given)) {
    throw new RangeError(`${JSON.stringify(host)} is not a valid host or URL of a proof-of-work server`);
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new RangeError(`the port ${port} of the proof-of-work server is not between 1 and 65535`);
  }
  const url = new URL(given);
  if (!namesPort(given)) url.port = String(port);
  url.search = '';
  url.hash = '';
  return url.toString().replace(/\/+$/, '');
}

/** Whether a URL includes a port; `URL.port` is empty for the default port of a scheme. */
function namesPort(url: string): boolean {
  const authority = url.slice(url.indexOf('//') + 2).split(/[/?#]/, 1)[0] ?? '';
  return /:\d+$/.test(authority);
}

/**
 * The command-line options for a proof-of-work server (docs/operations/pow-helper.md). Without `tx-pow-server` the service
 * searches locally.
 */
export const POW_SERVER_OPTIONS = [
  {
    name: 'tx-pow-server',
    default: '',
    help: 'Server for the proof of work of transactions: host, host/path or URL; empty: local threads',
    validate: (value: string | number | boolean): string | undefined => hostError(String(value)),
  },
  {
    name: 'tx-pow-server-port',
    default: DEFAULT_POW_SERVER.port,
    min: 1,
    max: 65_535,
    help: 'Port of the server, unless the host includes one',
  },
  {
    name: 'tx-pow-server-ssl',
    default: DEFAULT_POW_SERVER.ssl,
    help: 'Connect to the server over TLS, unless the host is a URL',
  },
  {
    name: 'tx-pow-server-key',
    type: 'string',
    default: undefined,
    secret: true,
    help: 'API key, sent to the server as X-API-KEY',
  },
] as const;

type PowServerValues = OptionValues<typeof POW_SERVER_OPTIONS>;

/** The settings from validated options; disabled unless `tx-pow-server` is set. */
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

function hostError(host: string): string | undefined {
  if (host.trim() === '') return undefined;
  try {
    powServerUrl({ ...DEFAULT_POW_SERVER, host });
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
