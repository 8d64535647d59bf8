/*
 * `bun run dev [--port N]`: the hub from its sources, started anew when one changes, its dashboard bundled and the
 * documentation rendered anew, and the page reloaded. Faults are shown, and the next change tried. Everything it keeps is in `.dev/`: delete it to begin anew.
 */
import { watch } from "node:fs";
import { join, sep } from "node:path";
import { parseArgs } from "node:util";
import { buildDashboard } from "./dashboard";
import { DevHub } from "./dev-hub";
import { DevPage } from "./dev-page";
import { buildDocumentation } from "./documentation";

const ROOT = join(import.meta.dir, "..");
const SOURCE = join(ROOT, "src");
const DOCS = join(ROOT, "docs");
const DIRECTORY = join(ROOT, ".dev");
/** An editor writes a file in several steps, and often several files. */
const SETTLE_MS = 100;

type Part = "hub" | "dashboard" | "documentation";

/** The hub imports nothing of the dashboard; the dashboard imports from everywhere. */
const changedBy = (file: string): readonly Part[] =>
  file.startsWith(`dashboard${sep}`) ? ["dashboard"] : ["hub", "dashboard"];

const bundle = async (): Promise<void> => {
  try {
    await buildDashboard({ draft: true });
  } catch (error) {
    console.error(error);
    console.error("The dashboard was not bundled: the page stays as it was.");
  }
};

const render = async (): Promise<void> => {
  try {
    await buildDocumentation({ draft: true });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error("The documentation was not rendered: it stays as it was.");
  }
};

const showSignIn = async (hub: DevHub, url: string): Promise<void> => {
  const signIn = await hub.signIn();
  if (signIn === null) return;
  console.log(`
dashboard  ${url}
sign in    ${signIn.email}  password ${signIn.password}
call it    export OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=${signIn.token}
model      guardhouse/echo: built in, no key, no network
data       ${DIRECTORY}
`);
};

class Dev {
  readonly #changed = new Set<Part>();
  #working: Promise<void> | null = null;
  #isShown = false;

  constructor(
    private readonly hub: DevHub,
    private readonly page: DevPage,
  ) {}

  change(parts: readonly Part[]): void {
    for (const part of parts) this.#changed.add(part);
    // One that hangs while it starts would keep its successor waiting.
    if (this.#working !== null && parts.includes("hub") && this.hub.isStarting) void this.hub.stop();
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  async stop(): Promise<void> {
    this.#changed.clear();
    await this.hub.stop();
    await this.#working;
    await this.page.stop();
  }

  async #work(): Promise<void> {
    while (this.#changed.size > 0) {
      await Bun.sleep(SETTLE_MS);
      const parts = new Set(this.#changed);
      this.#changed.clear();
      await Promise.all([
        parts.has("hub") && this.hub.restart(),
        parts.has("dashboard") && bundle(),
        parts.has("documentation") && render(),
      ]);
      if (this.#changed.size > 0) continue;
      await this.#tell();
      this.page.reload();
    }
  }

  async #tell(): Promise<void> {
    const { kind } = await this.hub.settled();
    if (kind === "failed") console.error("The hub did not start: it is started again at the next change.");
    if (kind !== "ready" || this.#isShown) return;
    this.#isShown = true;
    await showSignIn(this.hub, this.page.url);
  }
}

const { values } = parseArgs({ options: { port: { type: "string", default: "8787" } } });
const page: DevPage = new DevPage(Number(values.port), () => hub);
const hub = new DevHub(DIRECTORY, page.url);
const dev = new Dev(hub, page);
const watcher = watch(SOURCE, { recursive: true }, (_, file) => {
  if (file !== null) dev.change(changedBy(file));
});
const docsWatcher = watch(DOCS, { recursive: true }, () => dev.change(["documentation"]));
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    watcher.close();
    docsWatcher.close();
    void dev.stop().then(() => process.exit(0));
  });
dev.change(["hub", "dashboard", "documentation"]);
