import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { until } from "#test/flow/tools-world";
import { type ConformanceRun, conformance } from "#test/support/conformance";
import { ConformanceShim } from "#test/support/conformance-shim";
import { Hub } from "#test/support/hub";
import { McpFixture } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const CALLS = ["simple-text", "image", "audio", "embedded-resource", "mixed-content", "error", "with-progress"];
const TOOLS = ["tools-list", ...CALLS.map((call) => `tools-call-${call}`), "json-schema-2020-12"];
const LOGGING = ["logging-set-level", "tools-call-with-logging"];
const WATCHING = ["resources-subscribe", "resources-unsubscribe"];
const ELICITATION = ["tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"];
const OFFERS = [
  "completion-complete",
  ...["list", "read-text", "read-binary", "templates-read"].map((one) => `resources-${one}`),
  ...["list", "get-simple", "get-with-args", "get-embedded-resource", "get-with-image"].map((one) => `prompts-${one}`),
];
const INPUTS = [
  "basic-elicitation",
  "basic-sampling",
  "basic-list-roots",
  "request-state",
  "multiple-input-requests",
  "multi-round",
  "missing-input-response",
  "result-type",
  "unsupported-methods",
  "tampered-state",
  "capability-check",
  "ignore-extra-params",
  "validate-input",
  "non-tool-request",
];

/** What has to pass through the hub as it passes without it. */
const REVISIONS = [
  {
    revision: "2025-11-25",
    reachable: [
      ...TOOLS,
      ...OFFERS,
      ...ELICITATION,
      ...LOGGING,
      ...WATCHING,
      "server-initialize",
      "ping",
      "dns-rebinding-protection",
    ],
    missing: null,
  },
  {
    revision: "2026-07-28",
    reachable: [
      ...TOOLS,
      ...OFFERS,
      ...INPUTS.map((input) => `input-required-result-${input}`),
      "server-stateless",
      "server-sse-multiple-streams",
      "dns-rebinding-protection",
      "http-header-validation",
      "http-custom-header-server-validation",
    ],
    missing: /^tasks/,
  },
];

const PREFIX = "fixture__";
const namesFrom = ({ definitions }: McpFixture): string[] => definitions.map(({ name }) => PREFIX + name).sort();
const namesOf = async (hub: Hub, token: string): Promise<string[]> => {
  const { tools }: { tools: { name: string }[] } = await hub
    .fetch("/mcp/gateway", { token, json: { method: "tools/list" } })
    .then((response) => response.json());
  return tools.map(({ name }) => name).filter((name) => name.startsWith(PREFIX));
};

describe.each(REVISIONS)("conformance suite $revision for servers", ({ revision, reachable, missing }) => {
  let fixture: McpFixture;
  let hub: Hub;
  let shim: ConformanceShim;
  let direct: ConformanceRun;
  let through: ConformanceRun;

  beforeAll(async () => {
    fixture = McpFixture.start({ offers: true });
    direct = await conformance(fixture.url.replace("127.0.0.1", "localhost"), revision);
    hub = await Hub.create();
    await hub.createUser("eve@example.com");
    // The fixture speaks both eras on one address, and asks by requests in the older one alone.
    const flags = ["--protocol", revision];
    await hub.addToolServer("fixture", { owner: "eve@example.com", url: fixture.url, flags });
    const { token } = await hub.createToken("eve@example.com");
    await hub.start();
    // One scenario makes a tool come and go, and the next lists twice and wants the same: the hub looks at a list
    // that keeps changing only twice a second.
    const beforeList = () =>
      until(
        () => namesOf(hub, token),
        (names) => Bun.deepEquals(names, namesFrom(fixture)),
      );
    shim = new ConformanceShim({ target: `${hub.url}/mcp/gateway`, token, prefix: PREFIX, beforeList });
    through = await conformance(shim.url, revision, join(import.meta.dir, `server-${revision}.yml`));
  });
  afterAll(async () => {
    await shim?.[Symbol.asyncDispose]();
    await hub?.[Symbol.asyncDispose]();
    await fixture?.[Symbol.asyncDispose]();
  });

  test("the tests' own server passes all of it it offers", () => {
    const unexpected = direct.failing.filter((scenario) => !missing?.test(scenario));
    expect(unexpected.map((scenario) => [scenario, direct.troubles(scenario)])).toEqual([]);
    for (const scenario of reachable) expect([scenario, direct.passed(scenario).length > 0]).toEqual([scenario, true]);
  });

  test("nothing fails beside what is listed with its reason", () => {
    verifies("tools.conformance-baseline");
    const output = through.output.slice(through.output.indexOf("=== SUMMARY ==="));
    expect({ code: through.code, output: through.code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
  });

  test.each(reachable)("%s passes as it does without the hub", (scenario) => {
    verifies("tools.conformance-scenarios");
    expect(through.scenarios.has(scenario)).toBe(true);
    expect(through.troubles(scenario)).toEqual(direct.troubles(scenario));
    expect(through.passed(scenario)).toEqual(direct.passed(scenario));
  });

  test("every message was valid by the revision's own schema", () => {
    verifies("tools.conformance-wire");
    const wire = [...through.scenarios.values()].flat().filter(({ id }) => id === "wire-schema-valid");
    expect(wire.length).toBeGreaterThan(20);
    expect(wire.filter(({ status }) => status !== "SUCCESS")).toEqual([]);
  });
});
