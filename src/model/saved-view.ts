/** Screens whose filters can be kept under a name. */
export const VIEW_SCREENS = ["calls"] as const;
export type ViewScreen = (typeof VIEW_SCREENS)[number];

/** What a screen's address asks for, under a name: its owner's, or for everybody. */
export type SavedView = {
  readonly id: string;
  readonly user_id: string;
  readonly screen: ViewScreen;
  readonly name: string;
  /** As it stands behind the `?` of the address. */
  readonly query: string;
  readonly is_shared: boolean;
  readonly created_at: number;
};
