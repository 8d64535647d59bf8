/**
 * The yardstick: a relay that does nothing but pass requests on, written the obvious way. With `json` it reads the
 * answer and writes it anew, as whoever speaks the protocol must.
 */
import { serveParent } from "./child.ts";

const [upstream = "", reading = ""] = process.argv.slice(2);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch({ url, method, headers, body }) {
    const answer = await fetch(upstream + new URL(url).pathname, { method, headers, body });
    return reading === "json" ? Response.json(await answer.json(), { status: answer.status }) : answer;
  },
});
serveParent(`http://127.0.0.1:${server.port}`);
