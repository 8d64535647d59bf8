import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifies } from "#test/support/verifies";

const MAIN = join(import.meta.dir, "main.ts");

/** A repository in small. Each file has something that one sign counts, and something like it that none does. */
const FIXTURE: Readonly<Record<string, string>> = {
  "biome.json": "{\n}\n",
  "test/architecture.test.ts": `const FOLDERS: readonly Rule[] = [
  ["app.ts", "."],
  // "unruled" has none.
  ["assembly", "."],
  ["cli", "."],
  ["core", ""],
  ["dashboard", "core/"],
  ["features", "core/"],
  ["http", "core/"],
  ["store", "core/"],
];
`,
  "test/requirements/hub.ts": `const A = [
  { id: "a.b", source: "docs/spec/hub.md#start" },
  { id: "a.c", source: "decisions.md §1" },
];
`,
  "docs/spec/hub.md": "# Start\n",
  "docs/architecture.md": `### Streamed chat

1. \`features/model-calls/service.ts\`, \`http/web.ts\` and \`http/web.ts\` again

### Dispute to applied rule

1. \`features/reports/service.ts\`; not \`web.test\`

### A tool call

1. \`features/tools/service.ts\`

## Sign-in of an IDE

1. \`features/oauth/routes.ts\`
`,
  "src/app.ts": `import { Intake } from "#core/intake";
import { web } from "#http/web";

type AppDeps = { readonly now: number };
// type CommentDeps is none, nor is "...{ a" in a comment.
export const createApp = (deps: AppDeps) => {
  const queries = () => late.routes;
  const late = web(deps);
  const early = new Intake();
  return { ...{ queries, early }, tools: late };
};
`,
  "src/assembly/tools.ts": "type Around = { readonly tools: string };\nexport const tools: Around | null = null;\n",
  "src/cli/serve.ts": `import { createApp } from "#app";
import { Intake } from "#core/intake";

const TICK: ReturnType<typeof setInterval> = setInterval(() => createApp({ now: 1 }), 1);
export const intake = [new Intake(), new Map(), TICK];
`,
  "src/core/intake.ts": `/** Whoever comes in at the door. */
const MOST_CALLS = 3;
export const MAX_CALLS = MOST_CALLS;
export class Intake {
  async take(rows: readonly string[]): Promise<number> {
    return rows.length;
  }
  used = this.take([]);
}
export type Answer = { readonly a: "MOST_" };
`,
  "src/http/web.ts": `import type { Presented } from "#features/model-calls/presenter";
export type Answer = Presented;
const timer = setInterval(() => {}, 5);
export const web = (..._: unknown[]): { routes: unknown } => ({ routes: timer });
`,
  "src/features/model-calls/presenter.ts":
    'import type { Answer } from "#http/web";\nexport type Presented = { a: Answer } | "house";\n',
  "src/features/model-calls/service.ts":
    'import type { Presented } from "./presenter";\nimport { admit } from "./admit";\nexport const chat = (): Presented => (admit(), "house");\n',
  "src/features/model-calls/admit.ts": "export const admit = () => {};\n",
  "src/features/reports/service.ts": "export const isReport = true;\n",
  "src/features/tools/service.ts": "export const isTool = true;\n",
  "src/features/oauth/routes.ts":
    'import { Elysia } from "elysia";\nexport const oauth = new Elysia().post("/token", () => 1);\n',
  "src/features/agents/feature.ts": "export const agents = {};\n",
  "src/features/agents/routes.ts": `import { Elysia } from "elysia";
class AgentDoors {
  add(): void {
    this.admit();
  }
  admit = () => {};
}
export const agents = new Elysia().get("/a", () => 1).post("/a", () => new AgentDoors().add());
`,
  "src/dashboard/shell/screens.tsx": `export const MOVED = ["/settings/keeping"]; // keeping
export const WORD = "keeping";
`,
  "src/store/tables.ts": `export const user = { createdAt: kit.integer("created_at"), email: kit.text("email") };
const created = { created_at: row.createdAt, email: row.email };
`,
  "src/unruled/file.ts": `${"// a line\n".repeat(31)}`,
};

const measure = async (root: string): Promise<Map<string, { now: number; state: string | null }>> => {
  const child = Bun.spawn([process.execPath, MAIN, "--json", "--root", root], { stdout: "pipe", stderr: "inherit" });
  const signs: { key: string; now: number; state: string | null }[] = await new Response(child.stdout).json();
  return new Map(signs.map(({ key, now, state }) => [key, { now, state }]));
};

test("signs: each counts what it says in a small repository", async () => {
  verifies("signs.measured");
  const root = await mkdtemp(join(tmpdir(), "guardhouse-signs-"));
  try {
    for (const [path, text] of Object.entries(FIXTURE)) await Bun.write(join(root, path), text);
    const signs = await measure(root);
    expect(Object.fromEntries([...signs].map(([key, { now }]) => [key, now]))).toEqual({
      "composition-lines": 13,
      "feature-lines": 1,
      "forward-references": 1,
      "cli-wiring": 1,
      "deps-types": 1,
      "around-types": 1,
      "serve-timers": 1,
      "other-timers": 1,
      "body-twice": 1,
      "doors-classes": 1,
      "admit-calls": 1,
      "schema-files": 1,
      "folder-pairs": 1,
      "biome-lines": 2,
      "outside-rules": 1,
      "short-files": 15,
      "spread-groups": 1,
      "requirement-sources": 1,
      "src-lines": Object.entries(FIXTURE)
        .filter(([path]) => path.startsWith("src/"))
        .reduce((sum, [, text]) => sum + text.split("\n").length - 1, 0),
      "code-lines": 41,
      "mapping-lines": 1,
      "column-keys": 1,
      "most-constants": 1,
      "shared-type-names": 1,
      "take-methods": 1,
      "retired-names": 10,
      "retired-words": 6,
      "chat-opened": 2,
      "dispute-opened": 1,
      "tool-call-opened": 1,
      "ide-sign-in-opened": 1,
      "chat-values": 2,
      "chat-types": 4,
      "dispute-values": 1,
      "dispute-types": 1,
      "tool-call-values": 1,
      "tool-call-types": 1,
      "ide-sign-in-values": 1,
      "ide-sign-in-types": 1,
    });
    const where = Bun.spawn([process.execPath, MAIN, "--where", "deps-types", "--root", root], { stdout: "pipe" });
    expect(await new Response(where.stdout).text()).toBe("src/app.ts: type AppDeps\n");
    expect(signs.get("biome-lines")?.state).toBe("met");
    expect(signs.get("deps-types")?.state).toBe("not met");
    expect(signs.get("chat-values")?.state).toBeNull();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("signs: this repository is measured whole, as a table with a state for each target", async () => {
  verifies("signs.measured");
  const child = Bun.spawn([process.execPath, MAIN], { stdout: "pipe", stderr: "inherit" });
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  expect(await child.exited).toBe(0);
  expect(lines[0]).toMatch(/^key +sign +now +target$/);
  expect(lines.at(-1)).toMatch(/^\d+ of \d+ met$/);
  const rows = lines.slice(1, -1);
  expect(rows.length).toBeGreaterThan(25);
  for (const row of rows) expect(row).toMatch(/^[a-z-]+ {2,}\S.* {2,}\d+(?: +\d+ {2}(?:met|not met))?$/);
}, 120_000);

test("signs: a list of a flow that names a file which is not there is refused", async () => {
  verifies("signs.measured");
  const root = await mkdtemp(join(tmpdir(), "guardhouse-signs-"));
  try {
    for (const [path, text] of Object.entries(FIXTURE))
      await Bun.write(join(root, path), text.replace("`features/tools/service.ts`", "`features/tools/gone.ts`"));
    const child = Bun.spawn([process.execPath, MAIN, "--where", "tool-call-opened", "--root", root], {
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await new Response(child.stderr).text()).toContain("A tool call: there is no src/features/tools/gone.ts");
    expect(await child.exited).not.toBe(0);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("signs: an unknown one is refused with the keys of all", async () => {
  verifies("signs.measured");
  const child = Bun.spawn([process.execPath, MAIN, "--where", "src-folder"], { stdout: "pipe", stderr: "pipe" });
  expect(await new Response(child.stderr).text()).toContain("unknown sign src-folder; there are composition-lines,");
  expect(await child.exited).not.toBe(0);
});
