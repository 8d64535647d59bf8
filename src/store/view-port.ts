import type { SavedView } from "#model/saved-view";
import type { Added } from "./record";

export type ViewStore = {
  /** A user's own, and what others share, by name. */
  seenBy(userId: string): Promise<SavedView[]>;
  /** Also in the place of the user's own of that name; `full` when they have `most` already. */
  put(view: SavedView, most: number): Promise<Exclude<Added, "taken">>;
  /** False when the user has none of that id. */
  remove(id: string, userId: string): Promise<boolean>;
};
