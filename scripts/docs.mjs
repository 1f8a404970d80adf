/** `npm run docs`: builds the site of all documents, with search, into docs/dist. */
import { bootstrap } from './bootstrap.mjs';
import { main, run } from './lib/run.mjs';

await main(async () => {
  await bootstrap();
  return run(process.execPath, ['-r', './scripts/source-loader.cjs', 'docs/site/main.ts']);
});
