/*
 * Takes the pictures of the dashboard that the README and the documents show: `bun .ci/screenshots.ts`, after
 * `bun run build`, on a machine with Chromium; names behind it (`overview call`) take only those. They go to docs/images, each screen by day and by night. The hub they
 * are taken of has played the demo and its loop, and has a month of made-up calls.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { seed } from "#test/bench/dashboard-seed";
import { answers, tool } from "#test/support/answers";
import { Chromium, type Visitor } from "#test/support/browser";
import { Hub } from "#test/support/hub";
import { command } from "#test/support/program";

const OUT = join(import.meta.dir, "../docs/images");
const ADMIN = "ada@example.org";
const OWNER = "sam@demo.test";
const PASSWORD = "correct horse battery staple";
const ROWS = 12_000;
const AGENTS = ["invoice-reader", "research-assistant", "release-notes", "travel-desk"];

const run = async (...args: readonly string[]): Promise<void> => {
  const child = Bun.spawn([...command(), ...args], { stdout: "ignore", stderr: "pipe" });
  const problem = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${args.join(" ")}: ${problem}`);
};

const must = async (hub: Hub, ...args: readonly string[]) => {
  const { code, stderr, json } = await hub.cli(...args);
  if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return Object(json());
};

/** Agents at every stage, tools, calls of a month, and some of now that can be opened. */
const furnish = async (hub: Hub): Promise<void> => {
  await run("demo", "--once", "--data-dir", hub.dataDir);
  await run("demo", "--once", "--loop", "--data-dir", hub.dataDir);
  await must(hub, "admin", "create", ADMIN, "--password-file", await hub.writeFile(PASSWORD));
  await must(hub, "price", "set", "llama*", "--input", "0.10", "--output", "0.40");
  await must(hub, "price", "set", "gpt-5", "--input", "1", "--output", "8", "--cached-input", "0.1");
  await must(hub, "budget", "set", "--hub", "--period", "month", "--limit", "2500");
  await must(hub, "budget", "set", "--user", ADMIN, "--period", "day", "--limit", "20");
  await hub.createUser("rex@example.org", "--role", "reviewer");
  const agents: { id: string; user: string }[] = [];
  const users: { id: string; email: string }[] = await must(hub, "user", "list");
  const owner: string = users.find(({ email }) => email === OWNER)?.id ?? "";
  for (const name of AGENTS) agents.push({ id: (await hub.createAgent(name, OWNER)).id, user: owner });
  const given = answers({
    ownership: { team: "Finance", sponsor: "rita@demo.test" },
    purpose: { intended_use: "Reads invoices and files them.", audience: "internal" },
    data_privacy: { data_classes: ["public", "internal"] },
    tools: { tools: [tool("files", "read_file", "read"), tool("files", "write_file", "write")] },
  });
  const file = await hub.writeFile(JSON.stringify(given));
  for (const { id } of agents.slice(0, 2)) await must(hub, "agent", "submit", id, "--answers", file, "--as", OWNER);
  await must(hub, "agent", "approve", agents[0]?.id ?? "", "--as", ADMIN, "--note", "Low risk, well described.");
  await hub.addToolServer("files", { owner: OWNER, stdio: ["mcp-files"] });
  await hub.assignTools("files", OWNER, agents[0]?.id ?? "");
  await hub.addToolServer("calendar", { owner: OWNER, stdio: ["mcp-files"] });
  // Its command is a path of the machine the pictures are taken on.
  await must(hub, "tool-server", "remove", "demo", "--owner", OWNER);
  const { token } = await hub.createToken(OWNER, agents[0]?.id, "--name", "invoice-reader in production");
  seed(hub.dataDir, { agents: [...agents, ...agents.slice(0, 1)], users: [owner] }, ROWS);
  await hub.start();
  const texts = [
    "Say hello to the team.",
    "Write to jane.doe@example.org about the parcel.",
    "Refund the card 4539 1488 0343 6467 for the parcel that was lost.",
    "Deploy with the access key AKIA5YIGDDYG7F5PTQGK please.",
  ];
  for (const content of texts) {
    const json = { model: "guardhouse/echo", messages: [{ role: "user", content }] };
    await hub.fetch("/v1/chat/completions", { token, json });
  }
};

/** As WebP, a third of what PNG takes; Playwright itself makes none. */
const take = async (page: Page, name: string): Promise<void> => {
  const debug = await page.context().newCDPSession(page);
  const { data } = await debug.send("Page.captureScreenshot", { format: "webp", quality: 90 });
  await Bun.write(join(OUT, `${name}.webp`), Buffer.from(data, "base64"));
  await debug.detach();
};

type Shot = { readonly name: string; readonly path: string; readonly before?: (page: Page) => Promise<void> };

const idOf = async (visitor: Visitor, path: string): Promise<string> => {
  const [first] = Object((await visitor.ask(path)).json).data ?? [];
  return first?.call_id ?? first?.id ?? first?.miss_report_id ?? "";
};

/** An alert that fires by what the demo did. */
const SOON = { destinations: [], min_calls: 5, for_seconds: 0, window_seconds: 86_400 };

/** What people have set up: done once, as the administrator. */
const settle = async (visitor: Visitor, agent: string): Promise<void> => {
  const done = await Promise.all([
    visitor.ask(`/api/agents/${agent}/restrictions`, "POST", {
      ...{ kind: "rate_limited", params: { requests_per_minute: 60 }, expires_in: "24h" },
      reason: "Invoices come in bursts at the end of the month.",
    }),
    visitor.ask("/api/webhooks", "POST", {
      ...{ url: "https://alerts.example.org/guardhouse", events: ["killswitch.*", "restriction.*"] },
      description: "The security channel",
    }),
    visitor.ask("/api/alert-destinations", "POST", {
      ...{ name: "On call", kind: "slack", url: "https://hooks.slack.com/services/T0/B0/example" },
    }),
    visitor.ask("/api/alert-destinations", "POST", {
      ...{ name: "Security team", kind: "email", host: "smtp.example.com", from: "guardhouse@example.com" },
      to: ["security@example.com"],
    }),
    visitor.ask("/api/alert-rules/block-rate", "PATCH", { ...SOON, threshold: 1 }),
    visitor.ask("/api/backups", "POST", {}),
  ]);
  const failed = done.find(({ status }) => status >= 400);
  if (failed) throw new Error(JSON.stringify(failed.json));
};

const agentIn = async (visitor: Visitor): Promise<string> => {
  const agents = Object((await visitor.ask("/api/agents?all=true")).json).data;
  return agents.find((one: { name: string }) => one.name === AGENTS[0]).id;
};

const shotsOf = async (visitor: Visitor): Promise<Shot[]> => {
  const call = await idOf(visitor, "/api/calls?decision=block&limit=1");
  const agent = await agentIn(visitor);
  const review = await idOf(visitor, "/api/reviews?limit=1");
  const report = await idOf(visitor, "/api/reports?limit=1");
  const change = await idOf(visitor, "/api/tuning?limit=1");
  const server = await idOf(visitor, `/api/tool-servers?owner=${OWNER}`);
  const scan = async (page: Page) => {
    await page.getByRole("button", { name: "Personal data" }).click();
    await page.getByRole("button", { name: "Scan", exact: true }).click();
    await page.getByRole("heading", { name: "Scan time" }).waitFor();
  };
  const firing = (page: Page) => page.getByText("firing", { exact: true }).first().waitFor();
  const settings = [
    "keys",
    "users",
    "providers",
    "policy",
    "alerts",
    "webhooks",
    "reviewer",
    "retention",
    "prices",
    "budgets",
    "kill-switch",
    "account",
    "about",
  ];
  return [
    { name: "overview", path: "/" },
    { name: "calls", path: "/calls" },
    { name: "call", path: `/calls/${call}` },
    { name: "playground", path: "/playground", before: scan },
    { name: "audit", path: "/audit" },
    { name: "inbox", path: "/inbox" },
    { name: "reports", path: "/reports" },
    { name: "report", path: `/reports/${report}` },
    { name: "tuning", path: "/tuning" },
    { name: "tuning-change", path: `/tuning/${change}` },
    { name: "agents", path: "/agents" },
    { name: "agent", path: `/agents/${agent}` },
    { name: "agent-profile", path: `/agents/${agent}/profile` },
    { name: "reviews", path: "/reviews" },
    { name: "review", path: `/reviews/${review}` },
    { name: "tool-servers", path: `/tool-servers?owner=${OWNER}` },
    { name: "tool-server", path: `/tool-servers/${server}` },
    { name: "map", path: "/map" },
    { name: "clients", path: "/clients" },
    ...settings.map((part) => ({
      name: `settings-${part}`,
      path: `/settings/${part}`,
      ...(part === "alerts" && { before: firing }),
    })),
  ];
};

/** A program found by its name: pictures shall show no path of the machine they were taken on. */
const programs = mkdtempSync(join(tmpdir(), "guardhouse-pictures-"));
const server = Bun.resolveSync("@modelcontextprotocol/server-everything/dist/index.js", import.meta.dir);
writeFileSync(join(programs, "mcp-files"), `#!/bin/sh\nexec "${process.execPath}" "${server}"\n`, { mode: 0o755 });

const only = process.argv.slice(2);
const isWanted = (name: string): boolean => only.length === 0 || only.includes(name);

mkdirSync(OUT, { recursive: true });
await using hub = await Hub.create({
  processes: "all",
  env: { PATH: `${programs}:${process.env.PATH}`, GUARDHOUSE_ALERTS__EVERY_SECONDS: "1" },
});
await furnish(hub);
await using chromium = await Chromium.launch();
for (const theme of ["light", "dark"] as const) {
  const visitor = await chromium.visitor(hub.url, {
    viewport: { width: 1280, height: 800 },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  const { page } = visitor;
  await page.goto(`${hub.url}/login`);
  if (isWanted("sign-in")) await take(page, `sign-in-${theme}`);
  await page.getByLabel("E-mail").fill(ADMIN);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${hub.url}/`);
  if (theme === "light") await settle(visitor, await agentIn(visitor));
  for (const { name, path, before } of (await shotsOf(visitor)).filter((shot) => isWanted(shot.name))) {
    await page.goto(`${hub.url}${path}`);
    await page.locator("main h1").waitFor();
    await page.waitForFunction(() => document.querySelector("main [aria-label=Loading]") === null);
    await before?.(page);
    await take(page, `${name}-${theme}`);
  }
  if (visitor.troubles.length > 0) throw new Error(visitor.troubles.join("\n"));
}
