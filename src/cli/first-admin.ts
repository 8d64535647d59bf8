import { commandParts } from "#app";
import type { Config } from "#config/schema";
import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import { HUB_ACTOR } from "#model/change";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Store } from "#store/port";
import type { Host } from "./host";

/** Shows the set-up link, if there is one, to the operator's own eyes: it is in no log that is kept and searched. */
export const showSetUp = (link: string | null, place: HubPlace, host: Pick<Host, "writeLine">): void => {
  if (link === null) return;
  const words = "This hub has no administrator yet. Within 30 minutes open";
  host.writeLine("stderr", `\n${words}\n\n  ${link}\n\nor run: ${commandLine(COMMANDS.createAdmin(), place)}\n\n`);
};

/**
 * Makes the administrator the configuration names when there is no user of that address. It never changes one: a
 * password that was changed since stays changed, and who was disabled stays so.
 */
export const bootstrapAdmin = async (
  { admin_email: email, admin_password: password }: Config["bootstrap"],
  store: Store,
  log: Log,
): Promise<void> => {
  if (email === "" || password === null || (await store.users.byEmail(email))) return;
  const { accessService: access } = commandParts({ store, now: systemClock, ids: systemIds });
  const user = await access.createUser(HUB_ACTOR, { email, name: null, role: "admin", password });
  if (user) log.info("admin.created", { user_id: user.id });
};
