import { request } from 'node:http';

/** Runs commands on the console of a node, by its local socket. */
export function consoleAt(socketPath: string): (command: string) => Promise<string> {
  return (command) =>
    new Promise((resolve, reject) => {
      const clientRequest = request({ socketPath, path: '/console', method: 'POST', agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve((JSON.parse(text) as { output: string }).output));
      });
      clientRequest.on('error', reject);
      clientRequest.end(JSON.stringify({ command }));
    });
}
