import { adoptChainDb } from '@wrkz/chain-db';
import { serveTask } from '../upkeep/task-process';

/** A check of every page cannot be interrupted within a process. */
serveTask<{ readonly file: string }>(({ file }) => adoptChainDb(file));
