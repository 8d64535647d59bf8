import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** The transport as its client takes it: its types know no `exactOptionalPropertyTypes`. */
export const asTransport = (transport: StreamableHTTPClientTransport): Parameters<Client["connect"]>[0] => ({
  start: () => transport.start(),
  send: (message) => transport.send(message),
  close: () => transport.close(),
  setProtocolVersion: (version) => transport.setProtocolVersion(version),
  set onclose(handler: () => void) {
    transport.onclose = handler;
  },
  set onerror(handler: (error: Error) => void) {
    transport.onerror = handler;
  },
  set onmessage(handler: NonNullable<typeof transport.onmessage>) {
    transport.onmessage = handler;
  },
});
