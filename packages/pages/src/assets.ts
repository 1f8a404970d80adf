import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that pages load. Its name has a hash of its content, so it can be cached forever. */
export interface PageAsset {
  readonly name: string;
  /** URL path. */
  readonly path: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Files of this package, as paths relative to the root of the repository. */
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
 * @param file a style sheet, script or image
 * @param read default: from the disk
 * @throws Error of the system; RangeError for another file type
 */
export function loadAsset(file: string, read: (file: string) => Buffer = (path) => readFileSync(path)): PageAsset {
  const [stem = '', ending = ''] = (file.split('/').at(-1) ?? '').split('.');
  const contentType = TYPES[ending];
  if (contentType === undefined) throw new RangeError(`${file} is not a style sheet, script or image`);
  const bytes = read(file);
  const name = `${stem}.${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${ending}`;
  return { name, path: `/assets/${name}`, contentType, bytes };
}
