import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "#config/load";
import { configKeys } from "#config/schema";
import { variableOf } from "#config/sources";
import { selfSigned } from "#test/support/certificate";
import { says } from "#test/support/fake-provider";
import { anyPort } from "#test/support/port";
import { verifies } from "#test/support/verifies";
import { ChatWorld } from "./flow/chat-world";

/*
 * docs/recipes: each configuration is taken from its page and read by the program it is for, where that is installed
 * (Debian: nginx-light, caddy, prometheus, systemd), with ports and paths of this test in place of the page's.
 */

const RECIPES = join(import.meta.dir, "../docs/recipes");
const HOST = "guardhouse.example.org";

/** The code blocks of a page in a language, in order. */
const blocksIn = async (page: string, language: string): Promise<string[]> => {
  const text = await Bun.file(join(RECIPES, `${page}.md`)).text();
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, block = ""]) => block,
  );
};

const blockIn = async (page: string, language: string): Promise<string> => {
  const [block] = await blocksIn(page, language);
  if (block === undefined) throw new Error(`docs/recipes/${page}.md has no ${language}`);
  return block;
};

/** Replaces what must be there. */
const replaced = (text: string, ...pairs: readonly (readonly [from: string, to: string])[]): string => {
  let result = text;
  for (const [from, to] of pairs) {
    expect(result).toContain(from);
    result = result.replaceAll(from, to);
  }
  return result;
};

let home: string;
let world: ChatWorld;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "guardhouse-recipes-"));
  const env = { GUARDHOUSE_PUBLIC_URL: `https://${HOST}`, GUARDHOUSE_TRUSTED_PROXIES: "127.0.0.1/32" };
  const metrics = { GUARDHOUSE_METRICS__LISTEN: "127.0.0.1:0", GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8" };
  world = await ChatWorld.open({ env: { ...env, ...metrics } });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const hubPort = (): string => new URL(world.hub.url).port;

const folder = async (name: string): Promise<string> => {
  const path = join(home, name);
  await mkdir(path, { recursive: true });
  return path;
};

type Program = AsyncDisposable & { readonly said: () => string };

/** A program that runs until it is left; it gets nothing of this environment but a path and a home. */
const started = async (command: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Program> => {
  let text = "";
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: cwd, XDG_DATA_HOME: cwd, XDG_CONFIG_HOME: cwd, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    for await (const chunk of stream) text += new TextDecoder().decode(chunk);
  };
  const ended = Promise.all([read(child.stdout), read(child.stderr), child.exited]);
  return {
    said: () => text,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
};

/** Asks until the program listens. */
const answered = async (program: Program, ask: () => Promise<Response>): Promise<Response> => {
  for (const deadline = performance.now() + 60_000; ; await Bun.sleep(20)) {
    try {
      return await ask();
    } catch (fault) {
      if (performance.now() > deadline) throw new Error(program.said(), { cause: fault });
    }
  }
};

const run = async (...command: string[]): Promise<{ code: number; output: string }> => {
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: stdout + stderr };
};

const titled = (title: string, program: string): readonly [title: string, isMissing: boolean] => {
  const isMissing = Bun.which(program) === null;
  return [isMissing ? `${title} (skipped: there is no ${program})` : title, isMissing];
};
const withProgram = (program: string, title: string, body: () => Promise<void>): void => {
  const [words, isMissing] = titled(title, program);
  test.skipIf(isMissing)(
    words,
    async () => {
      verifies("docs.recipes");
      await body();
    },
    120_000,
  );
};

/** What every proxy must do, asked of one that listens at this port by TLS. */
const expectGoodProxy = async (program: Program, port: number): Promise<void> => {
  const headers = { host: HOST };
  const tls = { rejectUnauthorized: false, serverName: HOST, checkServerIdentity: () => undefined };
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`https://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { ...headers, ...Object(init.headers) },
      tls,
    });
  expect((await answered(program, () => ask("/readyz"))).status).toBe(200);
  const page = await ask("/docs/", { headers: { accept: "text/html" } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<h1>Documentation</h1>")]);

  // The rest of the stream is not sent before its beginning has come through.
  const begun = Promise.withResolvers<void>();
  world.provider.next(says(["Good ", "morning."], { last: begun.promise }));
  const answer = await ask("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${world.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "fake-model", stream: true, messages: [{ role: "user", content: "Hello" }] }),
  });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("Good")) begun.resolve();
  }
  expect(text).toContain("data: [DONE]");

  // A body as long as the hub takes is passed on, and its own refusal beyond.
  const { body_bytes } = loadConfig({ environment: {} }).config.limits;
  const send = (bytes: number) =>
    ask("/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${world.token}`, "content-type": "application/json" },
      body: `{"model":"fake-model","messages":[],"pad":"${"x".repeat(bytes)}"}`,
    });
  expect(Object(await (await send(body_bytes)).json()).error.code).toBe("request_too_large");
};

describe("recipes", () => {
  withProgram("nginx", "nginx: TLS, streams as they come, long bodies, by the configuration of the page", async () => {
    const place = await folder("nginx");
    using held = anyPort();
    const { key, cert } = selfSigned(HOST);
    await Promise.all([writeFile(join(place, "fullchain.pem"), cert), writeFile(join(place, "privkey.pem"), key)]);
    const server = replaced(
      await blockIn("nginx", "nginx"),
      ["listen 443 ssl;", `listen 127.0.0.1:${held.port} ssl;`],
      ["/etc/ssl/guardhouse/", `${place}/`],
      ["server 127.0.0.1:8787;", `server 127.0.0.1:${hubPort()};`],
    );
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${place}/${kind};`,
    );
    const whole = `pid ${place}/pid; error_log ${place}/error.log; events {} http { access_log off; ${temporary.join(" ")}\n${server}}`;
    await writeFile(join(place, "nginx.conf"), whole);
    const command = ["nginx", "-p", place, "-c", join(place, "nginx.conf")];
    const check = await run(...command, "-t", "-e", join(place, "error.log"));
    expect(check).toEqual({ code: 0, output: expect.stringContaining("test is successful") });
    expect(check.output).not.toContain("[warn]");
    await using nginx = await started([...command, "-e", join(place, "error.log"), "-g", "daemon off;"], place);
    await expectGoodProxy(nginx, held.port);
  });

  withProgram("caddy", "Caddy: TLS, streams as they come, long bodies, by the configuration of the page", async () => {
    const place = await folder("caddy");
    using held = anyPort();
    const { key, cert } = selfSigned(HOST);
    await Promise.all([writeFile(join(place, "cert.pem"), cert), writeFile(join(place, "key.pem"), key)]);
    const site = replaced(
      await blockIn("caddy", "caddyfile"),
      [`${HOST} {`, `${HOST}:${held.port} {\n\ttls ${place}/cert.pem ${place}/key.pem\n\tbind 127.0.0.1`],
      ["reverse_proxy 127.0.0.1:8787", `reverse_proxy 127.0.0.1:${hubPort()}`],
    );
    await writeFile(join(place, "Caddyfile"), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
    const command = ["--config", join(place, "Caddyfile"), "--adapter", "caddyfile"];
    expect((await run("caddy", "validate", ...command)).code).toBe(0);
    await using caddy = await started(["caddy", "run", ...command], place);
    await expectGoodProxy(caddy, held.port);
  });

  withProgram("promtool", "Prometheus reads the configuration and every query of the page", async () => {
    const place = await folder("promtool");
    const file = join(place, "prometheus.yml");
    await writeFile(file, await blockIn("prometheus", "yaml"));
    const check = await run("promtool", "check", "config", file);
    expect(check).toEqual({ code: 0, output: expect.stringContaining("SUCCESS") });
  });

  withProgram("prometheus", "Prometheus scrapes the hub, and the queries of the page have answers", async () => {
    const place = await folder("prometheus");
    using held = anyPort();
    const { url } = await world.hub.log("metrics.listening");
    const config = replaced(
      await blockIn("prometheus", "yaml"),
      ["127.0.0.1:9464", new URL(String(url)).host],
      ["scrape_interval: 15s", "scrape_interval: 1s"],
    );
    await writeFile(join(place, "prometheus.yml"), config);
    const answer = await world.ask("Hello there");
    expect(answer.status).toBe(200);
    await answer.text();
    const address = `127.0.0.1:${held.port}`;
    const flags = [
      `--web.listen-address=${address}`,
      `--storage.tsdb.path=${place}/data`,
      `--config.file=${place}/prometheus.yml`,
    ];
    await using prometheus = await started(["prometheus", ...flags], place);
    const ask = async (query: string): Promise<{ status: string; data: { result: unknown[] } }> => {
      const url = `http://${address}/api/v1/query?query=${encodeURIComponent(query)}`;
      return Object(await (await answered(prometheus, () => fetch(url))).json());
    };
    for (const deadline = performance.now() + 60_000; ; await Bun.sleep(100)) {
      const isReady = (await answered(prometheus, () => fetch(`http://${address}/-/ready`))).ok;
      if (isReady && (await ask("guardhouse_calls_total > 0")).data?.result?.length > 0) break;
      if (performance.now() > deadline) throw new Error(prometheus.said());
    }
    const page = await Bun.file(join(RECIPES, "prometheus.md")).text();
    const queries = [...page.matchAll(/^\| [A-Z0-9][^|]+ \| `([^`]+)` \|$/gm)].map(([, query = ""]) => query);
    expect(queries.length).toBeGreaterThan(5);
    for (const query of queries) expect([query, (await ask(query)).status]).toEqual([query, "success"]);
    // Each names metrics that the hub has.
    const named = queries.flatMap((query) => query.match(/guardhouse_\w+/g) ?? []);
    const metrics = await (await fetch(String(url))).text();
    for (const name of named) expect(metrics).toContain(name.replace(/_bucket$/, ""));
  });

  withProgram("systemd-analyze", "systemd reads the unit of the page", async () => {
    const place = await folder("systemd");
    const unit = replaced(await blockIn("systemd", "ini"), ["/usr/local/bin/guardhouse", "/bin/true"]);
    await writeFile(join(place, "guardhouse.service"), unit);
    const { code, output } = await run("systemd-analyze", "verify", "--man=no", join(place, "guardhouse.service"));
    // What other units of this machine have is theirs.
    expect(output.split("\n").filter((line) => line.includes("guardhouse.service"))).toEqual([]);
    expect(code).toBe(0);
  });

  test("systemd: the settings are known, and the unit names the file that the page writes", async () => {
    verifies("docs.recipes");
    const [unit = ""] = await blocksIn("systemd", "ini");
    const [, variable = "", file = ""] = /^Environment=(\w+)=(.+)$/m.exec(unit) ?? [];
    expect(variable).toBe("GUARDHOUSE_CONFIG");
    const [commands = ""] = await blocksIn("systemd", "sh");
    const [, path, toml = ""] = /tee (\S+) <<'EOF'\n([\s\S]*?)^EOF/m.exec(commands) ?? [];
    expect(path).toBe(file);
    expect(Object.keys(Bun.TOML.parse(toml))).toEqual(["data_dir", "listen", "public_url"]);
  });

  test("Compose: settings, secrets and volumes that exist, and the port and folder of the image", async () => {
    verifies("docs.recipes");
    const compose: unknown = Bun.YAML.parse(await blockIn("compose", "yaml"));
    const { services, volumes, secrets } = Object(compose);
    const hub = services.guardhouse;
    const known = new Set(configKeys().flatMap((key) => [variableOf(key), `${variableOf(key)}_FILE`]));
    expect(Object.keys(hub.environment).filter((name) => !known.has(name))).toEqual([]);
    expect(hub.secrets).toEqual(Object.keys(secrets));
    expect(hub.environment.GUARDHOUSE_MASTER_KEY_FILE).toBe(`/run/secrets/${hub.secrets[0]}`);
    expect([hub.volumes, Object.keys(volumes)]).toEqual([["guardhouse:/data"], ["guardhouse"]]);
    expect(hub.ports).toEqual(["127.0.0.1:8787:8787"]);
    expect(hub.environment.GUARDHOUSE_PUBLIC_URL).toBe("http://localhost:8787");
  });

  test("LiteLLM: a file it can read, which names the hub and asks once", async () => {
    verifies("docs.recipes");
    const config = Object(Bun.YAML.parse(await blockIn("litellm", "yaml")));
    expect(config.model_list[0].litellm_params).toMatchObject({
      model: "openai/*",
      api_base: "https://hub.example.com/v1",
    });
    expect(config.litellm_settings.num_retries).toBe(0);
  });

  withProgram("node", "Slack: the relay takes signed events alone, each once, and writes a message", async () => {
    const place = await folder("slack");
    await using slack = await messages();
    using held = anyPort();
    await writeFile(join(place, "relay.mjs"), await blockIn("slack", "js"));
    const relay = `http://127.0.0.1:${held.port}/`;
    const { json } = await world.hub.cli("webhook", "add", relay, "--events", "killswitch.*");
    const { id, secret } = Object(json());
    const env = { SLACK_URL: slack.url, WEBHOOK_SECRET: String(secret), PORT: String(held.port) };
    await using program = await started(["node", "relay.mjs"], place, env);
    const forged = await answered(program, () => fetch(relay, { method: "POST", body: "{}" }));
    expect(forged.status).toBe(401);
    expect((await world.hub.cli("webhook", "test", String(id))).code).toBe(0);
    expect(await slack.next()).toMatch(/^\*webhook\.test\* at 20/);
    expect((await world.hub.cli("killswitch", "on", "--reason", "A drill")).code).toBe(0);
    expect(await slack.next()).toMatch(/^\*killswitch\.on\* at 20\S+\nhttps:\/\/guardhouse\.example\.org\/api\//);
    expect((await world.hub.cli("killswitch", "off")).code).toBe(0);
    expect(await slack.next()).toMatch(/^\*killswitch\.off\*/);
  });
});

/** Stands for Slack: takes messages, and gives them in the order they came. */
const messages = async () => {
  const waiting: ((text: string) => void)[] = [];
  const come: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { text } = Object(await request.json());
      const next = waiting.shift();
      if (next) next(String(text));
      else come.push(String(text));
      return new Response("ok");
    },
  });
  return {
    url: server.url.href,
    next: (): Promise<string> => {
      const text = come.shift();
      return text === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(text);
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
};
