import type { ChainDb } from '../../src';
import { writerOf } from './directories';

/** Prunes in steps up to the floor. @returns the number of steps and of freed pages */
export function pruneTo(db: ChainDb, floor: number, milliseconds?: number): { steps: number; freedPages: number } {
  let freedPages = 0;
  for (let steps = 1; ; steps++) {
    const step = writerOf(db).pruneStep(floor, milliseconds);
    freedPages += step.freedPages;
    if (step.done) return { steps, freedPages };
  }
}
