import type { DisputeVerdict } from "#model/report";
import { MODEL, type Options, ReviewerWorld } from "#test/features/report-review/reviewer-world";
import { Place } from "#test/store/directory";
import { FakeProvider, type Received, type Reply, says } from "#test/support/fake-provider";

export const verdict = (word: DisputeVerdict, confidence = 0.9): string =>
  JSON.stringify({ verdict: word, confidence, reasoning: "It is a recipe." });

/** A world with a reviewer that answers as scripted. */
export const reviewing = async (
  use: (world: ReviewerWorld, provider: FakeProvider, place: Place) => Promise<void>,
  options: Partial<Options> = {},
): Promise<void> => {
  await using provider = await FakeProvider.start([MODEL]);
  await using place = new Place();
  const store = await place.open();
  await using world = new ReviewerWorld(store, { url: provider.url, ...options });
  await use(world, provider, place);
};

/** A reviewer that answers by what it was sent. */
export const answering =
  (provider: FakeProvider, answer: (sent: Received) => string): Reply =>
  (asking) =>
    says(answer(provider.lastCall))(asking);

export const contentOf = ({ body }: Received, at: number): string => String(body.messages?.[at]?.content);
export const RECIPE = "Whisk the eggs with the sugar.";
