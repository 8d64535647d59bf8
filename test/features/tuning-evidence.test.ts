import { expect, test } from "bun:test";
import { EvidenceLoader } from "#features/tuning/evidence-loader";
import type { AuditFlag } from "#model/audit";
import { contentPurpose, type KeptContent } from "#model/kept-content";
import { sentContent } from "#model/report";
import { openSecret, sealSecret } from "#platform/sealing";
import { REPORT } from "#test/store/looped";
import { callRecord } from "#test/support/call-record";
import { verifies } from "#test/support/verifies";

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const EVENT = "019a0000-0000-7000-8000-000000000001";
const KEY = new Uint8Array(32).fill(1);
const OTHER_KEY = new Uint8Array(32).fill(2);
const FLAG: AuditFlag = {
  ...{ type: "pii.email", score: 0.95, start: 0, end: 9, detector: "pii.email", action: "redact" },
  ...{ origin: "user", param: "messages[0].content" },
};
const REPORTED = { ...REPORT, event_id: EVENT, sealed_content: null, created_at: NOW };

/** What is known of an event of that age, of which that much is kept. */
const roomOf = (ageDays: number, kept: readonly KeptContent[] = []) => {
  const at = NOW - ageDays * DAY;
  const record = callRecord({ at, facts: { event_id: EVENT, action: "redact", flags: [FLAG] } });
  const rows = [`not a record any more ${EVENT}`, JSON.stringify(record)];
  return new EvidenceLoader({
    content: { ofEvent: async () => [...kept] },
    reports: { list: async () => [] },
    audit: {
      async *read({ since = 0, until = Number.POSITIVE_INFINITY }) {
        if (at < since || at >= until) return;
        for (const [seq, body] of rows.entries()) yield { seq, body, prev_hash: "", hash: "" };
      },
    },
    unseal: (purpose, sealed) => openSecret(KEY, purpose, sealed),
    now: () => NOW,
  });
};

const keptWith = (key: Uint8Array, expires_at: number): KeptContent => ({
  ...{ id: "c1", call_id: "call-1", event_id: EVENT, user_id: "u1", agent_id: "a1", purpose: "blocked" },
  sealed: sealSecret(key, contentPurpose("c1"), JSON.stringify(sentContent("Write to jane@acme.com", null))),
  ...{ created_at: NOW - DAY, expires_at },
});

test("a report of an event as old as may be reported is judged by what is on record of it", async () => {
  verifies("tuning.narrowest");
  for (const age of [0, 13, 15, 29])
    expect(await roomOf(age).of(REPORTED)).toEqual({ types: ["pii.email"], texts: [], flags: [FLAG] });
});

test("tuning evidence: stored content while available, else the audit record", async () => {
  verifies("tuning.narrowest");
  const fresh = await roomOf(1, [keptWith(KEY, NOW + 1)]).of(REPORTED);
  expect(fresh?.texts.map(({ text }) => text)).toEqual(["Write to jane@acme.com"]);
  for (const gone of [keptWith(KEY, NOW), keptWith(OTHER_KEY, NOW + 1)])
    expect(await roomOf(1, [gone]).of(REPORTED)).toMatchObject({ texts: [], flags: [FLAG] });
  const shared = { ...REPORTED, sealed_content: sealSecret(OTHER_KEY, "report rep1", "{}") };
  expect(await roomOf(1).of(shared)).toMatchObject({ texts: [], flags: [FLAG] });
});
