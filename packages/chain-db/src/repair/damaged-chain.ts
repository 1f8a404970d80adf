import type { BlockFacts } from '@wrkz/consensus';
import type { Network } from '@wrkz/core-types';
import type { SqliteConnection } from '@wrkz/sqlite';
import type { FloorHeights } from '../modes/floors';
import type { FactsWindow } from '../verify/facts-window';
import { factsOfWhole, restoredFrom, type WholeBlock, wholeBlock } from './block-bytes';
import { LowerRows, type LookTurns } from './lower-rows';
import { OldChain } from './old-chain';
import type { RestoredBlock } from './restored-block';

/** How a block stands in a database of these floors. */
export type BlockForm = 'whole' | 'without body' | 'reduced';

/** The blocks of a damaged database, in the form in which its mode keeps them. */
export class DamagedChain {
  readonly rows: OldChain;
  private readonly genesis: WholeBlock;
  private lower: LowerRows | undefined;
  private lowerDamage: Set<number> | undefined;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly network: Network,
    readonly floors: FloorHeights,
  ) {
    this.rows = new OldChain(connection, floors.records);
    const genesis = wholeBlock({ block: network.genesis.block, transactions: [] });
    if (genesis === undefined) throw new Error('the first block of the network is none');
    this.genesis = genesis;
  }

  form(height: number): BlockForm {
    if (height === 0 || height >= this.floors.bodies) return 'whole';
    return height >= this.floors.records ? 'without body' : 'reduced';
  }

  /** To be called before blocks below a lite height are asked about: their rows are read once, from the bottom. */
  async lookBelow(turns: LookTurns): Promise<void> {
    if (this.floors.records > 0) {
      this.lowerDamage ??= await new LowerRows(this.connection, this.floors.records).damaged(turns);
    }
  }

  /** Whether all that is kept of a block is there and whole. */
  isWhole(height: number): boolean {
    switch (this.form(height)) {
      case 'whole':
        return height === 0 || this.rows.whole(height) !== undefined;
      case 'without body':
        return this.rows.facts(height) !== undefined && this.rows.prefixes(height) !== undefined;
      case 'reduced':
        if (this.lowerDamage === undefined) throw new TypeError('nobody has looked below the lite height');
        return this.rows.facts(height) !== undefined && !this.lowerDamage.has(height);
    }
  }

  /** The rows below the lite height contradict each other: none of them is believed any more. */
  distrustLowerRows(): void {
    this.lowerDamage = new Set(Array.from({ length: this.floors.records }, (_, height) => height));
  }

  get trustsLowerRows(): boolean {
    return this.lowerDamage?.size !== this.floors.records;
  }

  /** Before blocks are restored from the bottom. */
  rewindLowerRows(): void {
    const isUsed = this.floors.records > 0 && this.trustsLowerRows;
    this.lower = isUsed ? new LowerRows(this.connection, this.floors.records) : undefined;
    this.lower?.next(0, undefined); // genesis is whole in every mode
  }

  /**
   * The next block upwards; blocks below a lite height come in order from height 1.
   * @param fetched the block itself, where the database does not have it whole
   * @returns undefined where it is needed and missing
   * @throws LowerRowsDisagree
   */
  restored(
    height: number,
    fetched: WholeBlock | undefined,
    below: BlockFacts | undefined,
    window: FactsWindow,
  ): RestoredBlock | undefined {
    const form = this.form(height);
    const whole = this.wholeAt(height, form, fetched);
    const row = this.rows.facts(height);
    if (whole !== undefined) {
      const isRow = row?.hash.equals(whole.block.hash) === true;
      const block = restoredFrom(whole, isRow ? row : factsOfWhole(whole, below, window, this.network), form);
      if (block.kind === 'reduced') this.lower?.next(height, block);
      return block;
    }
    if (row === undefined) return undefined;
    if (form === 'reduced') {
      const parts = this.lower?.next(height, undefined);
      return parts && { kind: 'reduced', facts: row, parent: undefined, ...parts };
    }
    const transactions = form === 'without body' ? this.rows.prefixes(height) : undefined;
    return transactions && { kind: 'transactions', facts: row, parent: undefined, body: undefined, transactions };
  }

  private wholeAt(height: number, form: BlockForm, fetched: WholeBlock | undefined): WholeBlock | undefined {
    if (height === 0) return this.genesis;
    return fetched ?? (form === 'whole' ? this.rows.whole(height) : undefined);
  }
}
