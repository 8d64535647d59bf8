import { describe, expect, test } from "bun:test";
import { isAllowlist } from "#model/oauth/client";
import { hiddenBy, type ScopedKind, type ToolScope } from "#model/tools/tool-scope";
import { offerDenials } from "#policy/profile/permits";
import { verifies } from "#test/support/verifies";

const OPEN: ToolScope = { agent: null, governed: null, client: null };
const what = (kind: ScopedKind, slug: string, name: string) => ({
  ...{ kind, slug, name, tool: name, server_id: "s1" },
  ...{ isServerActive: true, isApproved: true },
});
const layerOf = (client: readonly string[], kind: ScopedKind, slug = "files") =>
  hiddenBy({ ...OPEN, client }, what(kind, slug, `${slug}__x`));

describe("clients that a person let in", () => {
  test("to all tools have no prompts and resources", () => {
    verifies("tools.resource-scope");
    for (const kind of ["prompt", "resource", "template"] as const) {
      expect(layerOf(["*", "files__*", "files__x"], kind)).toBe("client");
    }
    expect(layerOf(["prompts:*", "resources:*"], "tool")).toBe("client");
  });

  test("have those of the servers they were let in to", () => {
    verifies("tools.resource-scope");
    expect(layerOf(["prompts:files"], "prompt")).toBeNull();
    expect(layerOf(["prompts:files"], "prompt", "web")).toBe("client");
    expect(layerOf(["prompts:*"], "resource")).toBe("client");
    expect(layerOf(["resources:*"], "resource")).toBeNull();
    expect(layerOf(["resources:files"], "template")).toBeNull();
  });

  test("are let in by a list of such entries", () => {
    expect(isAllowlist(["*", "files__*", "prompts:files", "resources:*"])).toBe(true);
    for (const name of ["prompts:", "prompts:FILES", "resources:files__*", "other:files", "prompts:*:x"]) {
      expect([name, isAllowlist([name])]).toEqual([name, false]);
    }
  });
});

describe("profiles and restrictions", () => {
  const profile = (prompts: string[], resources: string[]) => [{ layer: "profile v1", value: { prompts, resources } }];
  const of = (kind: "prompt" | "resource" | "template", name: string) => ({ kind, slug: "files", name });
  const rules = (offers: ReturnType<typeof profile>, deny: string[] = []) => ({
    offers,
    tools: [{ layer: "restriction r1", value: { deny } }],
  });
  const denials = (offers: ReturnType<typeof profile>, one: ReturnType<typeof of>, deny?: string[]) =>
    offerDenials(rules(offers, deny), one).map(({ layer, rule }) => `${layer} ${rule}`);

  test("a profile without them permits none, and one permits what it names", () => {
    verifies("tools.resource-scope");
    const uri = "guardhouse://files/note://day/1";
    expect(denials(profile([], []), of("resource", uri))).toEqual(["profile v1 resources"]);
    expect(denials(profile([], []), of("prompt", "files__x"))).toEqual(["profile v1 prompts"]);
    expect(denials(profile(["files__*"], []), of("prompt", "files__x"))).toEqual([]);
    expect(denials(profile([], ["guardhouse://files/note://day/*"]), of("resource", uri))).toEqual([]);
    expect(denials(profile([], ["guardhouse://files/note://day/1"]), of("template", uri.replace("1", "{n}")))).toEqual(
      [],
    );
    expect(denials(profile(["*"], ["guardhouse://web/*"]), of("resource", uri))).toEqual(["profile v1 resources"]);
  });

  test("a restriction of a whole server holds for all it offers, one of a tool does not", () => {
    verifies("tools.resource-scope");
    expect(denials([], of("prompt", "files__x"), ["files__*"])).toEqual(["restriction r1 tools.deny"]);
    expect(denials([], of("resource", "guardhouse://files/a"), ["*"])).toEqual(["restriction r1 tools.deny"]);
    expect(denials([], of("resource", "guardhouse://files/a"), ["files__read", "web__*"])).toEqual([]);
  });
});
