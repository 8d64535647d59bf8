import { GuardError } from "#core/errors";
import type { User } from "#model/person";
import type { SavedView } from "#model/saved-view";
import { type Clock, timestamp } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { ViewStore } from "#store/view-port";
import type { ViewBody, ViewResponse } from "./schema";

type ViewServiceNeeds = {
  readonly views: ViewStore;
  readonly people: { user(id: string): User | null };
  readonly now: Clock;
  readonly ids: Ids;
};

/** Of one user. */
const MAX_VIEWS = 100;

/** Filters of screens under a name, as people keep them. */
export class ViewService {
  constructor(private readonly deps: ViewServiceNeeds) {}

  /** One's own, and those that others share. */
  async list(user: User): Promise<ViewResponse[]> {
    return (await this.deps.views.seenBy(user.id)).map((view) => this.shown(user, view));
  }

  /** Also in the place of one's own of that name. Throws `state_conflict` when there are too many. */
  async save(user: User, { screen, name, query, is_shared }: ViewBody): Promise<ViewResponse> {
    const { ids, now, views } = this.deps;
    const view = { id: ids(), user_id: user.id, screen, name: name.trim(), query, is_shared, created_at: now() };
    if (view.name === "") throw new GuardError("invalid_value", "name is empty.", { param: "name" });
    if ((await views.put(view, MAX_VIEWS)) === "full") {
      throw new GuardError("state_conflict", `The limit of ${MAX_VIEWS} views is reached. Delete one first.`);
    }
    const kept = (await views.seenBy(user.id)).find((one) => one.user_id === user.id && one.name === view.name);
    return this.shown(user, kept ?? view);
  }

  /** Throws `not_found`, also for what others share. */
  async remove(user: User, id: string): Promise<void> {
    if (isUuid(id) && (await this.deps.views.remove(id.toLowerCase(), user.id))) return;
    throw new GuardError("not_found", "You have no such view.", { param: "id" });
  }

  private shown(user: User, { id, user_id, screen, name, query, is_shared, created_at }: SavedView): ViewResponse {
    return {
      object: "view",
      ...{ id, screen, name, query, is_shared },
      is_own: user_id === user.id,
      owner: this.deps.people.user(user_id)?.email ?? null,
      created_at: timestamp(created_at),
    };
  }
}
