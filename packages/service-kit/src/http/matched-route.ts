import type { IncomingMessage } from 'node:http';

const MATCHED = Symbol('matched route');
interface Marked {
  [MATCHED]?: string;
}

/** Notes the declared path that a request was matched with. */
export function markRoute(request: IncomingMessage, path: string): void {
  (request as Marked)[MATCHED] = path;
}

/** The declared path of a request, never the requested one; undefined before and without a match. */
export function routeOf(request: IncomingMessage): string | undefined {
  return (request as Marked)[MATCHED];
}
