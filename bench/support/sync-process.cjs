'use strict';

/*
 * Runs sync queries with the compiled modules of a built tree, without the source loader, as in production. Arguments: the
 * tree, and the folder of its database.
 */

const { join } = require('node:path');

const [tree, directory] = process.argv.slice(2);
const built = (path) => require(join(tree, path));
const { openChainDb } = built('packages/chain-db/dist/index.js');
const { networkOf } = built('packages/core-types/dist/index.js');
const { runQuery } = built('apps/daemon/dist/rpc/index.js');

const db = openChainDb({ directory, network: 'devnet', readonly: true });
const network = networkOf('devnet');
const end = db.reader.height() + 1;

process.on('message', ({ name, blockCount, seconds }) => {
  let [blocks, bytes] = [0, 0];
  const start = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  while (used() < seconds) {
    for (let startHeight = 1; startHeight + blockCount <= end; startHeight += blockCount) {
      const range = { checkpoints: [], startHeight, startTimestamp: 0, blockCount, skipCoinbase: false };
      const query = { ...range, skipKeyOffsets: false, skipEmpty: false, endHeight: 0, encoding: 'hex' };
      bytes += runQuery(db.reader, network, name, query).length;
      blocks += blockCount;
    }
  }
  const spent = used();
  process.send({ blocks: blocks / spent, bytes: bytes / spent });
});
process.on('disconnect', () => db.close());
process.send('ready');
