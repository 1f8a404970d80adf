import { parentPort, workerData } from 'node:worker_threads';
import { errorText } from '@wrkz/service-kit/base';
import { GatewayDevice, isReachable } from './gateway-device';
import { searchedNetworks, searchGateways } from './search';
import type { FromMappingThread, Gateway, MappedPorts, MappingOutcome, MappingTask } from './task';

/** Runs a task of the port mapping; Calls `onRequest` with a gateway directly before the mapping is requested from it. */
async function perform(task: MappingTask, onRequest: (gateway: Gateway) => void): Promise<MappingOutcome> {
  if (task.kind === 'unmap') return unmap(task.gateway, task.ports);
  const gateways = task.gateway === undefined ? await search(task.bindHost) : [task.gateway];
  let best: MappingOutcome = { kind: 'none' };
  for (const gateway of gateways) {
    const outcome = await mapBy(gateway, task.ports, onRequest);
    if (outcome.kind === 'mapped') return outcome;
    if (best.kind !== 'refused') best = outcome;
  }
  return best;
}

function search(bindHost: string): Promise<Gateway[]> {
  return searchGateways(searchedNetworks(bindHost));
}

async function mapBy(
  gateway: Gateway,
  ports: MappedPorts,
  onRequest: (gateway: Gateway) => void,
): Promise<MappingOutcome> {
  const device = new GatewayDevice(gateway);
  try {
    const externalHost = await device.externalHost();
    if (!isReachable(externalHost)) return { kind: 'unfit', why: unfitReason(externalHost) };
    onRequest(gateway);
    return { kind: 'mapped', gateway, externalHost, seconds: await device.map(ports) };
  } catch (error) {
    return { kind: 'refused', gateway, why: errorText(error) };
  }
}

function unfitReason(externalHost: string): string {
  if (externalHost === '' || externalHost === '0.0.0.0') return 'it is not connected to the internet';
  return 'its address is not public: it is behind another router';
}

/** Does not remove a mapping that another machine has created meanwhile. */
async function unmap(gateway: Gateway, ports: MappedPorts): Promise<MappingOutcome> {
  const device = new GatewayDevice(gateway);
  try {
    const wasOurs = await device.isOurs(ports);
    if (wasOurs) await device.unmap(ports);
    return { kind: 'removed', wasOurs };
  } catch (error) {
    return { kind: 'refused', gateway, why: errorText(error) };
  }
}

/** Main function of a thread that runs one task and exits. */
const post = (message: FromMappingThread): void => parentPort?.postMessage(message);
void perform(workerData as MappingTask, (gateway) => post({ kind: 'requesting', gateway })).then((outcome) =>
  post({ kind: 'done', outcome }),
);
