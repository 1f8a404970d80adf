const { readFileSync } = require('fs');
const { openChainDb, verifyChain, rulesDigest, databaseFile } = require('./dist');
const { SqliteConnection } = require('@wrkz/sqlite');
const S = require('./dist/verify/row-scan'); const { Problems } = require('./dist/verify/problems');
const dir = process.argv[2];
(async () => {
  const db = openChainDb({ directory: dir, network: 'devnet', readonly: true });
  const c = new SqliteConnection(databaseFile(dir), {readonly: true});
  for (const t of ['blocks','transactions','signatures','outputs','key_images','amounts']) console.log(t, c.prepare('select count(*) from '+t).pluck().get());
  const time = (n, w) => { const t = performance.now(); w(); console.log('PART', n, (performance.now()-t).toFixed(1)); };
  const run = (g) => { while (!g.next().done); };
  const pr = new Problems();
  for (let i = 0; i < 3; i++) {
  time('digest', () => rulesDigest(db.reader));
  time('blocks', () => run(S.scanBlocks(c, pr, new (require('./dist/modes/rules-digest').RulesDigest)())));
  time('bodies', () => run(S.scanBodies(c, pr, 0)));
  time('tx', () => run(S.scanTransactions(c, pr, 1)));
  time('sig', () => run(S.scanSignatures(c, pr, 0)));
  
  
  }
  for (const mode of ['full', 'fast', 'full', 'fast']) { const t = performance.now(); const r = await verifyChain(db, {mode}); console.log(mode, performance.now()-t, r.problems.length); }
})();
