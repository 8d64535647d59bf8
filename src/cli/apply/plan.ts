import type { FeedChanges } from "#store/port";
import type { Documents } from "./document";
import type { AnyKind, Change, PlanOptions, Reference } from "./kind";
import type { World } from "./world";

export type Plan = {
  readonly changes: readonly Change[];
  readonly faults: readonly string[];
  readonly notes: readonly string[];
};

const keyOf = ({ kind, name }: Reference): string => `${kind} ${name}`;

/** What is to change, in the order in which it is done: first what is new or different, then what goes. */
export const planOf = async (
  kinds: readonly AnyKind[],
  world: World,
  documents: Documents,
  options: PlanOptions,
): Promise<Plan> => {
  const planned: { kind: AnyKind; plan: Awaited<ReturnType<AnyKind["plan"]>> }[] = [];
  for (const kind of kinds) {
    planned.push({ kind, plan: await kind.plan(world, documents.sections.get(kind.section) ?? [], options) });
  }
  const all = planned.flatMap(({ plan }) => plan.changes);
  const kept = all.filter((change) => change.action !== "remove");
  const removed = planned.toReversed().flatMap(({ plan }) => plan.changes.filter(({ action }) => action === "remove"));
  const gone = new Set(removed.map(keyOf));
  const own = removed.filter(({ belongs, references }) => !(belongs && references.some((one) => gone.has(keyOf(one)))));
  const spared = await lastAdministrators(world, all);
  return {
    changes: [...kept, ...own.filter((change) => !spared.has(keyOf(change)))],
    faults: [...planned.flatMap(({ plan }) => plan.faults), ...missing(kept, planned)],
    notes: [...spared].map((name) => `${name} stays: there is no other active administrator`),
  };
};

const missing = (
  changes: readonly Change[],
  planned: readonly { kind: AnyKind; plan: { readonly names: ReadonlySet<string> } }[],
): string[] => {
  const names = new Map(planned.map(({ kind, plan }) => [kind.kind, plan.names]));
  return changes.flatMap(({ file, kind, name, references }) =>
    references
      .filter((one) => names.get(one.kind)?.has(one.name) !== true)
      .map((one) => `${file}: ${kind} ${name}: there is no ${one.kind} ${one.name}, or it is removed`),
  );
};

/** Who would be the last one to go: nobody could let anybody in any more. */
const lastAdministrators = async ({ store }: World, changes: readonly Change[]): Promise<ReadonlySet<string>> => {
  const active = (await store.users.ofRoles(["admin"])).filter(({ state }) => state === "active");
  const removed = new Set(
    changes.filter(({ action, kind }) => action === "remove" && kind === "user").map(({ name }) => name),
  );
  const [first] = active.toSorted((one, other) => one.created_at - other.created_at);
  const stays = active.some(({ email }) => !removed.has(email));
  return new Set(first === undefined || stays ? [] : [keyOf({ kind: "user", name: first.email })]);
};

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
