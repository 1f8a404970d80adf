/** `node scripts/checks/circles.mjs`: fails when sources import each other in a circle, be it for types alone. */
import { importCircles } from '../lib/circles.mjs';
import { main } from '../lib/run.mjs';

await main(async () => {
  const circles = await importCircles();
  for (const files of circles) process.stderr.write(`a circle of imports: ${[...files, files[0]].join(' -> ')}\n`);
  return circles.length === 0 ? 0 : 1;
});
