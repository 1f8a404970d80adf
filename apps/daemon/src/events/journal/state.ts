/** What of the journal is not an entry. */
export interface JournalState {
  /** Names this journal: another one, of another node or begun anew, has another name. 32 hex digits. */
  readonly journal: string;
  /** The highest number that was given. */
  readonly last: number;
  /** Whoever has read up to this number, or further, misses nothing that is still kept. */
  readonly keptAfter: number;
}
