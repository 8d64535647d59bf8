/*
 * What scores and figures are measured on is the library; what is shipped is the executable, with other flags of the
 * compiler and other ways in. Both have to say the same of the same text.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ORIGINS, type Origin } from "#scan/detector";
import { flagOf, scanText } from "#scan/scan";
import { madeSamples } from "#test/eval/made";
import { builtIn } from "#test/eval/seen";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const EVE = "eve@example.com";
const TEXTS = madeSamples(4_711, 3).map(({ text }) => text);
const policy = builtIn();

const originOf = (at: number): Origin => ORIGINS[at % ORIGINS.length] ?? "user";
const flagsOf = (text: string, origin: Origin): unknown[] =>
  scanText(policy, text, origin).findings.map((finding) => flagOf(text, finding));

let hub: Hub;
let token = "";
beforeAll(async () => {
  hub = await Hub.create();
  await hub.createUser(EVE);
  ({ token } = await hub.createToken(EVE));
  await hub.start();
});
afterAll(() => hub[Symbol.asyncDispose]());

describe("the executable finds what the library finds", () => {
  test("over HTTP, in hundreds of texts made by rule, whatever their origin", async () => {
    verifies("scan.same-everywhere");
    expect(TEXTS.length).toBeGreaterThan(300);
    let found = 0;
    for (const [at, text] of TEXTS.entries()) {
      const origin = originOf(at);
      const response = await hub.fetch("/v1/guard/scan", { token, json: { text, origin } });
      const flags = flagsOf(text, origin);
      expect([at, response.status, await response.json()]).toEqual([at, 200, expect.objectContaining({ flags })]);
      found += flags.length;
    }
    expect(found).toBeGreaterThan(TEXTS.length / 3);
  }, 120_000);

  test.each([...ORIGINS])("by command, in many of them at once, as if from %s", async (origin) => {
    verifies("scan.same-everywhere");
    const text = TEXTS.filter((_, at) => originOf(at) !== origin).join("\n\n");
    const { json } = await hub.cliWith({ stdin: text }, "scan", "--origin", origin);
    expect(json()).toMatchObject({ flags: flagsOf(text, origin) });
  });
});
