/**
 * A step that the ledger refuses: it would break what the ledger keeps true. Nothing has changed when this is thrown; the
 * message names the block or the send.
 */
export class LedgerFault extends Error {
  override readonly name = 'LedgerFault';
}
