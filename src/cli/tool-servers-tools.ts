import type { ApprovedTool } from "#features/tool-servers/service";
import { CLI_ACTOR } from "#model/change";
import type { Arguments } from "./arguments";
import { EXIT } from "./exit";
import { card } from "./output";
import { type CliSession, changing } from "./session";
import { plain } from "./table";
import { definitionDiff } from "./tool-diff";
import { serverNamed, toolServersOf } from "./tool-servers";
import { cardOf, reasonLines } from "./tool-servers-shown";
import type { Invocation, RunVerb } from "./verb";

/** Null when the flag is not given. */
export const namesIn = (args: Arguments): string[] | null => args.text("tools")?.split(",") ?? null;

const listIn = (args: Arguments, flag: "resources" | "prompts"): string[] => args.text(flag)?.split(",") ?? [];

/** The server, and the agent by its name among those of the server's owner. */
const parties = async (session: CliSession, invocation: Invocation) => {
  const server = await serverNamed(session, invocation);
  const service = toolServersOf(session, invocation);
  const { id, slug, owner, transport, status } = await service.shown(server);
  const agent = await session.access.agent(invocation.args.need("agent"), owner);
  return {
    service,
    server,
    agent,
    shown: { id, slug, owner, transport, status, agent_id: agent.id, agent: agent.name },
  };
};

export const assignTools: RunVerb = async (invocation) => {
  const done = await changing(invocation, async (session) => {
    const { service, server, agent, shown } = await parties(session, invocation);
    const { args } = invocation;
    const { tools, resources, prompts } = await service.assign(CLI_ACTOR, server, agent.id, {
      tools: namesIn(args) ?? undefined,
      resources: listIn(args, "resources"),
      prompts: listIn(args, "prompts"),
    });
    return { ...shown, tools, resources, prompts };
  });
  const { slug, owner, agent, tools, resources, prompts } = done;
  const listed = (names: readonly string[]): string => (names.length === 0 ? "none" : names.join(","));
  const given = {
    tools: tools === null ? "all" : listed(tools),
    resources: listed(resources),
    prompts: listed(prompts),
  };
  await invocation.out.result(done, card({ slug, owner, agent, ...given }));
  return EXIT.ok;
};

export const unassignTools: RunVerb = async (invocation) => {
  const done = await changing(invocation, async (session) => {
    const { service, server, agent, shown } = await parties(session, invocation);
    await service.unassign(CLI_ACTOR, server, agent.id);
    return { ...shown, tools: [] };
  });
  await invocation.out.result(done, `${done.agent} has no tools of ${done.slug} any more.`);
  return EXIT.ok;
};

const changesOf = ({ name, before, after }: ApprovedTool): string[] => [
  `${plain(name)}: ${before === null ? "approved for the first time" : "change approved"}`,
  ...definitionDiff(before, after).map((line) => `  ${plain(line)}`),
];

export const approveTools: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const wanted = namesIn(args)?.map((tool) => ({ tool, hash: null })) ?? null;
  const { report, approved } = await changing(invocation, async (session) =>
    toolServersOf(session, invocation).approve(CLI_ACTOR, await serverNamed(session, invocation), wanted),
  );
  if (!report.ok)
    await out.note(`note: the server does not answer, so the definitions listed last were approved: ${report.problem}`);
  const reasonsOf = (name: string) => reasonLines(report.tools.filter((tool) => tool.name === name));
  const lines =
    approved.length === 0
      ? ["No pending tools."]
      : approved.flatMap((one) => [...changesOf(one), ...reasonsOf(one.name).map((line) => `  ${line}`)]);
  await out.result({ ...report, approved }, [...lines, "", cardOf(report)].join("\n"));
  return report.ok || approved.length > 0 ? EXIT.ok : EXIT.failure;
};
