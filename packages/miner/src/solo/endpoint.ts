/** How a node's RPC is reached. */
export interface NodeEndpoint {
  /** Without a trailing slash. */
  readonly baseURL: string;
  /** A local socket; an abstract one begins with a zero byte. */
  readonly socketPath?: string;
}

/**
 * The RPC that a text names: an http(s) URL or host:port, or a local socket as an absolute path, `@name`, `ipc://path`.
 * @throws RangeError when it names none
 */
export function nodeEndpoint(text: string): NodeEndpoint {
  const socketPath = localSocket(text.trim());
  if (socketPath !== undefined) return { baseURL: 'http://localhost', socketPath };
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new RangeError(`${JSON.stringify(text)} names no node`);
  }
  return { baseURL: url.replace(/\/+$/, '') };
}

function localSocket(text: string): string | undefined {
  const path = text.startsWith('ipc://') ? text.slice('ipc://'.length) : text;
  if (path.startsWith('@') && path.length > 1) return `\0${path.slice(1)}`;
  if (path.startsWith('/') || (path !== text && path !== '')) return path;
  return undefined;
}
