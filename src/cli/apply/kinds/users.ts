import { said } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import type { Static } from "#core/schema";
import { UserEntry } from "#features/configuration/schema";
import { goodEmail, goodName } from "#model/person";

type Entry = Static<typeof UserEntry>;

const isAdministrator = (entry: Entry | undefined): boolean =>
  entry?.role === "admin" && (entry.state ?? "active") === "active";

const isLess = (before: Entry, { role = "member", state = "active" }: Entry): boolean =>
  (state === "disabled" && before.state !== "disabled") || (role === "member" && before.role !== undefined);

/** Nobody is deleted: who is removed is disabled. */
export const users = planned({
  kind: "user",
  section: "users",
  schema: UserEntry,
  nameOf: ({ email }) => email,
  normal: (entry) => said(entry, { role: "member" }),
  check: ({ email, name = null }) => {
    goodEmail(email);
    goodName(name);
  },
  fixed: ["name"],
  // Who was disabled by hand stays so.
  kept: ["name", "state"],
  usual: { state: "active" },
  lifts: (before, after) => before.state === "disabled" && after.state === "active",
  turn: (before, after) => {
    if (after === undefined) return "usual";
    if (isAdministrator(before) !== isAdministrator(after)) return isAdministrator(after) ? "promotes" : "demotes";
    return before !== undefined && isLess(before, after) ? "narrows" : "usual";
  },
  removable: ({ state }) => state !== "disabled",
  isLater: ({ users }, { id }) => users.some((one) => one.id === id),
  stored: async ({ store }) =>
    (await store.users.list()).map(({ id, email, name, role, state }) => ({
      id,
      entry: { email, ...(name !== null && { name }), role, state },
    })),
  create: async ({ by, parts }, { email, name = null, role = "member", state = "active" }) => {
    const user = await parts.accessService.createUser(by, { email, name, role, password: null });
    if (user && state !== "active") await parts.userService.change(by, user.id, { state });
  },
  change: async ({ by, parts }, { id }, { role = "member", state = "active" }) => {
    await parts.userService.change(by, id, { role, state });
  },
  remove: async ({ by, parts }, { id }) => {
    await parts.userService.change(by, id, { state: "disabled" });
  },
});
