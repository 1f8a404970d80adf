/** Where a stratum server listens. */
export interface PoolEndpoint {
  readonly host: string;
  readonly port: number;
}

/** @throws RangeError when the text is no host:port; `stratum+tcp://` before it is passed over */
export function poolEndpoint(text: string): PoolEndpoint {
  const bare = text.trim().replace(/^(stratum\+)?tcp:\/\//i, '');
  const url = `tcp://${bare}`;
  const { hostname = '', port = '' } = URL.canParse(url) ? new URL(url) : {};
  if (hostname === '' || port === '' || port === '0' || !/^[^/?#@]+$/.test(bare)) {
    throw new RangeError(`${JSON.stringify(text)} is no host:port`);
  }
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}
