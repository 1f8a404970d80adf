import type { Method } from '../route';
import { generateblocks } from './generateblocks';
import { getblockcount } from './getblockcount';
import { getblockheaderbyhash } from './getblockheaderbyhash';
import { getblockheaderbyheight } from './getblockheaderbyheight';
import { getblocktemplate } from './getblocktemplate';
import { getlastblockheader } from './getlastblockheader';
import { submitblock } from './submitblock';

/** Every JSON-RPC method by its name; names are case sensitive. */
export const methods: ReadonlyMap<string, Method> = new Map(
  [
    getblockcount,
    getlastblockheader,
    getblockheaderbyhash,
    getblockheaderbyheight,
    getblocktemplate,
    submitblock,
    generateblocks,
  ].map((method) => [method.name, method]),
);
