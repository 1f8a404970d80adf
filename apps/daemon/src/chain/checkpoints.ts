import { type ChainReader, CorruptDatabase, ifStored } from '@wrkz/chain-db';
import { Checkpoints, parseBlockOrRefuse, RuleFailure } from '@wrkz/consensus';
import type { Network } from '@wrkz/core-types';
import { errorText, readAsset, readOperatorFile } from '@wrkz/service-kit/base';

/** The checkpoints cannot be used. The message is for the operator. */
export class CheckpointsRefused extends Error {
  override readonly name = 'CheckpointsRefused';
}

/** A line for each of two million blocks; the built-in list has a few thousand. */
const MAX_BYTES = 160 * 1024 * 1024;

/**
 * The checkpoints of a start: `default` = the built-in ones (networks without any have none), empty = none, else a file
 * of lines `index,hash`. A file may have more checkpoints than the built-in list; a file that contradicts the list is refused.
 */
export function loadCheckpoints(choice: string, network: Network): Checkpoints {
  if (choice === '') return Checkpoints.none;
  if (choice === 'default') return network.hasCheckpoints ? builtInCheckpoints() : Checkpoints.none;
  const checkpoints = readCheckpointFile(choice);
  if (!checkpoints.agrees(0, network.genesis.hash)) {
    throw new CheckpointsRefused(`the checkpoints ${choice} are of another network`);
  }
  if (network.hasCheckpoints) {
    const builtIn = builtInCheckpoints();
    for (const [height, known] of builtIn.entries()) {
      if (!checkpoints.agrees(height, known)) {
        throw new CheckpointsRefused(
          `the checkpoints ${choice} contradict the built-in one of block ${String(height)}`,
        );
      }
    }
  }
  return checkpoints;
}

/** The checkpoints of a file with lines `index,hash`. @throws CheckpointsRefused */
export function readCheckpointFile(path: string): Checkpoints {
  let text: string;
  try {
    text = readOperatorFile(path, MAX_BYTES).toString('utf8');
  } catch (error) {
    throw new CheckpointsRefused(`the checkpoints ${path} cannot be read: ${errorText(error)}`);
  }
  return parse(text, path);
}

/**
 * Compares the stored chain with the checkpoints of this start. The chain may have been synchronised with others.
 * @throws CheckpointsRefused when the chain has another block at a known index, CorruptDatabase when the stored id is not
 *   the id of the stored block
 */
export function holdStored(checkpoints: Checkpoints, reader: Pick<ChainReader, 'hashAt' | 'rawBlock'>): void {
  for (const [height, known] of checkpoints.entries()) {
    const stored = reader.hashAt(height);
    if (stored === undefined || stored.equals(known)) continue;
    const raw = ifStored(() => reader.rawBlock(height));
    const block = raw && parseBlockOrRefuse(raw.block);
    if (block !== undefined && (block instanceof RuleFailure || !block.hash.equals(stored))) {
      throw new CorruptDatabase(`block ${String(height)} is stored under an id that is not its own`);
    }
    throw new CheckpointsRefused(
      `the stored chain has another block ${String(height)} than the checkpoints say: it is not theirs to continue. ` +
        'Start with the right checkpoints, or with another data directory to sync again',
    );
  }
}

function builtInCheckpoints(): Checkpoints {
  return parse(readAsset('apps/daemon/data/checkpoints.csv').toString('utf8'), 'built in');
}

function parse(text: string, name: string): Checkpoints {
  try {
    return Checkpoints.fromCsv(text);
  } catch (error) {
    throw new CheckpointsRefused(`the checkpoints ${name} cannot be used: ${(error as Error).message}`);
  }
}
