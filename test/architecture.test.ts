import { describe, expect, test } from "bun:test";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { VERSION } from "#cli/version";
import { codeOf, importsOf } from "#test/support/code";
import { command } from "#test/support/program";
import { filesOf } from "#test/support/repository";
import { verifies } from "#test/support/verifies";

/** This file: it names what it forbids. */
const SELF = "test/architecture.test.ts";
const ROOT = resolve(import.meta.dir, "..");

type Source = { readonly path: string; readonly text: string };

const sourcesIn = async (...folders: readonly string[]): Promise<Source[]> => {
  const paths = folders.flatMap((folder) =>
    [...new Bun.Glob("**/*.{ts,tsx}").scanSync(join(ROOT, folder))].map((path) => `${folder}/${path}`),
  );
  return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })));
};

const SRC = await sourcesIn("src");
const ALL = [...SRC, ...(await sourcesIn("test", ".ci"))];

/** The files in which the code matches, with the match. */
const found = (sources: readonly Source[], pattern: RegExp): string[] =>
  sources.flatMap(({ path, text }) => [...codeOf(text).matchAll(pattern)].map(([match]) => `${path}: ${match.trim()}`));

/** Packages, and who may name them; a package that is not here may be named by nobody. */
const PACKAGES: readonly (readonly [name: RegExp, homes: RegExp])[] = [
  [/^@sinclair\/typebox(\/|$)/, /^src\/core\/schema\.ts$/],
  [/^@noble\/hashes\//, /^src\/scan\/detectors\/personal\/crypto\/[a-z0-9]+\.ts$/],
  [/^libphonenumber-js(\/|$)/, /^src\/scan\/detectors\/phone-plan\.ts$/],
  [/^re2js$/, /^src\/scan\/custom\.ts$/],
  [/^drizzle-orm(\/|$)/, /^src\/store\/(columns|tables|db|(?:sqlite|postgres|repositories)\/[a-z-]+)\.ts$/],
  [
    /^elysia(\/|$)|^@elysiajs\//,
    /^src\/(app\.ts|hub\/(?:feature|lifecycle)\.ts|http\/(?:auth\/)?[a-z-]+\.ts|features\/(?:configuration|model-calls|models|oauth|proofs|tools|verdicts(?:\/sources)?)\/routes\.ts)$/,
  ],
  [/^aws4fetch$/, /^src\/upstream\/credentials\/aws-signature\.ts$/],
  [/^jose$/, /^src\/upstream\/credentials\/google\.ts$/],
  [/^oauth4webapi$/, /^src\/upstream\/oidc\.ts$/],
  [/^nodemailer$/, /^src\/upstream\/mail-sender\.ts$/],
  [/^gpt-tokenizer\//, /^src\/guard\/token-tables\/worker\.ts$/],
  [/^@pydantic\/genai-prices$/, /^src\/guard\/money\/catalogue-source\.ts$/],
  [/^marked$/, /^src\/documentation\/markdown\.ts$/],
  [/^smol-toml$/, /^src\/(?:config\/sources|cli\/apply\/document|clients\/edit\/toml)\.ts$/],
  [/^jsonc-parser$/, /^src\/clients\/edit\/jsonc\.ts$/],
  [/^@modelcontextprotocol\//, /^src\/model\/tools\/mcp-types\.ts$/],
  [/^(?:@better-auth\/oauth-provider|better-auth)(\/|$)/, /^src\/identity\/better-auth\/[a-z-]+\.ts$/],
  [/^bun:ffi$/, /^src\/platform\/(?:c-library|leaving-listener|executable-pages)\.ts$/],
  [/^bun:sqlite$/, /^src\/(store\/sqlite\/[a-z-]+|platform\/data-directory|cli\/doctor-database)\.ts$/],
  [
    /^(?:react|react-dom|@tanstack\/react-(?:query|router|virtual)|radix-ui|lucide-react|uplot|get-nonce)(\/|$)/,
    /^src\/dashboard\//,
  ],
  [/^node:/, /^src\/(platform|store\/sqlite|cli|config|upstream\/mcp)\/|^src\/upstream\/(?:guarded|plain)-fetch\.ts$/],
];

/** What other folders may know of stores, upstreams and identity: their ports. Only the composition names what is behind. */
const PORTS = "store/(?!sqlite/|postgres/|repositories/)|upstream/(?:[a-z-]+-)?port$|identity/port$";
const PURE = "core/|scan/|model/|policy/";

/** Which of the hub's own files each folder may name beside its own, lowest first. A folder that is not here may name none. */
const FOLDERS: readonly (readonly [folder: string, imports: string])[] = [
  ["platform", ""],
  ["core", ""],
  ["scan", "core/"],
  ["model", "core/|scan/"],
  ["policy", PURE],
  // How other programs are pointed at a hub: what the page, the command line and the documents say of them.
  ["clients", "core/|model/"],
  ["config", `${PURE}|platform/`],
  ["store", `${PURE}|platform/`],
  ["upstream", `${PURE}|platform/`],
  ["identity", `${PURE}|platform/|store/|${PORTS}`],
  ["audit", `${PURE}|platform/|${PORTS}`],
  ["guard", `${PURE}|platform/|${PORTS}|identity/|audit/`],
  ["hub", `${PURE}|platform/|${PORTS}|identity/|audit/|guard/`],
  ["http", `${PURE}|platform/|identity/|audit/|guard/|hub/`],
  // A feature never imports another: what they share belongs into a layer below, or is a part of the graph.
  ["features", `${PURE}|platform/|${PORTS}|identity/(?!better-auth/)|audit/|guard/|hub/|http/`],
  ["assembly", `${PURE}|platform/|${PORTS}|identity/(?!better-auth/)|audit/|guard/|hub/|http/|features/`],
  ["app.ts", `${PURE}|platform/|${PORTS}|identity/(?!better-auth/)|audit/|guard/|hub/|http/|features/|assembly/`],
  // The pages of the documentation are rendered by the build.
  ["documentation", "core/"],
  ["cli", "."],
  ["main.ts", "."],
  // Types alone, which the test below holds it to.
  ["dashboard", "."],
];

const mayName = (path: string, name: string): boolean => {
  const [, top = "", feature = ""] = path.split("/");
  const own = top === "features" ? `#features/${feature}/` : `#${top}/`;
  if (name.startsWith(own)) return true;
  const imports = FOLDERS.find(([folder]) => folder === top)?.[1] ?? "";
  return imports !== "" && new RegExp(`^#(?:${imports})`).test(name);
};

const mayImport = (path: string, name: string): boolean => {
  if (name.startsWith("./")) return true;
  if (name.startsWith("#")) return mayName(path, name);
  return PACKAGES.some(([packages, homes]) => packages.test(name) && homes.test(path));
};

test("the wire types of MCP are the official SDK's, and nothing else of it is in the source", async () => {
  verifies("tools.sdk-types");
  const types = await Bun.file(join(ROOT, "src/model/tools/mcp-types.ts")).text();
  expect(new Bun.Transpiler({ loader: "ts" }).scanImports(types)).toEqual([]);
  const users = SRC.filter(({ text }) => importsOf(text).includes("#model/tools/mcp-types")).map(({ path }) => path);
  for (const folder of ["src/model/", "src/features/tools/dialect/", "src/upstream/mcp/"]) {
    expect(users.filter((path) => path.startsWith(folder)).length).toBeGreaterThan(0);
  }
});

describe("rooms", () => {
  test("core, scan, model, policy and clients use neither time nor chance, neither network nor process", () => {
    verifies("source.layers");
    const core = SRC.filter(({ path }) => /^src\/(?:core|scan|model|policy|clients)\//.test(path));
    expect(core.length).toBeGreaterThan(150);
    const worldly =
      /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bfetch\(|\bBun\.|\bprocess\.|\bperformance\.|\bset(?:Timeout|Interval|Immediate)\b|\bcrypto\.|\bconsole\./g;
    expect(found(core, worldly)).toEqual([]);
  });

  test("one file reads the environment", () => {
    verifies("source.layers");
    const readers = found(SRC, /\b(?:process|Bun|import\.meta)\.env\b|\bprocess\[|\bBun\[/g);
    expect(readers).toEqual(["src/config/environment.ts: process.env"]);
  });

  test("packages and folders are named only where they may be", () => {
    verifies("source.layers");
    const strays = SRC.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((name) => !mayImport(path, name))
        .map((name) => `${path}: ${name}`),
    );
    expect(strays).toEqual([]);
  });

  test("browser code takes types alone from the hub's own rooms", () => {
    verifies("source.layers");
    const browser = SRC.filter(({ path }) => path.startsWith("src/dashboard/"));
    expect(browser.length).toBeGreaterThan(20);
    const values = browser.flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /^(?:import|export)\s+(?!type\b)[^;]*?from "#(?:http|features|guard|hub|audit|identity|store|upstream|platform|config)\/[^"]+"/gm,
        ),
      ].map(([what]) => `${path}: ${what}`),
    );
    expect(values).toEqual([]);
  });

  test("between rooms by their names, inside a room by the file's, and never up a folder", () => {
    verifies("source.layers");
    const climbing = ({ path, text }: Source): string[] => {
      const folder = resolve(ROOT, path, "..");
      const into = (name: string) => resolve(folder, name).slice(ROOT.length + 1);
      // Only what lies outside both has no other name: the package's own file, the build.
      const up = importsOf(text).filter((name) => name.startsWith("..") && /^(?:src|test)\//.test(into(name)));
      return up.map((name) => `${path}: ${name}`);
    };
    expect(ALL.filter(({ path }) => path !== SELF).flatMap(climbing)).toEqual([]);
    expect(climbing({ path: "src/http/auth/token.ts", text: 'import type { A } from "../core/chat";' })).toHaveLength(
      1,
    );
  });

  test("of a guarded call, the gate knows the record and the record the context, never the other way", () => {
    verifies("source.layers");
    const parts = ["#guard/call-context", "#guard/call-record", "#guard/call-gate", "#guard/guarded-call"];
    const later = parts.flatMap((part, at) => {
      const { text = "" } = SRC.find(({ path }) => path === `${part.replace("#", "src/")}.ts`) ?? {};
      expect(text).not.toBe("");
      return importsOf(text)
        .filter((name) => parts.indexOf(name) > at)
        .map((name) => `${part}: ${name}`);
    });
    expect(later).toEqual([]);
  });

  test("the schema library's types stay behind its one import", () => {
    const users = SRC.filter(({ text }) => importsOf(text).includes("#core/schema"));
    expect(users.length).toBeGreaterThan(3);
  });
});

describe("types and files", () => {
  test("nothing is any, and no check is talked out of its work", () => {
    verifies("source.types");
    expect(found(ALL, /[:<|&,(=]\s*any\b(?!["'\w])|\bas any\b|\bany\[\]|\bas unknown as\b/g)).toEqual([]);
    // That a missing need does not compile is a promise of the graph, and tested as one.
    const others = ALL.filter(({ path }) => path !== SELF && path !== "test/hub/graph.test.ts");
    const silenced = others.flatMap(({ path, text }) =>
      [...text.matchAll(/@ts-(?:ignore|nocheck|expect-error)|eslint-disable/g)].map(([what]) => `${path}: ${what}`),
    );
    expect(silenced).toEqual([]);
  });

  test("architecture rules detect violations", () => {
    const bad = [
      "const x: any = 1;",
      "f(y as unknown as string)",
      "const at = `$" + "{Date.now()}`;",
      "const a = b.replace(/['\"]/g, ''); const z = Math.random();",
      "// Date.now() in a comment\nconst s = 'Math.random() in a string: any';",
    ].map((text, at): Source => ({ path: `${at}`, text }));
    expect(found(bad, /:\s*any\b|\bas unknown as\b/g)).toEqual(["0: : any", "1: as unknown as"]);
    expect(found(bad, /\bDate\.now\b|\bMath\.random\b/g)).toEqual(["2: Date.now", "3: Math.random"]);
    expect(
      importsOf('import type { A } from "../a"; \nexport * from \'../b\';\nawait import("../c");\nimport "../d";'),
    ).toEqual(["../a", "../b", "../c", "../d"]);
    expect(mayImport("src/model/chat.ts", "elysia")).toBe(false);
    expect(mayImport("src/http/auth/token.ts", "left-pad")).toBe(false);
    expect(mayImport("src/http/auth/token.ts", "elysia")).toBe(true);
    expect(mayImport("src/model/chat.ts", "#platform/clock")).toBe(false);
    expect(mayImport("src/guard/call.ts", "#store/port")).toBe(true);
    expect(mayImport("src/guard/call.ts", "#store/sqlite/index")).toBe(false);
    expect(mayImport("src/features/model-calls/service.ts", "#features/tools/service")).toBe(false);
    expect(mayImport("src/features/model-calls/service.ts", "#features/model-calls/result")).toBe(true);
    expect(mayImport("src/new-folder/file.ts", "#model/chat")).toBe(false);
  });
});

test("the version is the package's", async () => {
  verifies("source.version");
  const { version } = await Bun.file(join(ROOT, "package.json")).json();
  expect(VERSION).toBe(version);
  const { stdout } = Bun.spawnSync([...command(), "version", "--json"], { env: {} });
  expect(JSON.parse(stdout.toString())).toMatchObject({ version });
});

test("no file in the repository knows the machine it was made on, or where its packages came from", async () => {
  verifies("source.portable");
  const paths = (await filesOf(ROOT)).filter((path) => path !== SELF);
  expect(paths.length).toBeGreaterThan(100);
  const machine = [ROOT, homedir()]
    .filter((path) => path.split("/").length > 2 || path === "/root")
    .map((path) => `${path}/`);
  const elsewhere =
    /(?<![\w.$}-])\/(?:home|Users|root)\/[a-z][\w-]*\/|\b[A-Z]:\\Users\\|\bregistry\.[a-z]+\.[a-z]{2,}|\/\/[^\s/"']*(?:artifactory|verdaccio|nexus|npm-proxy)/;
  const hits: string[] = [];
  for (const path of paths) {
    const file = Bun.file(join(ROOT, path));
    if (!(await file.exists()) || file.size > 2_000_000) continue;
    const text = await file.text();
    const [hit] = elsewhere.exec(text) ?? machine.filter((name) => text.includes(name));
    if (hit !== undefined) hits.push(`${path}: ${hit}`);
  }
  expect(hits).toEqual([]);
});

test.skipIf(command().length > 1)(
  "the binary takes nothing from the directory it is started in",
  async () => {
    verifies("binary.no-autoload");
    const place = await mkdtemp(join(tmpdir(), "guardhouse-cwd-"));
    const [binary = ""] = command();
    const mark = join(place, "was-run");
    const run = (...args: readonly string[]) => {
      const { exitCode, stdout, stderr } = Bun.spawnSync([binary, ...args], {
        cwd: place,
        env: { HOME: place, NODE_ENV: "development" },
      });
      return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
    };
    try {
      const clean = run("config", "show", "--json", "--data-dir", "elsewhere");
      expect(clean.exitCode).toBe(0);
      const variables =
        "GUARDHOUSE_LISTEN=0.0.0.0:1\nGUARDHOUSE_LOG_LEVEL=debug\nGUARDHOUSE_NO_SUCH_KEY=1\nBUN_OPTIONS=--preload=./hostile.ts\n";
      for (const name of [".env", ".env.local", ".env.development", ".env.development.local", ".env.production"])
        await writeFile(join(place, name), variables);
      const settings =
        'preload = ["./hostile.ts"]\nlogLevel = "debug"\n[define]\n"process.env.GUARDHOUSE_LISTEN" = "\'0.0.0.0:1\'"\n';
      for (const name of ["bunfig.toml", ".bunfig.toml"]) await writeFile(join(place, name), settings);
      await writeFile(join(place, "hostile.ts"), `await Bun.write(${JSON.stringify(mark)}, "run");`);
      await writeFile(
        join(place, "package.json"),
        '{"name":"hostile","imports":{"#*":"./hostile.ts"},"type":"commonjs"}',
      );
      await writeFile(join(place, "tsconfig.json"), '{"compilerOptions":{"paths":{"*":["./hostile.ts"]}}}');
      for (const name of ["guardhouse.toml", "config.toml"])
        await writeFile(join(place, name), 'listen = "0.0.0.0:1"\n');
      // The hooks of the runtime itself would be taken from beside a script; this one has none beside it.
      await cp(join(place, "hostile.ts"), join(place, "main.ts"));
      expect(run("config", "show", "--json", "--data-dir", "elsewhere")).toEqual(clean);
      // A service begins by starting itself again: that must take nothing either. It ends at once, with usage.
      expect(run("serve", "--listen", "nonsense").exitCode).toBe(3);
      const service = Bun.spawn([binary, "serve", "--listen", "127.0.0.1:0", "--data-dir", "data"], {
        cwd: place,
        env: { HOME: place },
        stdout: "pipe",
        stderr: "pipe",
      });
      const { value } = await service.stdout.getReader().read();
      service.kill("SIGKILL");
      await service.exited;
      const [first = ""] = new TextDecoder().decode(value).split("\n");
      expect(JSON.parse(first)).toMatchObject({
        event: "listening",
        url: expect.stringContaining("http://127.0.0.1:"),
      });
      expect(await Bun.file(mark).exists()).toBe(false);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  },
  20_000,
);
