import { rewriteChainDb, type RewriteOptions } from '@wrkz/chain-db';
import { serveTask } from '../process/task-process';

serveTask<RewriteOptions>((task) => rewriteChainDb(task));
