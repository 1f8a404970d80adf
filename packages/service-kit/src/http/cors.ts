import type { Request, RequestHandler } from 'express';

export interface CorsOptions {
  /** The value of Access-Control-Allow-Origin; undefined or empty: no CORS headers at all. */
  readonly origin?: string | undefined;
  /** What the paths begin with that get the headers; left out, all do. */
  readonly under?: string;
  /** Headers of our own that pages may read. */
  readonly exposed?: readonly string[];
  /**
   * How OPTIONS is answered: status and headers. It is answered before keys and limits are looked at. Undefined: it is no
   * preflight, and goes on like any other request.
   */
  readonly preflight: (request: Request, origin: string | undefined) => PreflightAnswer | undefined;
}

export interface PreflightAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Says what is wrong with an origin given as an option, or undefined when it is fine: `*`, `null`, or an origin
 * (http:// or https://, no path, no trailing slash).
 */
export function checkCorsOrigin(origin: string): string | undefined {
  if (origin === '' || origin === '*' || origin === 'null') return undefined;
  if (!/^https?:\/\//.test(origin)) return 'an origin starts with http:// or https:// (or is * or null)';
  if (origin.endsWith('/')) return 'an origin has no trailing slash';
  if (!/^https?:\/\/[^/?#\s\\@,]+$/.test(origin))
    return 'an origin is a scheme, a host and perhaps a port, nothing more';
  return undefined;
}

/** Puts Access-Control-Allow-Origin on every answer and answers OPTIONS. Credentials are never allowed. */
export function cors({ origin, under = '/', exposed = [], preflight }: CorsOptions): RequestHandler {
  return (request, response, next) => {
    const allowed = origin === '' || !request.path.startsWith(under) ? undefined : origin;
    if (allowed !== undefined) {
      response.setHeader('Access-Control-Allow-Origin', allowed);
      if (allowed !== '*') response.vary('Origin');
      if (exposed.length > 0) response.setHeader('Access-Control-Expose-Headers', exposed.join(', '));
    }
    if (request.method !== 'OPTIONS') return next();
    const answer = preflight(request, allowed);
    if (answer === undefined) return next();
    response.status(answer.status).set(answer.headers).end();
  };
}
