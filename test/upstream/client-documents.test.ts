import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "#core/json/json";
import { selfSigned } from "#test/support/certificate";
import { verifies } from "#test/support/verifies";
import { clientDocuments } from "#upstream/client-documents";

const ROOT = join(import.meta.dir, "../..");
const HOST = "app.example.test";
const GOOD = { client_id: "x" };

const never = (): ReadableStream => new ReadableStream({ start: () => {} });
/** One byte, and nothing more. */
const trickle = (): ReadableStream =>
  new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) });

const JSON_TYPE = { "content-type": "application/json" };

const served = (path: string): Response | Promise<Response> => {
  if (path === "/slow") return new Response(never(), { headers: JSON_TYPE });
  if (path === "/trickle") return new Response(trickle(), { headers: JSON_TYPE });
  if (path === "/silent") return new Promise(() => {});
  if (path === "/away") return Response.redirect("https://127.0.0.1/secret", 307);
  if (path === "/packed") {
    const body = Bun.gzipSync(Buffer.from(JSON.stringify({ ...GOOD, padding: "0".repeat(5_000_000) })));
    return new Response(body, { headers: { ...JSON_TYPE, "content-encoding": "gzip" } });
  }
  if (path === "/partial") return Response.json(GOOD, { status: 206 });
  if (path === "/typed")
    return new Response(JSON.stringify(GOOD), { headers: { "content-type": "application/vnd.x+json" } });
  if (path === "/text")
    return new Response(JSON.stringify(GOOD), { headers: { "content-type": "text/plain; application/json" } });
  return Response.json(GOOD);
};

test("client document fetch: https, from the checked address, with a time limit", async () => {
  verifies("oauth.documents-guarded");
  const folder = await mkdtemp(join(tmpdir(), "client-documents-"));
  const certificate = selfSigned(HOST);
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: certificate,
    idleTimeout: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      return served(pathname);
    },
  });
  try {
    await writeFile(join(folder, "ca.pem"), certificate.cert);
    // A process of its own: whom it trusts is read from the environment at the start.
    const script = `
      import { clientDocuments } from "#upstream/client-documents";
      const at = (host, path) => "https://" + host + ":${server.port}" + path;
      const make = (resolve, timeoutMs = 5000) =>
        clientDocuments({ allowPrivate: ["127.0.0.1/32"], version: "0", resolve, timeoutMs });
      const here = make(async () => ["127.0.0.1"]);
      const hasty = make(async () => ["127.0.0.1"], 200);
      const leads = [["127.0.0.1"], ["169.254.169.254"], ["127.0.0.1", "10.0.0.1"]];
      let lookups = 0;
      const rebound = make(async () => leads[lookups++]);
      const said = {};
      for (const path of ["/good", "/typed", "/text", "/away", "/partial", "/packed"]) said[path] = await here(at("${HOST}", path));
      for (const path of ["/slow", "/trickle", "/silent"]) said[path] = await hasty(at("${HOST}", path));
      for (const path of ["/first", "/second", "/third"]) said[path] = await rebound(at("${HOST}", path));
      said.lookups = lookups;
      said.name = await here(at("other.example.test", "/name"));
      said.plain = await here("http://${HOST}:${server.port}/plain");
      console.log(JSON.stringify(said));
      process.exit(0);`;
    const child = Bun.spawn([process.execPath, "-e", script], {
      cwd: ROOT,
      env: { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") },
      stderr: "inherit",
    });
    const said: unknown = JSON.parse(await new Response(child.stdout).text());
    if (!isRecord(said)) throw new Error("nothing was said");
    const document = { kind: "document", document: GOOD };
    const none = (why: string) => ({ kind: "none", why });
    expect(said).toEqual({
      "/good": document,
      "/typed": document,
      "/text": none("type"),
      "/away": none("redirect"),
      "/partial": none("status"),
      "/packed": none("type"),
      "/slow": none("timeout"),
      "/trickle": none("timeout"),
      "/silent": none("timeout"),
      "/first": document,
      "/second": none("forbidden_address"),
      "/third": none("forbidden_address"),
      lookups: 3,
      name: none("broken"),
      plain: none("forbidden_address"),
    });
    for (const path of ["/second", "/third", "/secret", "/name", "/plain"]) expect(asked).not.toContain(path);
  } finally {
    server.stop(true);
    await rm(folder, { recursive: true });
  }
});

test.each([
  "https://127.0.0.1/c",
  "https://localhost/c",
  "https://[::ffff:7f00:1]/c",
  "https://[64:ff9b::a9fe:a9fe]/c",
  "https://0x7f.1/c",
  "https://192.168.1.1/c",
  "https://100.64.0.1/c",
  "https://user@93.184.215.14/c",
  "file:///etc/passwd",
])("%s is not connected to", async (url) => {
  verifies("oauth.documents-guarded");
  expect(await clientDocuments({ allowPrivate: [], version: "0" })(url)).toEqual({
    kind: "none",
    why: "forbidden_address",
  });
});
