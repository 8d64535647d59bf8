import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson } from "#core/json/json";
import { ShapeCheck } from "#core/shape-check";
import { compileProfile } from "#policy/profile/compile";
import { FAMILIES, presetRules } from "#policy/profile/presets";
import { ProfileBody } from "#policy/profile/profile";
import type { Answers } from "#policy/review/questionnaire";
import { TIERS } from "#policy/review/review";
import { riskOf } from "#policy/review/risk";
import { DEFAULT_POLICY } from "#scan/defaults";
import { ACTIONS, ORIGINS, type Origin } from "#scan/detector";
import { compilePolicy } from "#scan/policy";
import { answers, anyAnswers, tool } from "#test/support/answers";
import { verifies } from "#test/support/verifies";

const compiled = (given: Answers): ProfileBody => compileProfile(given, riskOf(given));
const rulesOf = ({ detectors }: ProfileBody) => FAMILIES.flatMap((family) => detectors[family].rules);
/** Through JSON: an optional threshold that is absent is absent there too. */
const policyOf = (profile: ProfileBody) =>
  compilePolicy(
    { mode: "enforce", hold_back: 0, max_text: 1, rules: JSON.parse(JSON.stringify(rulesOf(profile))) },
    1,
    [],
  );
const judged = (profile: ProfileBody, origin: Origin, type: string, score: number) =>
  policyOf(profile).judge(origin, type, score);

describe("profile compiled from answers", () => {
  test("what a coding agent may do on its machine becomes lists; without answers there is nothing of it", () => {
    verifies("local.commands");
    const { commands, files, hooks } = compiled(answers());
    expect([commands, files, hooks]).toEqual([undefined, undefined, undefined]);
    const tools = {
      tools: [],
      commands: ["deny rm -rf *", "allow  git *", "ask git push *", "allow git *"],
      command_hosts: ["GitHub.com"],
      files: ["deny ~/.ssh/**", "allow write src/**", "ask read .env"],
      other_reads: "allow" as const,
      hook_offline_minutes: 10,
    };
    const profile = compiled(answers({ tools }));
    expect(profile.commands).toEqual({
      ...{ default: "ask", allow: ["git *"], ask: ["git push *"], deny: ["rm -rf *"] },
      ...{ hosts: ["github.com"], other_hosts: "deny" },
    });
    expect(profile.files).toEqual({
      read: { default: "allow", allow: [], ask: [".env"], deny: ["~/.ssh/**"] },
      write: { default: "ask", allow: ["src/**"], ask: [], deny: ["~/.ssh/**"] },
    });
    expect(profile.hooks).toEqual({ redact: "deny", offline_minutes: 10 });
    const hostless = compiled(answers({ tools: { tools: [], commands: ["deny sudo *"] } }));
    expect(hostless.commands).toMatchObject({ default: "allow", hosts: null });
  });

  test("any answers give a profile of the right shape that the scanner takes, and the same one again", () => {
    verifies("profile.compile");
    const check = new ShapeCheck(ProfileBody);
    fc.assert(
      fc.property(anyAnswers, (given) => {
        const profile = compiled(given);
        expect(check.check(profile)).toEqual(profile);
        policyOf(profile);
        const turned = {
          ...given,
          models: { ...given.models, models: given.models.models.toReversed() },
          tools: { ...given.tools, tools: given.tools.tools.toReversed() },
        };
        // A tool declared twice with effects of equal power may be called by either.
        const { effects: _one, ...tools } = compiled(turned).tools;
        const { effects: _other, ...same } = profile.tools;
        expect(canonicalJson({ ...compiled(turned), tools })).toBe(canonicalJson({ ...profile, tools: same }));
        expect(canonicalJson(compiled(structuredClone(given)))).toBe(canonicalJson(profile));
      }),
    );
  });

  test("profile: undeclared models, tools and links are not allowed", () => {
    verifies("profile.compile");
    const bare = compiled(answers({ models: { models: [] }, tools: { tools: [] }, secrets_security: {} }));
    expect(bare.models.allow).toEqual([]);
    expect(bare.tools).toMatchObject({ default: "deny", allow: [], effects: {} });
    expect(bare.egress).toEqual({ url_allow: [], urls: "redact", images: "redact" });
  });

  test("tools by their public names, with the worst effect that was declared", () => {
    verifies("profile.compile");
    const { tools } = compiled(
      answers({
        tools: {
          tools: [
            tool("files", "read.me", "read"),
            tool("mail", "send", "read"),
            tool("mail", "send", "send"),
            tool("shop", "*", "write"),
            tool(null, "think", "read"),
          ],
          approval_needed: ["send", "think", "unheard_of"],
          max_calls_per_conversation: 7,
        },
      }),
    );
    expect(tools).toMatchObject({
      default: "deny",
      allow: ["files__read_me", "mail__send", "shop__*", "think"],
      effects: { files__read_me: "read", mail__send: "send", "shop__*": "write", think: "read" },
      require_human: ["mail__send", "think", "unheard_of"],
      max_calls_per_conversation: 7,
    });
  });

  test("profile: without autonomy act, tools with effects are held", () => {
    verifies("profile.compile");
    const declared = { tools: [tool("files", "read", "read"), tool("mail", "send", "send")] };
    const human = (autonomy: "suggest" | "act_with_approval" | "act") =>
      compiled(answers({ tools: declared, oversight: { autonomy } })).tools.require_human;
    expect(human("act")).toEqual([]);
    expect(human("act_with_approval")).toEqual(["mail__send"]);
    expect(human("suggest")).toEqual(["mail__send"]);
  });

  test("links: none, some, any", () => {
    verifies("profile.compile");
    const egress = (security: Answers["secrets_security"]) => compiled(answers({ secrets_security: security })).egress;
    const some: ProfileBody["egress"] = { url_allow: ["*.b.org", "a.org"], urls: "redact", images: "redact" };
    expect(egress({ egress: ["A.org", "*.b.org", "a.org"] })).toEqual(some);
    expect(egress({ egress: "allow_list", egress_hosts: ["a.org", "*.b.org"] })).toEqual(some);
    expect(egress({ egress: "none", egress_hosts: ["a.org"] }).url_allow).toEqual([]);
    expect(egress({ egress: "open" })).toEqual({ url_allow: null, urls: "allow", images: "flag" });
  });

  test("high and critical fail closed, whatever was answered", () => {
    verifies("profile.compile");
    fc.assert(
      fc.property(anyAnswers, (given) => {
        const { risk_tier, fail_mode } = compiled(given);
        const isHigh = risk_tier === "high" || risk_tier === "critical";
        expect(fail_mode).toBe(isHigh ? "closed" : (given.oversight.fail_mode ?? "closed"));
      }),
    );
  });

  test("limits, tokens, data and disclosure are taken as they were answered", () => {
    verifies("profile.compile");
    const profile = compiled(
      answers({
        purpose: { intended_use: "x", audience: "customer", disclosure: "A machine answers." },
        data_privacy: {
          data_classes: ["internal", "confidential"],
          regions: ["FR", "DE"],
          store_content: "redacted",
          retention_days: 3,
        },
        models: { models: ["gpt-5"], max_tokens: 900 },
        oversight: {
          autonomy: "act",
          requests_per_minute: 1,
          requests_per_day: 2,
          tokens_per_minute: 3,
          tokens_per_day: 4,
          usd_per_month: 7,
          concurrent: 5,
          max_iterations: 6,
          block_response: "completion",
          mode: "monitor",
        },
      }),
    );
    expect(profile).toMatchObject({
      mode: "monitor",
      block_response: "completion",
      disclosure: "A machine answers.",
      models: { allow: ["gpt-5"], deny: [], max_output_tokens: 900 },
      data: {
        classes: ["confidential", "internal"],
        regions: ["DE", "FR"],
        store_content: "redacted",
        retention_days: 3,
      },
      limits: {
        requests_per_minute: 1,
        requests_per_day: 2,
        tokens_per_minute: 3,
        tokens_per_day: 4,
        usd_per_month: 7,
        concurrent: 5,
        calls_per_conversation: 6,
      },
    });
  });
});

describe("profile: scanner policy", () => {
  test("balanced is the baseline, split by family", () => {
    verifies("profile.compile");
    const all = FAMILIES.flatMap((family) => presetRules(family, "balanced"));
    expect(all.length).toBe(DEFAULT_POLICY.rules.length);
    for (const rule of DEFAULT_POLICY.rules) expect(all).toContainEqual(JSON.parse(JSON.stringify(rule)));
  });

  test("strict is never looser than balanced, nor balanced than permissive; about secrets none is lenient", () => {
    verifies("profile.compile");
    const types = DEFAULT_POLICY.rules.map(({ type }) => type);
    const [strict, balanced, permissive] = (["strict", "balanced", "permissive"] as const).map((sensitivity) =>
      compiled(answers({ oversight: { autonomy: "act", sensitivity } })),
    );
    if (!strict || !balanced || !permissive) throw new Error("three presets");
    const policies = [strict, balanced, permissive].map(policyOf);
    for (const type of types) {
      for (const origin of ORIGINS) {
        for (let score = 0; score <= 1; score += 0.05) {
          const ranks = policies.map((policy) => ACTIONS.indexOf(policy.judge(origin, type, score)));
          expect(ranks).toEqual(ranks.toSorted((one, other) => other - one));
        }
      }
    }
    expect(permissive.detectors.secrets).toEqual(balanced.detectors.secrets);
  });

  test("expected personal data passes with a flag on the way in and out, and all below it", () => {
    verifies("profile.compile");
    const expecting = (...types: string[]) =>
      compiled(answers({ data_privacy: { data_classes: ["confidential"], pii_types_expected: types } }));
    const iban = expecting("pii.iban");
    for (const origin of ["user", "tool_result", "output"] as const) {
      expect(judged(iban, origin, "pii.iban", 1)).toBe("flag");
      expect(judged(iban, origin, "pii.credit_card", 1)).toBe("redact");
      expect(judged(expecting("pii"), origin, "pii.credit_card", 1)).toBe("flag");
    }
    expect(judged(expecting("pii"), "user", "secret.openai_key", 1)).toBe("block");
  });

  test("profile: untrusted sources get the strictest injection thresholds", () => {
    verifies("profile.compile");
    const strict = presetRules("prompt_injection", "strict");
    const injection = (trust: Answers["input_trust"]) =>
      compiled(answers({ input_trust: trust })).detectors.prompt_injection.rules;
    expect(injection({ sources: ["user"] })).not.toEqual(strict);
    expect(injection({ sources: ["user", "web"] })).toEqual(strict);
    expect(injection({ sources: ["user"], memory: true })).toEqual(strict);
  });

  test("a tainted argument is held where a mistake is dear, noted elsewhere, unless the answers say", () => {
    verifies("profile.compile");
    const tainted = (given: Partial<Answers>) => compiled(answers(given)).tools.tainted_arguments;
    const medium: Partial<Answers> = { data_privacy: { data_classes: ["confidential"] } };
    const high: Partial<Answers> = { ...medium, purpose: { intended_use: "x", audience: "public" } };
    expect(tainted(medium)).toBe("flag");
    expect(tainted({ ...medium, input_trust: { sources: ["email"] } })).toBe("hold");
    expect(tainted(high)).toBe("hold");
    expect(tainted({ ...high, input_trust: { sources: ["user"], tainted_arguments: "block" } })).toBe("block");
  });

  test("of tainted values more are held the riskier the tier; where none are held nothing is said", () => {
    verifies("profile.compile", "enforce.tainted-values");
    const held = answers({ input_trust: { sources: ["email"], tainted_arguments: "hold" } });
    const from = TIERS.map((tier) => compileProfile(held, { tier }).tools.tainted_values);
    expect(from).toEqual([0.75, 0.75, 0.6, 0.5].map((score) => ({ from: score, reading_tools: true })));
    for (const action of ["flag", "allow"] as const) {
      const passed = answers({ input_trust: { sources: ["email"], tainted_arguments: action } });
      for (const tier of TIERS) expect(compileProfile(passed, { tier }).tools).not.toHaveProperty("tainted_values");
    }
  });

  test("the riskier the tier, the less may be tuned without a new review", () => {
    verifies("profile.compile");
    const deltas = TIERS.map((tier) => compileProfile(answers(), { tier }).tunable.max_threshold_delta);
    expect(deltas).toEqual(deltas.toSorted((one, other) => other - one));
  });
});
