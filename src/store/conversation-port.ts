/* What was said in conversations, where several processes serve. See `port.ts` for what holds of every method. */

/** Up to where a process knows a conversation. One that began anew after a silence has another id. */
export type Place = { readonly id: string; readonly seq: number };

/** A piece of what was said, encrypted. Ids are random. */
export type SealedPiece = { readonly id: string; readonly sealed: string };

export type ConversationStore = {
  /**
   * What was said beyond `known` in the conversation of that name, in order; all of it where that is none, or another
   * one. Null where nothing is kept. `now`: by the store's clock.
   */
  since(
    name: string,
    known: Place | null,
    now: number,
  ): Promise<{ readonly id: string; readonly pieces: readonly (SealedPiece & Pick<Place, "seq">)[] } | null>;
  /**
   * Adds to the end of a conversation, and begins it under `said.id` where there is none. Returns where the end is now,
   * and what others have said beyond `known` before this. It is forgotten after so long a silence.
   */
  add(
    name: string,
    known: Place | null,
    said: { readonly id: string; readonly pieces: readonly SealedPiece[]; readonly units: number },
    silenceMs: number,
  ): Promise<{ readonly place: Place; readonly before: readonly SealedPiece[] }>;
  /** Forgets those that were silent for long. */
  dropSilent(): Promise<void>;
};
