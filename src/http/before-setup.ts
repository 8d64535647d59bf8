import { type AnyElysia, Elysia } from "elysia";
import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import { errors } from "#http/errors";
import { type HtmlPage, isForPerson, pageResponse } from "#http/pages/html-page";
import type { Log } from "#platform/log";

type BeforeSetupNeeds = {
  readonly log: Log;
  readonly basePath: string;
  /** Whether people come by https. */
  readonly isSecure: () => boolean;
  /** The set-up page with what it posts to, and whether the hub is alive. */
  readonly routes: readonly AnyElysia[];
};

/**
 * What is served on a public address before there is an administrator: a hub that was just installed belongs to nobody
 * yet. It is an application of its own, so that no comparing of paths decides what is served.
 */
export const beforeSetup = ({ log, basePath, isSecure, routes }: BeforeSetupNeeds) => {
  const below = new Elysia({ prefix: basePath });
  for (const some of routes) below.use(some);
  return new Elysia()
    .use(errors(log, () => []))
    .use(below)
    .all("*", ({ request }) => {
      if (isForPerson(request)) return pageResponse(UNCLAIMED, isSecure());
      throw new GuardError(
        "setup_required",
        `This hub has no administrator yet. Its operator opens the link that serve printed, or runs ${commandLine(COMMANDS.createAdmin())}.`,
        { headers: { "retry-after": "5" } },
      );
    });
};

const UNCLAIMED: HtmlPage = {
  title: "Not set up yet",
  body: `<p>This hub has no administrator, so it serves nothing but its set-up.</p>
<p>If you run it, open the link in what <code>${commandLine(COMMANDS.serve())}</code> wrote, or run
<code>${commandLine(COMMANDS.createAdmin())}</code>.</p>`,
  script: "",
  status: 503,
};
