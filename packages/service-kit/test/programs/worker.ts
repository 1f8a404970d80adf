import { parentPort } from 'node:worker_threads';
import { VERSION } from '@wrkz/service-kit';

parentPort?.postMessage(VERSION);
