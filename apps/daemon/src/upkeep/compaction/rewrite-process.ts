import { rewriteChainDb, type RewriteOptions } from '@wrkz/chain-db';
import { serveTask } from '../task-process-main';

serveTask<RewriteOptions>((task) => rewriteChainDb(task));
