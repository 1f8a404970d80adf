/** `npm run docs:print`: prints options, errors, routes and methods of every program into docs/api. */
import { bootstrap } from './bootstrap.mjs';
import { main, run } from './lib/run.mjs';

await main(async () => {
  await bootstrap();
  return run(process.execPath, ['-r', './scripts/source-loader.cjs', 'scripts/docs-print/main.ts']);
});
