import fc from "fast-check";
import { SERVER_TOOLS } from "#model/server-tools";
import {
  type Answers,
  AUDIENCES,
  AUTONOMIES,
  DATA_CLASSES,
  EFFECTS,
  EGRESS,
  SOURCES,
} from "#policy/review/questionnaire";

/** Answers of a modest agent: low tier, two models, two tools that read. `more` replaces whole sections. */
export const answers = (more: Partial<Answers> = {}): Answers => ({
  ownership: { team: "Support" },
  purpose: { intended_use: "Answers questions about orders.", audience: "self" },
  data_privacy: { data_classes: ["public"] },
  models: { models: ["guardhouse/echo", "gpt-5*"] },
  tools: { tools: [tool("files", "read_file", "read"), tool(null, "look_up", "read")] },
  input_trust: { sources: ["user"] },
  secrets_security: { egress: "none" },
  oversight: { autonomy: "act" },
  monitoring: {},
  ...more,
});

export const tool = (server: string | null, name: string, effect: (typeof EFFECTS)[number]) => ({
  server,
  tool: name,
  effect,
});

const section = <T extends object>(required: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(required);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const host = fc.constantFrom("example.org", "*.example.org", "Docs.Example.org", "localhost:8080");

/** Any answers that can be submitted. */
export const anyAnswers: fc.Arbitrary<Answers> = fc.record({
  ownership: fc.constant({}),
  purpose: section<Answers["purpose"]>({
    intended_use: fc.constant("Something."),
    audience: fc.constantFrom(...AUDIENCES),
    annex_iii_area: maybe(fc.constant("employment")),
    disclosure: maybe(fc.constant("You are talking to a machine.")),
  }),
  data_privacy: section<Answers["data_privacy"]>({
    data_classes: fc.subarray([...DATA_CLASSES]),
    pii_types_expected: fc.subarray(["pii", "pii.email", "pii.iban"]),
    regions: fc.subarray(["DE", "FR", "US"]),
    store_content: fc.constantFrom("none", "redacted", "full"),
    retention_days: maybe(fc.integer({ min: 1, max: 400 })),
    provider_state: fc.constantFrom("own", "forbid"),
  }),
  models: section<Answers["models"]>({
    models: fc.subarray(["gpt-5", "gpt-*", "*", "guardhouse/echo"]),
    max_tokens: maybe(fc.integer({ min: 1, max: 100_000 })),
  }),
  tools: section<Answers["tools"]>({
    tools: fc.array(
      fc.record({
        server: maybe(fc.constantFrom("files", "mail")),
        tool: fc.constantFrom("read", "write.all", "*", "send"),
        effect: fc.constantFrom(...EFFECTS),
      }),
      { maxLength: 6 },
    ),
    approval_needed: fc.subarray(["read", "mail__send", "unknown"]),
    server_tools: fc.subarray([...SERVER_TOOLS]),
    mcp_hosts: fc.subarray(["mcp.example.org", "*.Example.com"]),
    max_calls_per_conversation: maybe(fc.integer({ min: 1, max: 50 })),
    commands: fc.subarray(["allow git *", "ask git push *", "deny rm -rf *"]),
    other_commands: fc.constantFrom("allow", "ask", "deny"),
    command_hosts: fc.subarray(["github.com", "*.Example.org"]),
    other_hosts: fc.constantFrom("ask", "deny"),
    files: fc.subarray(["deny read ~/.ssh/**", "allow write src/**", "ask **/.env"]),
    other_reads: fc.constantFrom("allow", "ask"),
    other_writes: fc.constantFrom("allow", "deny"),
    hook_redact: fc.constantFrom("deny", "allow"),
    hook_offline_minutes: maybe(fc.integer({ min: 0, max: 60 })),
  }),
  input_trust: section<Answers["input_trust"]>({
    sources: fc.subarray([...SOURCES]),
    memory: fc.boolean(),
  }),
  secrets_security: section<Answers["secrets_security"]>({
    egress: fc.oneof(fc.constantFrom(...EGRESS), fc.array(host, { maxLength: 3 })),
    code_execution: fc.boolean(),
  }),
  oversight: section<Answers["oversight"]>({
    autonomy: fc.constantFrom(...AUTONOMIES),
    requests_per_minute: maybe(fc.integer({ min: 1, max: 600 })),
    max_iterations: maybe(fc.integer({ min: 1, max: 60 })),
    sensitivity: fc.constantFrom("strict", "balanced", "permissive"),
    mode: fc.constantFrom("enforce", "monitor"),
    fail_mode: fc.constantFrom("closed", "open"),
  }),
  monitoring: fc.constant({}),
});
