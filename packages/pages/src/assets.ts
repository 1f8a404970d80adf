import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that pages load. Its name holds a hash of what stands in it, so that it may be held for ever. */
export interface PageAsset {
  readonly name: string;
  /** Where it is served. */
  readonly path: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** The files of this package, named from the top of the suite. */
export const SUITE_STYLE = 'packages/pages/assets/suite.css';
export const COPY_SCRIPT = 'packages/pages/assets/copy.js';
export const SUITE_ICON = 'packages/pages/assets/icon.svg';

/** Cache-Control of assets. */
export const ASSET_CACHING = 'public, max-age=31536000, immutable';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * A style sheet, a script or an image. `read` is for files that need not be on the disk.
 * @throws Error of the system; RangeError for another kind of file
 */
export function loadAsset(file: string, read: (file: string) => Buffer = (path) => readFileSync(path)): PageAsset {
  const [stem = '', ending = ''] = (file.split('/').at(-1) ?? '').split('.');
  const contentType = TYPES[ending];
  if (contentType === undefined) throw new RangeError(`${file} is no style sheet, script or image`);
  const bytes = read(file);
  const name = `${stem}.${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${ending}`;
  return { name, path: `/assets/${name}`, contentType, bytes };
}
