import type { Recorded } from './recorded';

/**
 * What the recordings hold and the daemon does not serve yet. When the option is there this file goes, and
 * with it each use of it.
 */
export const awaited = {
  header: ({ daemon }: Pick<Recorded, 'daemon'>, name: string): boolean =>
    daemon === 'cors' && /^(access-control-|allow$)/.test(name),
  /** To become `--enable-cors *`. */
  corsArguments: [] as readonly string[],
};
