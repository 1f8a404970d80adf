import { DamagedRow } from '../errors';
import type { ChainReader } from '../reader/reader';
import type { ChainWriter } from '../writer/writer';

/**
 * Forgets the blocks off the main chain where one of them is damaged: nothing depends on them, and what becomes of use is
 * announced or fetched again. Damaged they would end every start.
 *
 * @returns how many were forgotten
 */
export function forgetDamagedAlternatives(reader: ChainReader, writer: ChainWriter): number {
  try {
    for (const { facts } of reader.alternatives()) reader.alternative(facts.hash);
    return 0;
  } catch (error) {
    if (!(error instanceof DamagedRow)) throw error;
  }
  const count = reader.alternativeCount();
  writer.forgetAlternatives();
  return count;
}
