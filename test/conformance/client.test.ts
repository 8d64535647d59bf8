import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(240_000);

const ROOT = resolve(import.meta.dir, "../..");
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
/** The suite splits it at spaces and gives it to a shell. */
const DRIVER = `${process.execPath} test/conformance/client-driver.ts`;

type Run = { readonly code: number; readonly output: string };

/** Runs the driver through scenarios of the official suite. */
const suite = async (...flags: readonly string[]): Promise<Run> => {
  const turns = await mkdtemp(join(tmpdir(), "guardhouse-turns-"));
  const child = Bun.spawn([process.execPath, SUITE, "client", "--command", DRIVER, "--timeout", "200000", ...flags], {
    cwd: ROOT,
    env: { ...process.env, CONFORMANCE_TURNS: turns },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  await rm(turns, { recursive: true });
  return { code, output: `${stdout}\n${stderr}` };
};

/** How many checks of a scenario went well; 0 where one failed or none was made. */
const passedIn = ({ output }: Run, scenario: string): number =>
  Number(new RegExp(`^✓ ${scenario}: ([0-9]+) passed, 0 failed`, "m").exec(output)?.[1] ?? 0);

const auth = (...names: readonly string[]): string[] => names.map((name) => `auth/${name}`);

const SIGN_IN = auth(
  "metadata-default",
  "metadata-var1",
  "metadata-var2",
  "metadata-var3",
  "basic-cimd",
  "scope-from-www-authenticate",
  "scope-from-scopes-supported",
  "scope-omitted-when-undefined",
  "scope-step-up",
  "scope-retry-limit",
  "token-endpoint-auth-basic",
  "token-endpoint-auth-post",
  "token-endpoint-auth-none",
  "pre-registration",
  "client-credentials-basic",
);

const REVISIONS = [
  {
    revision: "2025-11-25",
    scenarios: [...SIGN_IN, "initialize", "tools_call", "sse-retry", "json-schema-2020-12-preservation"],
  },
  {
    revision: "2026-07-28",
    scenarios: [
      ...SIGN_IN,
      ...auth(
        "resource-mismatch",
        "offline-access-scope",
        "offline-access-not-supported",
        "authorization-server-migration",
        "iss-supported",
        "iss-not-advertised",
        "iss-supported-missing",
        "iss-wrong-issuer",
        "iss-unexpected",
        "iss-normalized",
        "metadata-issuer-mismatch",
      ),
      "tools_call",
      "request-metadata",
      "http-standard-headers",
      "http-custom-headers",
      "http-invalid-tool-headers",
      "json-schema-ref-no-deref",
      "json-schema-2020-12-preservation",
      "sep-2322-client-request-state",
    ],
  },
];

describe.each(REVISIONS)("conformance suite $revision for clients", ({ revision, scenarios }) => {
  let run: Run;
  beforeAll(async () => {
    const baseline = join("test/conformance", `client-${revision}.yml`);
    run = await suite("--requirements", revision, "--expected-failures", baseline);
  }, 240_000);

  test("nothing fails beside what is listed with its reason", () => {
    verifies("tools.oauth-conformance");
    const summary = run.output.slice(run.output.indexOf("=== SUITE SUMMARY ==="));
    expect({ code: run.code, summary: run.code === 0 ? "" : summary }).toEqual({ code: 0, summary: "" });
  });

  test.each(scenarios)("%s", (scenario) => {
    verifies("tools.oauth-conformance");
    expect(passedIn(run, scenario)).toBeGreaterThan(0);
  });
});

test.each(auth("2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback"))(
  "%s: a server from before protected resource metadata",
  async (scenario) => {
    verifies("tools.oauth-discovery");
    const { code, output } = await suite("--scenario", scenario, "--spec-version", "2025-03-26");
    expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
    expect(output).toContain("OVERALL: PASSED");
  },
);
