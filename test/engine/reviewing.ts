import type { Verdict } from "#core/report";
import { MODEL, type Options, ReviewRoom } from "#test/engine/review-room";
import { Place } from "#test/store/directory";
import { FakeProvider, type Received, type Reply, says } from "#test/support/fake-provider";

export const verdict = (word: Verdict, confidence = 0.9): string =>
  JSON.stringify({ verdict: word, confidence, reasoning: "It is a recipe." });

/** A room with a reviewer that answers as scripted. */
export const reviewing = async (
  use: (room: ReviewRoom, provider: FakeProvider, place: Place) => Promise<void>,
  options: Partial<Options> = {},
): Promise<void> => {
  await using provider = await FakeProvider.start([MODEL]);
  await using place = new Place();
  const store = await place.open();
  await using room = new ReviewRoom(store, { url: provider.url, ...options });
  await use(room, provider, place);
};

/** A reviewer that answers by what it was sent. */
export const answering =
  (provider: FakeProvider, answer: (sent: Received) => string): Reply =>
  (asking) =>
    says(answer(provider.lastCall))(asking);

export const contentOf = ({ body }: Received, at: number): string => String(body.messages?.[at]?.content);
export const RECIPE = "Whisk the eggs with the sugar.";
