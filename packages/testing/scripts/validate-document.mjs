// Prints the errors of the OpenAPI or OpenRPC document on standard input as a JSON array. A separate program, because
// the validator of OpenAPI only exists as ES modules. Both validators include their meta schemas and use no network.
import { text } from 'node:stream/consumers';

const [kind] = process.argv.slice(2);
const document = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(kind === 'openapi' ? await openApiFaults() : await openRpcFaults()));

async function openApiFaults() {
  const { Validator } = await import('@seriousme/openapi-schema-validator');
  const { valid, errors } = await new Validator().validate(document);
  return valid ? [] : [errors].flat();
}

async function openRpcFaults() {
  const { default: tools } = await import('@open-rpc/schema-utils-js');
  const result = tools.validateOpenRPCDocument(document);
  return result === true ? [] : [String(result)];
}
