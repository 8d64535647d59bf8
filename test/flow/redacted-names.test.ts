import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { says } from "#test/support/fake-provider";
import { numbered } from "#test/support/labels";
import { text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { detectorsOf, EnforcementWorld, LOOSE, type Rule } from "./enforcement-world";

setDefaultTimeout(120_000);

const SAID = "Harriet Pemberton lives in Leeds, parcels go to 48 Willow Lane, Springfield, IL 62704.";
const REDACTED = "[pii.person:1] lives in [pii.location:1], parcels go to [pii.address:1].";

let world: EnforcementWorld;
beforeAll(async () => {
  world = await EnforcementWorld.open({ tools: [tool("read", () => text(SAID))] });
});
afterAll(() => world?.[Symbol.asyncDispose]());

const contentOf = ({ json }: { json: { choices: { message: { content: string } }[] } }): string =>
  json.choices[0]?.message.content ?? "";
const redacting = ["pii.person", "pii.location", "pii.address"].map(
  (type): Rule => ({ type, thresholds: { flag: 0.5, redact: 0.5 } }),
);

test("a profile has names, places and addresses replaced: in requests, whole answers, streams and results of tools", async () => {
  verifies("scan.running-names-redacted");
  await world.govern({ detectors: detectorsOf({ ...LOOSE, pii: redacting }) });
  world.provider.next(says(SAID), says(SAID.match(/.{1,7}/gs) ?? []));
  const whole = await world.chat(SAID);
  expect(numbered(world.provider.lastCall.text)).toContain(REDACTED);
  expect(numbered(contentOf(whole))).toBe(REDACTED);
  const streamed = await world.stream("Who lives there?");
  expect(numbered(streamed.content())).toBe(REDACTED);
  expect((await world.record(streamed)).call.flags.map(({ type, action }) => `${type}:${action}`)).toEqual([
    "pii.person:redact",
    "pii.location:redact",
    "pii.address:redact",
  ]);
  expect(numbered((await world.call("files__read")).json.content[0].text)).toBe(REDACTED);
});

test("without such a rule names and places pass unrecorded, and addresses are noted", async () => {
  verifies("scan.running-names-off");
  await world.govern({ detectors: detectorsOf() });
  world.provider.next(says(SAID));
  const answer = await world.chat(SAID);
  expect(contentOf(answer)).toBe(SAID);
  const { flags } = (await world.record(answer)).call;
  expect(new Set(flags.map(({ type, action }) => `${type}:${action}`))).toEqual(new Set(["pii.address:flag"]));
});
