/** `rewrite.ts <directory>`: rewrites the database for the writer in another process, as a forced compaction does. */
import { rewriteChainDb } from '../../src';

const [directory = ''] = process.argv.slice(2);
process.stdout.write('begin\n', () => {
  rewriteChainDb({ directory, network: 'devnet' });
  process.stdout.write('done\n', () => process.kill(process.pid, 'SIGKILL'));
});
