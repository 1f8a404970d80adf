import type { DaemonMethod } from '../declare';
import { fBlockJson } from './f-block-json';
import { fBlocksListJson } from './f-blocks-list-json';
import { fOnTransactionsPoolJson } from './f-on-transactions-pool-json';
import { fTransactionJson } from './f-transaction-json';
import { fTransactionsByPaymentIdJson } from './f-transactions-by-payment-id-json';
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
  fBlocksListJson,
  fBlockJson,
  fTransactionJson,
  fOnTransactionsPoolJson,
  fTransactionsByPaymentIdJson,
];
