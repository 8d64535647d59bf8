import type { FeedChanges } from "#store/port";
import type { Documents } from "./document";
import { type AnyKind, type Change, type Planned, type PlanOptions, type Reference, TURNS } from "./kind";
import type { World } from "./world";

export type Plan = {
  readonly changes: readonly Change[];
  readonly faults: readonly string[];
  readonly notes: readonly string[];
};

const keyOf = ({ kind, name }: Reference): string => `${kind} ${name}`;

/** Changes by their turns. What names something new waits until that is made. */
const inTurn = (changes: readonly Change[]): readonly Change[] => {
  const made = new Set(changes.filter(({ action }) => action === "create").map(keyOf));
  const turnOf = ({ turn, references }: Change): number =>
    TURNS.indexOf(references.some((one) => made.has(keyOf(one))) ? "usual" : turn);
  return changes.toSorted((one, other) => turnOf(one) - turnOf(other));
};

/** What is to change, in the order in which it is done: first what is new or different, then what goes. */
export const planOf = async (
  kinds: readonly AnyKind[],
  world: World,
  documents: Documents,
  options: PlanOptions,
): Promise<Plan> => {
  const planned: { kind: AnyKind; plan: Planned }[] = [];
  for (const kind of kinds) {
    planned.push({ kind, plan: await kind.plan(world, documents.sections.get(kind.section) ?? [], options) });
  }
  const all = planned.flatMap(({ plan }) => plan.changes);
  const kept = all.filter((change) => change.action !== "remove");
  const removed = planned.toReversed().flatMap(({ plan }) => plan.changes.filter(({ action }) => action === "remove"));
  const gone = new Set(removed.map(keyOf));
  const own = removed.filter(({ belongs, references }) => !(belongs && references.some((one) => gone.has(keyOf(one)))));
  const { spared, faults } = await lastAdministrator(world, all);
  const going = own.filter((change) => keyOf(change) !== spared);
  const decided = going.filter(({ turn }) => turn === "decides");
  return {
    changes: [...decided, ...inTurn(kept), ...going.filter(({ turn }) => turn !== "decides")],
    faults: [...planned.flatMap(({ plan }) => plan.faults), ...missing(planned, gone), ...faults],
    notes: spared === null ? [] : [`${spared} stays: there is no other active administrator`],
  };
};

/** Of what stays as it is that alone which goes: it may be in a file that was forgotten. */
const missing = (
  planned: readonly { readonly kind: AnyKind; readonly plan: Planned }[],
  gone: ReadonlySet<string>,
): string[] => {
  const names = new Map(planned.map(({ kind, plan }) => [kind.kind, plan.names]));
  const changed = new Set(planned.flatMap(({ plan }) => plan.changes.map(keyOf)));
  const wanted = planned.flatMap(({ plan }) => plan.wanted);
  return wanted.flatMap(({ file, kind, name, references }) =>
    references
      .filter(
        (one) => gone.has(keyOf(one)) || (changed.has(keyOf({ kind, name })) && !names.get(one.kind)?.has(one.name)),
      )
      .map((one) => `${file}: ${kind} ${name}: there is no ${one.kind} ${one.name}, or it is removed`),
  );
};

/** Whom `--prune` leaves, and who must not be demoted: without an administrator nobody could let anybody in any more. */
const lastAdministrator = async (
  { store }: World,
  changes: readonly Change[],
): Promise<{ readonly spared: string | null; readonly faults: readonly string[] }> => {
  const none = { spared: null, faults: [] };
  const active = (await store.users.ofRoles(["admin"])).filter(({ state }) => state === "active");
  const users = changes.filter(({ kind }) => kind === "user");
  const [removed, demoted] = [users.filter(({ action }) => action === "remove"), users.filter(isDemotion)];
  const going = new Set([...removed, ...demoted].map(({ name }) => name));
  if (active.some(({ email }) => !going.has(email)) || users.some(({ turn }) => turn === "promotes")) return none;
  const goes = new Set(removed.map(({ name }) => name));
  const [first] = active
    .filter(({ email }) => goes.has(email))
    .toSorted((one, other) => one.created_at - other.created_at);
  if (first !== undefined) return { ...none, spared: keyOf({ kind: "user", name: first.email }) };
  const faults = demoted.map(({ file, name }) => `${file}: user ${name}: there would be no active administrator`);
  return { ...none, faults };
};

const isDemotion = ({ turn }: Change): boolean => turn === "demotes";

/** Objects that were changed after the file that would overwrite them was exported. */
export const overtaken = async (
  { store }: World,
  { etags }: Documents,
  changes: readonly Change[],
): Promise<string[]> => {
  const revision = await store.changes.revision();
  const found: string[] = [];
  const oldest = Math.min(...etags.values());
  const feeds = new Map<number, FeedChanges>();
  for (const change of changes) {
    const etag = change.file === null ? oldest : etags.get(change.file);
    // One that is newer is of another hub.
    if (etag === undefined || etag >= revision || change.action === "create") continue;
    const feed = feeds.get(etag) ?? (await store.changes.changesSince(etag));
    feeds.set(etag, feed);
    if (change.isLater(feed)) found.push(`${change.kind} ${change.name}`);
  }
  return found;
};

/** What people and scripts are told of one change. */
export const shownChange = ({ kind, name, action, fields }: Change, state: string) => ({
  kind,
  name,
  action,
  state,
  ...(fields.length > 0 && {
    fields: fields.map(({ pointer, before, after }) => ({
      field: pointer.slice(1).replaceAll("/", "."),
      before,
      after,
    })),
  }),
});
