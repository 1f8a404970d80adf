/** `host:port`, `[address]:port` or a socket; the host may bear a base path. Undefined for anything else. */
export function readFailover(text: string): { readonly host: string; readonly port: number } | undefined {
  const trimmed = text.trim();
  if (/^(?:ipc:\/\/|\/|@)./.test(trimmed)) return { host: trimmed, port: 0 };
  const parts = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@]+):(\d{1,5})(\/\S*)?$/.exec(trimmed);
  const port = Number(parts?.[2]);
  if (parts?.[1] === undefined || port < 1 || port > 65_535) return undefined;
  return { host: parts[1] + (parts[3] ?? ''), port };
}
