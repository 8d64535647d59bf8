import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isRecord, parseJson } from "#core/json/json";

const SUITE = resolve(import.meta.dir, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** Every message a server sent was valid by the schema of its revision: a check every scenario ends with. */
const WIRE = "wire-schema-valid";

export type Check = { readonly id: string; readonly name: string; readonly status: string; readonly error: string };

/** What one run of the official suite gave, scenario by scenario. */
export class ConformanceRun {
  constructor(
    readonly code: number,
    readonly output: string,
    readonly scenarios: ReadonlyMap<string, readonly Check[]>,
  ) {}

  /** Scenarios with a failed check, in order. */
  get failing(): readonly string[] {
    return [...this.scenarios].flatMap(([name, checks]) => (checks.some(isFailure) ? [name] : [])).sort();
  }

  /** The checks of a scenario that went well, by name, beside the one about the wire. */
  passed(scenario: string): readonly string[] {
    const checks = this.scenarios.get(scenario) ?? [];
    return checks.flatMap(({ id, name, status }) => (status === "SUCCESS" && id !== WIRE ? [name] : [])).sort();
  }

  /** What went wrong in a scenario, or only raised a brow. */
  troubles(scenario: string): readonly string[] {
    const checks = this.scenarios.get(scenario) ?? [];
    return checks.filter(({ status }) => /FAILURE|WARNING/.test(status)).map(({ id, error }) => `${id}: ${error}`);
  }
}

const isFailure = ({ status }: Check): boolean => status === "FAILURE";

/** Runs what a revision requires of servers against this address. `expected` is a file of expected failures. */
export const conformance = async (url: string, revision: string, expected?: string): Promise<ConformanceRun> => {
  const results = await mkdtemp(join(tmpdir(), "guardhouse-conformance-"));
  try {
    const baseline = expected === undefined ? [] : ["--expected-failures", expected];
    const flags = ["--url", url, "--requirements", revision, "-o", results, "--timeout", "15000", ...baseline];
    const suite = Bun.spawn([process.execPath, SUITE, "server", ...flags], { stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr, code] = await Promise.all([
      new Response(suite.stdout).text(),
      new Response(suite.stderr).text(),
      suite.exited,
    ]);
    return new ConformanceRun(code, `${stdout}\n${stderr}`, await read(results));
  } finally {
    await rm(results, { recursive: true, force: true });
  }
};

/** The suite writes one directory a scenario: `server-<scenario>-<time>`. */
const read = async (results: string): Promise<ReadonlyMap<string, readonly Check[]>> => {
  const scenarios = new Map<string, readonly Check[]>();
  for (const directory of await readdir(results)) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(directory)?.[1];
    if (scenario === undefined) throw new Error(`no scenario's results: ${directory}`);
    const checks = parseJson(await Bun.file(join(results, directory, "checks.json")).text());
    if (!Array.isArray(checks)) throw new Error(`no checks: ${directory}`);
    scenarios.set(scenario, checks.map(checkOf));
  }
  return scenarios;
};

const checkOf = (value: unknown): Check => {
  if (!isRecord(value)) throw new Error("a check is an object");
  const { id, name, status, errorMessage = "" } = value;
  return { id: `${id}`, name: `${name}`, status: `${status}`, error: `${errorMessage}` };
};
