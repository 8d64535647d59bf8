import { CLI_ACTOR } from "#core/change";
import type { ApprovedTool } from "#modules/tool-servers/service";
import { EXIT } from "./exit";
import { plain } from "./output";
import { changing } from "./session";
import { definitionDiff } from "./tool-diff";
import { serverNamed, toolServersOf } from "./tool-servers";
import { namesIn } from "./tool-servers-assign";
import { cardOf } from "./tool-servers-shown";
import type { Run } from "./verb";

const changesOf = ({ name, before, after }: ApprovedTool): string[] => [
  `${plain(name)}: ${before === null ? "approved for the first time" : "approved as changed"}`,
  ...definitionDiff(before, after).map((line) => `  ${plain(line)}`),
];

export const approveTools: Run = async (invocation) => {
  const { args, out } = invocation;
  const wanted = namesIn(args)?.map((tool) => ({ tool, hash: null })) ?? null;
  const { report, approved } = await changing(invocation, async (session) =>
    toolServersOf(session, invocation).approve(CLI_ACTOR, await serverNamed(session, invocation), wanted),
  );
  if (!report.ok) await out.note(`note: approved is what was seen last, because it does not answer: ${report.problem}`);
  const lines = approved.length === 0 ? ["Nothing waited for approval."] : approved.flatMap(changesOf);
  await out.result({ ...report, approved }, [...lines, "", cardOf(report)].join("\n"));
  return report.ok || approved.length > 0 ? EXIT.ok : EXIT.failure;
};
