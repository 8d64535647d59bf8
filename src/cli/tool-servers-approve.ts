import type { ApprovedTool } from "#features/tool-servers/service";
import { CLI_ACTOR } from "#model/change";
import { EXIT } from "./exit";
import { plain } from "./output";
import { changing } from "./session";
import { definitionDiff } from "./tool-diff";
import { serverNamed, toolServersOf } from "./tool-servers";
import { namesIn } from "./tool-servers-assign";
import { cardOf } from "./tool-servers-shown";
import type { RunVerb } from "./verb";

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
  const lines = approved.length === 0 ? ["No pending tools."] : approved.flatMap(changesOf);
  await out.result({ ...report, approved }, [...lines, "", cardOf(report)].join("\n"));
  return report.ok || approved.length > 0 ? EXIT.ok : EXIT.failure;
};
