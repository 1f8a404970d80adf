'use strict';

// Loaded before a program (`node -r`): reports the longest pause of its event loop to the process that started it.
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { isMainThread } = require('node:worker_threads');

if (isMainThread && process.send !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('message', (message) => {
    if (message !== 'longest pause') return;
    process.send(delay.max / 1e6);
    delay.reset();
  });
  process.channel.unref();
}
