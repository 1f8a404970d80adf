import type { Recorded } from './recorded';

/**
 * What the recordings hold and the daemon does not serve yet. When the methods and the option are there this file goes, and
 * with it each use of it.
 */
export const awaited = {
  row: ({ body }: Pick<Recorded, 'body'>): boolean => /"method":"f_/.test(body ?? ''),
  header: ({ daemon }: Pick<Recorded, 'daemon'>, name: string): boolean =>
    daemon === 'cors' && /^(access-control-|allow$)/.test(name),
  /** To become `--enable-cors *`. */
  corsArguments: [] as readonly string[],
};
