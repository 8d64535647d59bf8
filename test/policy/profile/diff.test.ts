import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { differencesBetween } from "#core/differences";
import { compileProfile } from "#policy/profile/compile";
import { type ChangeDirection, diffProfiles } from "#policy/profile/diff";
import type { ProfileBody } from "#policy/profile/profile";
import type { Answers } from "#policy/review/questionnaire";
import { riskOf } from "#policy/review/risk";
import { answers, anyAnswers, tool } from "#test/support/answers";
import { verifies } from "#test/support/verifies";

const compiled = (given: Answers): ProfileBody => compileProfile(given, riskOf(given));
const base = compiled(answers());
const directions = (before: ProfileBody, after: ProfileBody): Record<string, ChangeDirection> =>
  Object.fromEntries(diffProfiles(before, after).map(({ pointer, direction }) => [pointer, direction]));

const OPPOSITE = { stricter: "looser", looser: "stricter", other: "other" } as const;

describe("two versions of a profile", () => {
  test("equal ones do not differ, and the way back is the opposite of the way there", () => {
    verifies("profile.diff");
    fc.assert(
      fc.property(anyAnswers, anyAnswers, (one, other) => {
        const [before, after] = [compiled(one), compiled(other)];
        expect(diffProfiles(before, structuredClone(before))).toEqual([]);
        const there = directions(before, after);
        const turned = Object.entries(there).map(([pointer, direction]) => [pointer, OPPOSITE[direction]]);
        expect(directions(after, before)).toEqual(Object.fromEntries(turned));
      }),
      { numRuns: 50 },
    );
  });

  test("rules about commands and files are stricter than none, and each list by what it is for", () => {
    verifies("profile.diff");
    const lists = { default: "ask" as const, allow: ["git *"], ask: ["git push *"], deny: ["rm *"] };
    const commands = { ...lists, hosts: ["a.example"], other_hosts: "ask" as const };
    const ruled: ProfileBody = { ...base, commands, files: { read: lists, write: lists } };
    const section = (name: string) => ({
      [`${name}/allow`]: "other",
      [`${name}/ask`]: "stricter",
      [`${name}/default`]: "stricter",
      [`${name}/deny`]: "stricter",
    });
    expect(directions(base, ruled)).toEqual({
      ...section("/commands"),
      ...section("/files/read"),
      ...section("/files/write"),
      "/commands/hosts": "stricter",
      "/commands/other_hosts": "stricter",
    });
    const other: ProfileBody = {
      ...base,
      commands: { ...commands, default: "deny", allow: [], hosts: null, ask: [], other_hosts: "deny" },
      files: { read: { ...lists, deny: ["rm *", "x"] }, write: { ...lists, allow: ["git *", "x"] } },
      hooks: { redact: "allow", offline_minutes: 5 },
    };
    expect(directions(ruled, other)).toEqual({
      "/commands/allow": "stricter",
      "/commands/ask": "looser",
      "/commands/default": "stricter",
      "/commands/hosts": "looser",
      "/commands/other_hosts": "stricter",
      "/files/read/deny": "stricter",
      "/files/write/allow": "looser",
      "/hooks/offline_minutes": "looser",
      "/hooks/redact": "looser",
    });
    const longer = { ...other, hooks: { redact: "deny" as const, offline_minutes: 9 } };
    expect(directions(other, longer)).toEqual({ "/hooks/offline_minutes": "looser", "/hooks/redact": "stricter" });
  });

  test("each change says which way it went", () => {
    verifies("profile.diff");
    const looser: ProfileBody = {
      ...base,
      mode: "monitor",
      fail_mode: "open",
      models: { allow: [...base.models.allow, "x"], deny: [], max_output_tokens: null },
      limits: { ...base.limits, requests_per_minute: 10 },
      egress: { url_allow: null, urls: "allow", images: "flag" },
      tools: { ...base.tools, default: "allow", tainted_arguments: "allow" },
    };
    const tight: ProfileBody = { ...base, limits: { ...base.limits, requests_per_minute: 5 } };
    expect(directions(tight, looser)).toEqual({
      "/egress/images": "looser",
      "/egress/url_allow": "looser",
      "/egress/urls": "looser",
      "/fail_mode": "looser",
      "/limits/requests_per_minute": "looser",
      "/mode": "looser",
      "/models/allow": "looser",
      "/tools/default": "looser",
      "/tools/tainted_arguments": "looser",
    });
    const human = { ...base, tools: { ...base.tools, require_human: ["x"] } };
    expect(directions(base, human)).toEqual({ "/tools/require_human": "stricter" });
    const held = (from: number, reading_tools: boolean) => ({
      ...base,
      tools: { ...base.tools, tainted_values: { from, reading_tools } },
    });
    expect(directions(held(0.75, true), held(0.6, false))).toEqual({
      "/tools/tainted_values/from": "stricter",
      "/tools/tainted_values/reading_tools": "looser",
    });
    const swapped = { ...base, models: { ...base.models, allow: ["other"] } };
    expect(directions(base, swapped)).toEqual({ "/models/allow": "other" });
  });

  test("rules are asked what they do, and only those that changed are shown", () => {
    verifies("profile.diff");
    const strict = compiled(answers({ oversight: { autonomy: "act", sensitivity: "strict" } }));
    expect(directions(base, strict)).toMatchObject({
      "/detectors/pii/rules": "stricter",
      "/detectors/secrets/rules": "stricter",
      "/detectors/prompt_injection/rules": "stricter",
    });
    const expecting = compiled(
      answers({ data_privacy: { data_classes: ["public"], pii_types_expected: ["pii.iban"] } }),
    );
    const [change] = diffProfiles(base, expecting);
    expect(change).toMatchObject({ pointer: "/detectors/pii/rules", direction: "looser", before: [] });
    expect(change?.after).toHaveLength(1);
  });

  test("a tool more is looser, and its effect a place of its own", () => {
    verifies("profile.diff");
    const more = compiled(answers({ tools: { tools: [...answers().tools.tools, tool("a/b~c", "x", "read")] } }));
    expect(directions(base, more)).toEqual({ "/tools/allow": "looser", "/tools/effects/a~1b~0c__x": "other" });
  });
});

test("documents differ where one has what the other has not, in any order", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(differencesBetween(one, structuredClone(one))).toEqual([]);
      const there = differencesBetween(one, other).map(({ pointer, before, after }) => ({ pointer, before, after }));
      const back = differencesBetween(other, one).map(({ pointer, before, after }) => ({
        pointer,
        before: after,
        after: before,
      }));
      expect(back).toEqual(there);
    }),
  );
  expect(differencesBetween({ a: null, b: [1, 2] }, { b: [2, 1] })).toEqual([]);
});
