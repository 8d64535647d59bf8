import type { Config } from "#config/schema";
import { HUB_ACTOR } from "#core/change";
import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import { AccessService } from "#modules/access/service";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Store } from "#store/port";

/** Shows the set-up link, if there is one, to the operator's own eyes: it is in no log that is kept and searched. */
export const showSetUp = (link: string | null, place: HubPlace): void => {
  if (link === null) return;
  const words = "This hub has no administrator yet. Within 30 minutes open";
  process.stderr.write(`\n${words}\n\n  ${link}\n\nor run: ${commandLine(COMMANDS.createAdmin(), place)}\n\n`);
};

/**
 * Makes the administrator the configuration names when there is no user of that address. It never changes one: a
 * password that was changed since stays changed, and who was disabled stays so.
 */
export const bootstrapAdmin = async (
  { admin_email: email, admin_password: password }: Config["bootstrap"],
  { users, agents, tokens }: Store,
  log: Log,
): Promise<void> => {
  if (email === "" || password === null || (await users.byEmail(email))) return;
  const access = new AccessService({ users, agents, tokens, now: systemClock, ids: systemIds });
  const user = await access.createUser(HUB_ACTOR, { email, name: null, role: "admin", password });
  if (user) log.info("admin.created", { user_id: user.id });
};
