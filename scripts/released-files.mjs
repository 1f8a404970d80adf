/** `npm run released-files -- <version>`: writes the files of a release into packages/testing/fixtures/released/<version>. */
import { bootstrap } from './bootstrap.mjs';
import { main, run } from './lib/run.mjs';

await main(async () => {
  await bootstrap();
  const script = 'packages/testing/scripts/released-files.ts';
  return run(process.execPath, ['-r', './scripts/source-loader.cjs', script, ...process.argv.slice(2)]);
});
