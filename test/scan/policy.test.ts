import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy, type PolicyRule, type PolicySource } from "#scan/policy";
import { effective, scanText, strictest } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { LABELS, numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { actions, PERSONAL, policyOf, SECRETS } from "./samples";

const rules = (...list: PolicyRule[]) => policyOf({ rules: list });
const EMAIL = `to ${PERSONAL.email}`;

test("the most specific type wins, then the rule that names the origin, then the later one", () => {
  const redact = { redact: 0 };
  const block = { block: 0 };
  const flag = { flag: 0 };
  expect(
    actions(
      EMAIL,
      "user",
      rules({ type: "pii.email", thresholds: redact }, { type: "pii", origins: ["user"], thresholds: block }),
    ),
  ).toEqual(["pii.email:redact"]);
  expect(
    actions(
      EMAIL,
      "user",
      rules({ type: "pii", origins: ["user"], thresholds: block }, { type: "pii", thresholds: flag }),
    ),
  ).toEqual(["pii.email:block"]);
  expect(
    actions(
      EMAIL,
      "output",
      rules({ type: "pii", origins: ["user"], thresholds: block }, { type: "pii", thresholds: flag }),
    ),
  ).toEqual(["pii.email:flag"]);
  expect(actions(EMAIL, "user", rules({ type: "pii", thresholds: flag }, { type: "pii", thresholds: redact }))).toEqual(
    ["pii.email:redact"],
  );
});

test("a prefix ends at a dot", () => {
  expect(actions(EMAIL, "user", rules({ type: "pii.em", thresholds: { block: 0 } }))).toEqual([]);
});

test("the strictest action whose threshold is reached is taken", () => {
  const at = (thresholds: PolicyRule["thresholds"]) => actions(EMAIL, "user", rules({ type: "pii", thresholds }));
  expect(at({ flag: 0.1, redact: 0.2, block: 0.99 })).toEqual(["pii.email:redact"]);
  expect(at({ flag: 0.1, redact: 0.99, block: 0.2 })).toEqual(["pii.email:block"]);
  expect(at({ flag: 0.99 })).toEqual([]);
});

describe("bad data is refused by name", () => {
  const broken = (change: object): (() => unknown) => {
    const source: PolicySource = { ...DEFAULT_POLICY, ...change };
    return () => compilePolicy(source, 1, DETECTORS);
  };
  test.each([
    [{ mode: "sometimes" }, "mode"],
    [{ hold_back: -1 }, "hold_back"],
    [{ max_text: 0 }, "max_text"],
    [{ rules: {} }, "rules"],
    [{ rules: [{ type: "PII", thresholds: {} }] }, "rules[0].type"],
    [{ rules: [{ type: "pii", thresholds: { flag: 2 } }] }, "rules[0].thresholds.flag"],
    [{ rules: [{ type: "pii", thresholds: { drop: 1 } }] }, "drop"],
    [{ rules: [{ type: "pii", thresholds: {}, mode: "off" }] }, "rules[0].mode"],
    [{ rules: [{ type: "pii", origins: ["moon"], thresholds: {} }] }, "moon"],
  ])("%j", (change, name) => {
    expect(broken(change)).toThrow(name);
  });
});

test("monitoring says what would be done; off scans nothing and says so", () => {
  const text = SECRETS.github;
  expect(actions(text, "user", policyOf({ mode: "monitor" }))).toEqual(["secret.github_token:block"]);
  expect(effective("monitor", "block")).toBe("flag");
  expect(effective("enforce", "block")).toBe("block");
  expect(scanText(policyOf({ mode: "off" }), text, "user")).toEqual({
    findings: [],
    unscanned: { reason: "off", from: 0 },
  });
});

test("a rule in monitor mode only flags, and says what it would do, whole and streamed", () => {
  verifies("scan.rule-monitor");
  const policy = rules(
    { type: "pii.email", thresholds: { flag: 0.3, redact: 0.5 }, mode: "monitor" },
    { type: "pii.credit_card", thresholds: { flag: 0.3, redact: 0.5 } },
  );
  const text = `${EMAIL}, card ${PERSONAL.card}`;
  const seen = [
    { type: "pii.email", action: "flag", would: "redact" },
    { type: "pii.credit_card", action: "redact" },
  ];
  const { findings } = scanText(policy, text, "user");
  expect(findings).toMatchObject(seen);
  expect(findings[1]).not.toHaveProperty("would");
  const stream = new StreamScanner(policy, "user", LABELS);
  for (const unit of text) stream.push(unit);
  stream.end();
  expect(stream.findings).toMatchObject(seen);
  expect(numbered(stream.release(stream.clearedTo).text)).toBe(`${EMAIL}, card [pii.credit_card:1]`);
});

test("rules in monitor mode delay no stream", () => {
  verifies("scan.rule-monitor");
  const watched = rules({ type: "secret", thresholds: { block: 0.5 }, mode: "monitor" });
  const stream = new StreamScanner(watched, "user", LABELS);
  stream.push(SECRETS.github.slice(0, 20));
  expect(stream.clearedTo).toBe(20);
});

test("a long text is scanned up to the limit and says from where it is not", () => {
  const policy = policyOf({ max_text: 50 });
  expect(scanText(policy, `${EMAIL} ${"x ".repeat(40)}`, "user")).toMatchObject({
    findings: [{ type: "pii.email" }],
    unscanned: { reason: "over_limit", from: 50 },
  });
  expect(scanText(policy, `${"x ".repeat(25)}${EMAIL}`, "user").findings).toEqual([]);
  expect(scanText(policy, "x".repeat(50), "user").unscanned).toBeUndefined();
});

test("the strictest of actions", () => {
  expect(strictest([])).toBe("allow");
  expect(strictest(["flag", "block", "redact"])).toBe("block");
});
