import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned } from "#test/support/certificate";
import { verifies } from "#test/support/verifies";
import { guardedFetch, operatorFetch, type Resolve } from "#upstream/mcp/guarded-fetch";
import { ToolFailure } from "#upstream/tool-port";

const ROOT = join(import.meta.dir, "../..");
const PUBLIC = "93.184.215.14";

type Seen = { readonly host: string | null; readonly port: number | undefined; aborted: boolean };
const seen: Seen[] = [];
let server: Bun.Server<undefined>;

/** Sends one piece and no more. */
const slowly = (): ReadableStream =>
  new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("one ")) });

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request, self) => {
      const entry: Seen = {
        host: request.headers.get("host"),
        port: self.requestIP(request)?.port,
        aborted: false,
      };
      request.signal.addEventListener("abort", () => {
        entry.aborted = true;
      });
      seen.push(entry);
      const { pathname } = new URL(request.url);
      if (pathname === "/away") return new Response(null, { status: 307, headers: { location: "/other" } });
      if (pathname === "/slow") return new Response(slowly());
      return new Response(await request.text());
    },
  });
});
afterAll(() => server.stop(true));

const resolveTo = (...addresses: readonly string[]): Resolve => {
  return async () => addresses;
};

const guarded = (resolve: Resolve, allowPrivate: readonly string[] = []) =>
  guardedFetch({ allowPrivate, connectMs: 15_000, resolve });

const failureOf = async (asked: Promise<Response>): Promise<ToolFailure> => {
  try {
    await asked;
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
  throw new Error("it was connected to");
};

describe("guarded fetch: refused addresses", () => {
  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://017700000001/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://0/",
    "https://10.0.0.1/",
  ])("%s is not connected to, and not looked up", async (url) => {
    verifies("tools.ssrf-connect");
    const asked: string[] = [];
    const fetch = guarded(async (name) => {
      asked.push(name);
      return [PUBLIC];
    });
    const failure = await failureOf(fetch(url, {}));
    expect(failure.reason).toBe("forbidden_address");
    expect(failure.message).toContain("tool_gateway.allow_private");
    expect(asked).toEqual([]);
  });

  test("one forbidden address among good ones is enough", async () => {
    verifies("tools.ssrf-connect");
    for (const bad of ["127.0.0.1", "10.0.0.1", "fd00::1", "::ffff:1.1.1.1", "fe80::1%eth0"]) {
      const failure = await failureOf(guarded(resolveTo(PUBLIC, bad))(`http://api.example.test:${server.port}/`, {}));
      expect(failure.reason).toBe("forbidden_address");
      // The name is known to who asks; what it means in here is not.
      expect(failure.message).toContain("api.example.test");
      expect(failure.message).not.toContain(bad);
    }
  });

  test("the system's own names too", async () => {
    const fetch = guardedFetch({ allowPrivate: [], connectMs: 2_000 });
    expect((await failureOf(fetch(`http://localhost:${server.port}/`, {}))).reason).toBe("forbidden_address");
  });

  test("an exception holds for its network only", async () => {
    const fetch = guarded(resolveTo("127.0.0.1", "10.0.0.1"), ["127.0.0.0/8"]);
    expect((await failureOf(fetch("http://api.example.test/", {}))).reason).toBe("forbidden_address");
  });

  test.each(["file:///etc/passwd", "ftp://example.test/", "http://user:word@example.test/", "data:,x", "nonsense"])(
    "%s is no address of a tool server, an operator's neither",
    async (url) => {
      expect((await failureOf(guarded(resolveTo(PUBLIC))(url, {}))).reason).toBe("forbidden_address");
      expect((await failureOf(operatorFetch()(url, {}))).reason).toBe("forbidden_address");
    },
  );

  test("a network that is none stops the start", () => {
    expect(() => guarded(resolveTo(PUBLIC), ["10.0.0.0"])).toThrow("10.0.0.0 is not a network");
  });
});

describe("where it connects", () => {
  test("to the address that was checked: the name is looked up once", async () => {
    verifies("tools.ssrf-connect");
    const answers = [["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"]];
    let lookups = 0;
    const fetch = guarded(async () => answers[lookups++] ?? [], ["127.0.0.1/32"]);
    const response = await fetch(`http://rebind.example.test:${server.port}/`, { method: "POST", body: "hello" });
    expect(await response.text()).toBe("hello");
    expect(lookups).toBe(1);
    expect(seen.at(-1)?.host).toBe(`rebind.example.test:${server.port}`);
    // The same name means something else now: the open connection is no way around the check.
    expect((await failureOf(fetch(`http://rebind.example.test:${server.port}/`, {}))).reason).toBe("forbidden_address");
  });

  test("connections are kept", async () => {
    const fetch = guarded(resolveTo("127.0.0.1"), ["127.0.0.1/32"]);
    for (const name of ["a", "b", "a"]) await (await fetch(`http://${name}.test:${server.port}/`, {})).text();
    const last = seen.slice(-3);
    expect(last.map(({ host }) => host?.split(".")[0])).toEqual(["a", "b", "a"]);
    expect(new Set(last.map(({ port }) => port)).size).toBe(1);
  });

  test("an address that takes no connection is followed by the next", async () => {
    const fetch = guarded(resolveTo("127.0.0.9", "127.0.0.1"), ["127.0.0.0/8"]);
    const response = await fetch(`http://two.test:${server.port}/`, { method: "POST", body: "hello" });
    expect(await response.text()).toBe("hello");
  });

  test("redirects are not followed, an operator's neither", async () => {
    verifies("tools.ssrf-redirects");
    const before = seen.length;
    for (const fetch of [guarded(resolveTo("127.0.0.1"), ["127.0.0.1/32"]), operatorFetch()]) {
      const response = await fetch(`http://127.0.0.1:${server.port}/away`, { redirect: "follow" });
      expect(response.status).toBe(307);
    }
    expect(seen.length - before).toBe(2);
  });
});

describe("how it carries", () => {
  const fetch = guarded(resolveTo("127.0.0.1"), ["127.0.0.1/32"]);

  test("an answer is read while it is written, and ended from this side", async () => {
    const abort = new AbortController();
    const response = await fetch(`http://slow.test:${server.port}/slow`, { signal: abort.signal });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("one ");
    const entry = seen.at(-1);
    abort.abort();
    await expect(reader?.read()).rejects.toThrow();
    while (!entry?.aborted) await Bun.sleep(5);
  });

  test("a lookup that never ends is given up, and ends with the call", async () => {
    const never: Resolve = () => new Promise(() => {});
    const impatient = guardedFetch({ allowPrivate: [], connectMs: 20, resolve: never });
    expect((await failureOf(impatient("http://a.test/", {}))).reason).toBe("unreachable");
    const abort = new AbortController();
    const asked = guarded(never)("http://a.test/", { signal: abort.signal });
    abort.abort(new Error("gone"));
    await expect(asked).rejects.toThrow("gone");
  });

  test("a name without addresses is said to be one", async () => {
    const failure = await failureOf(guarded(resolveTo())("http://a.test/", {}));
    expect(failure).toMatchObject({ reason: "unreachable", message: "The name a.test has no address." });
  });
});

test("https: the certificate is the name's, although the connection goes to an address", async () => {
  verifies("tools.ssrf-tls");
  const folder = await mkdtemp(join(tmpdir(), "guarded-fetch-"));
  const names = ["good.example.test", "other.example.test"];
  const [good, other] = names.map(selfSigned);
  if (!good || !other) throw new Error("no certificates");
  const https = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: good,
    fetch: ({ headers }) => new Response(headers.get("host")),
  });
  try {
    await writeFile(join(folder, "ca.pem"), good.cert + other.cert);
    // A process of its own: whom it trusts is read from the environment at the start.
    const script = `
      import { guardedFetch } from "#upstream/mcp/guarded-fetch";
      const ask = guardedFetch({ allowPrivate: ["127.0.0.1/32"], connectMs: 15000, resolve: async () => ["127.0.0.1"] });
      for (const host of ["good.example.test", "other.example.test", "good.example.test", "127.0.0.1"]) {
        const answer = await ask("https://" + host + ":${https.port}/", {}).then((r) => r.text(), (e) => e.code);
        console.log(answer);
      }`;
    const child = Bun.spawn([process.execPath, "-e", script], {
      cwd: ROOT,
      env: { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") },
      stderr: "inherit",
    });
    const lines = (await new Response(child.stdout).text()).trim().split("\n");
    const accepted = `good.example.test:${https.port}`;
    const wrongName = "ERR_TLS_CERT_ALTNAME_INVALID";
    expect(lines).toEqual([accepted, wrongName, accepted, wrongName]);
  } finally {
    https.stop(true);
    await rm(folder, { recursive: true });
  }
});
