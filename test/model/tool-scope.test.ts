import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  hiddenBy,
  permits,
  type ScopedTool,
  TOOL_LAYERS,
  type ToolAllowlist,
  type ToolScope,
} from "#model/tools/tool-scope";
import { verifies } from "#test/support/verifies";

const SLUGS = ["files", "files-2", "web", "a"];
/** Names in which the separator occurs again, that begin alike, or that look like a wildcard. */
const NAMES = ["read", "read_all", "__init__", "x__y", "_", "*", "files__read"];

const servers = SLUGS.map((slug) => ({ slug, id: `id-of-${slug}` }));
const tools = servers.flatMap(({ slug, id }) => NAMES.map((tool) => ({ slug, id, tool, name: `${slug}__${tool}` })));

const anyTool = fc.record({
  tool: fc.constantFrom(...tools),
  isServerActive: fc.boolean(),
  isApproved: fc.boolean(),
});

/** Entries that fit a tool exactly, by its server, or everything; and some that fit nothing. */
const entry = fc.oneof(
  fc.constantFrom(...tools.map(({ name }) => name)),
  fc.constantFrom(...SLUGS.map((slug) => `${slug}__*`)),
  fc.constantFrom("*", "", "**", "__*", "files", "files_*", "fil*", "*__read", "files__rea", "FILES__READ", "web__x*"),
);
const allowlist: fc.Arbitrary<ToolAllowlist | null> = fc.option(fc.array(entry, { maxLength: 6 }));
/** What was assigned to an agent: whole servers, and tools by their own names. */
const assignment = fc.option(fc.dictionary(fc.constantFrom(...SLUGS), fc.option(fc.subarray(NAMES))));

/** What a profile's list, and a list of what a restriction leaves, make of a name. */
const governedBy =
  (profile: ToolAllowlist | null, restricted: ToolAllowlist | null = null): ToolScope["governed"] =>
  (name) => {
    if (profile !== null && !permits(profile, name)) return "profile";
    return restricted !== null && !permits(restricted, name) ? "restriction" : null;
  };

type Assigned = Readonly<Record<string, readonly string[] | null>>;
const isAssigned = (assigned: Assigned, serverId: string, tool: string): boolean => {
  const slug = serverId.replace("id-of-", "");
  if (!Object.hasOwn(assigned, slug)) return false;
  return assigned[slug]?.includes(tool) ?? true;
};

/** The rule again, told as a person would: an entry means this tool, all of its server, or everything. */
const isListed = (list: ToolAllowlist, { slug, name }: { slug: string; name: string }): boolean =>
  list.some((item) => item === "*" || item === name || item === `${slug}__*`);

test("a tool is the caller's exactly when every layer that applies says so; the first that does not is named", () => {
  verifies("tools.scope-layers");
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(anyTool, assignment, fc.tuple(allowlist, allowlist), allowlist, (drawn, assigned, lists, client) => {
      const { tool, ...state } = drawn;
      const [profile, restricted] = lists;
      const scope: ToolScope = {
        agent: assigned === null ? null : (serverId, own) => isAssigned(assigned, serverId, own),
        governed: governedBy(profile, restricted),
        client,
      };
      const scoped: ScopedTool = { server_id: tool.id, tool: tool.tool, name: tool.name, ...state };
      const says = {
        server: state.isServerActive,
        definition: state.isApproved,
        agent: assigned === null || isAssigned(assigned, tool.id, tool.tool),
        profile: profile === null || isListed(profile, tool),
        restriction: restricted === null || isListed(restricted, tool),
        client: client === null || isListed(client, tool),
      };
      const first = TOOL_LAYERS.find((layer) => !says[layer]) ?? null;
      expect(hiddenBy(scope, scoped)).toBe(first);
      seen.set(`${first}`, (seen.get(`${first}`) ?? 0) + 1);
    }),
    { numRuns: 3000 },
  );
  // The draw has met every answer. The rarest is met about 35 times in 3,000 draws.
  for (const answer of [...TOOL_LAYERS, "null"]) expect(seen.get(answer) ?? 0).toBeGreaterThan(0);
});

test("every combination of layers, present or not, saying yes or no", () => {
  verifies("tools.scope-layers");
  const tool = { server_id: "s", tool: "read", name: "files__read" };
  const yes: readonly ToolAllowlist[] = [["files__read"], ["files__*"], ["*"], ["other__x", "files__read"]];
  const no: readonly ToolAllowlist[] = [[], ["files__write"], ["files-2__*"], ["file__*"], ["read"]];
  const lists: readonly (readonly [ToolAllowlist | null, boolean])[] = [
    [null, true],
    ...yes.map((list): [ToolAllowlist, boolean] => [list, true]),
    ...no.map((list): [ToolAllowlist, boolean] => [list, false]),
  ];
  const agents: readonly (readonly [ToolScope["agent"], boolean])[] = [
    [null, true],
    [() => true, true],
    [() => false, false],
  ];
  const flags = [true, false];
  const all = flags
    .flatMap((isServerActive) => flags.map((isApproved) => ({ isServerActive, isApproved })))
    .flatMap((state) => agents.map(([agent, byAgent]) => ({ ...state, agent, byAgent })))
    .flatMap((state) => lists.map(([profile, byProfile]) => ({ ...state, profile, byProfile })))
    .flatMap((state) => lists.map(([client, byClient]) => ({ ...state, client, byClient })));
  expect(all).toHaveLength(2 * 2 * 3 * 10 * 10);
  for (const { isServerActive, isApproved, byAgent, byProfile, byClient, profile, agent, client } of all) {
    const answers = [isServerActive, isApproved, byAgent, byProfile, true, byClient];
    const by = hiddenBy({ agent, governed: governedBy(profile), client }, { ...tool, isServerActive, isApproved });
    expect(by).toBe(TOOL_LAYERS[answers.indexOf(false)] ?? null);
  }
});

test("a further layer never shows what was hidden", () => {
  verifies("tools.scope-narrows");
  fc.assert(
    fc.property(anyTool, allowlist, allowlist, ({ tool, ...state }, profile, client) => {
      const scoped: ScopedTool = { server_id: tool.id, tool: tool.tool, name: tool.name, ...state };
      const isShown = (scope: ToolScope) => hiddenBy(scope, scoped) === null;
      const open = isShown({ agent: null, governed: null, client: null });
      const narrowed = isShown({ agent: null, governed: governedBy(profile), client: null });
      const narrower = isShown({ agent: null, governed: governedBy(profile), client });
      const narrowest = isShown({ agent: () => false, governed: governedBy(profile), client });
      expect(narrowed && !open).toBe(false);
      expect(narrower && !narrowed).toBe(false);
      expect(narrowest).toBe(false);
    }),
  );
});
