/** An own output of one block, as the scanner gives it to the ledger. */
export interface ScannedOutput {
  /** 0 is the coinbase, then 1 and on in the order of the block. */
  readonly transaction: number;
  /** Its place in its transaction. */
  readonly output: number;
  /** Of the sub-wallet that it belongs to. */
  readonly publicSpendKey: string;
  /** Undefined in a view wallet. */
  readonly keyImage: string | undefined;
  /** Undefined in a view wallet. */
  readonly privateEphemeral: string | undefined;
  /** Undefined until a node has told it. */
  readonly globalIndex: number | undefined;
}
