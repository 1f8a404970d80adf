import type { DaemonMethod } from '../declare';
import { generateblocks } from './generateblocks';
import { getblockcount } from './getblockcount';
import { getblockheaderbyhash } from './getblockheaderbyhash';
import { getblockheaderbyheight } from './getblockheaderbyheight';
import { getblocktemplate } from './getblocktemplate';
import { getlastblockheader } from './getlastblockheader';
import { submitblock } from './submitblock';

/** Every JSON-RPC method; names are case sensitive. */
export const methods: readonly DaemonMethod[] = [
  getblockcount,
  getlastblockheader,
  getblockheaderbyhash,
  getblockheaderbyheight,
  getblocktemplate,
  submitblock,
  generateblocks,
];
