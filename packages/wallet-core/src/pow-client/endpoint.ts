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
