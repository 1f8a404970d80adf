import { daemonApi } from '@wrkz/api';
import { method } from '../declare';
import { refuse } from '../errors';

const { notOneBlob, blobNotHex, blockNotAccepted } = daemonApi.rpcErrors;

export const submitblock = method({
  name: 'submitblock',
  summary: 'Hands a mined block to the chain.',
  labels: { mode: 'MiningEnabled', answeredFrom: 'node' },
  params: daemonApi.submitBlockParams,
  result: daemonApi.submitBlockResult,
  errors: [notOneBlob, blobNotHex, blockNotAccepted, daemonApi.refusals.internal],
  invalid: blobNotHex,
  prepare: (blobs) => {
    if (blobs.length !== 1) throw refuse(notOneBlob, { count: String(blobs.length) });
    return blobs;
  },
  handle: async ({ mining }, [blob]) => {
    if (!(await mining.submit(Buffer.from(blob, 'hex')))) throw refuse(blockNotAccepted);
    return { status: 'OK' as const };
  },
});
