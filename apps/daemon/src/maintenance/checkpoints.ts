import { readFileSync } from 'node:fs';
import { Checkpoints } from '@wrkz/consensus';
import type { Network } from '@wrkz/core-types';
import { assetPath, errorText } from '@wrkz/service-kit';

/** Checkpoints that cannot be used. The message is for the operator. */
export class CheckpointsRefused extends Error {
  override readonly name = 'CheckpointsRefused';
}

/**
 * The checkpoints of a start: `default` = the built-in ones (networks without any have none), empty = none, else a file
 * of lines `index,hash`. A file may say more than the built-in ones; one that contradicts them is refused.
 */
export function loadCheckpoints(choice: string, network: Network): Checkpoints {
  if (choice === '') return Checkpoints.none;
  if (choice === 'default') return network.hasCheckpoints ? builtInCheckpoints() : Checkpoints.none;
  let text: string;
  try {
    text = readFileSync(choice, 'utf8');
  } catch (error) {
    throw new CheckpointsRefused(`the checkpoints ${choice} cannot be read: ${errorText(error)}`);
  }
  const checkpoints = parse(text, choice);
  if (!checkpoints.agrees(0, network.genesis.hash)) {
    throw new CheckpointsRefused(`the checkpoints ${choice} are of another network`);
  }
  if (network.hasCheckpoints) {
    const builtIn = builtInCheckpoints();
    for (let height = 0; height <= builtIn.top; height++) {
      const known = builtIn.at(height);
      if (known !== undefined && !checkpoints.agrees(height, known)) {
        throw new CheckpointsRefused(
          `the checkpoints ${choice} contradict the built-in one of block ${String(height)}`,
        );
      }
    }
  }
  return checkpoints;
}

function builtInCheckpoints(): Checkpoints {
  return parse(readFileSync(assetPath('apps/daemon/data/checkpoints.csv'), 'utf8'), 'built in');
}

function parse(text: string, name: string): Checkpoints {
  try {
    return Checkpoints.fromCsv(text);
  } catch (error) {
    throw new CheckpointsRefused(`the checkpoints ${name} cannot be used: ${(error as Error).message}`);
  }
}
