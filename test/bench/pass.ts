/** The yardstick: a relay that does nothing but pass requests on, written the obvious way. */
import { serveParent } from "./child.ts";

const upstream = process.argv[2] ?? "";

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch: ({ url, method, headers, body }) => fetch(upstream + new URL(url).pathname, { method, headers, body }),
});
serveParent(`http://127.0.0.1:${server.port}`);
