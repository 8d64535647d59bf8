import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ChatWorld, USER } from "./chat-world";

const MAIL = "mia.tulip@garden.example";
const PARAM = "choices[0].message.content";

type Kept = readonly {
  readonly purpose: string;
  readonly event_id: string;
  readonly cut: boolean;
  readonly texts: readonly object[];
}[];

/** A person's world in which an e-mail address blocks. */
const openWith = (hours: string) =>
  ChatWorld.open({
    env: { GUARDHOUSE_GUARD__ACTIONS: "pii.email=block", GUARDHOUSE_GUARD__KEEP_BLOCKED_HOURS: hours },
  });

const keptOf = async ({ hub }: ChatWorld, response: { readonly headers: Headers }): Promise<Kept | null> => {
  const { key } = Object((await hub.cli("session", "create", USER)).json());
  const path = `/api/calls/${response.headers.get("x-request-id")}/content`;
  const look = async (): Promise<Response> => {
    const answer = await hub.fetch(path, { token: key });
    // A session is known a moment after the command line has made it.
    if (answer.status !== 401) return answer;
    await Bun.sleep(50);
    return look();
  };
  const answer = await look();
  if (answer.status === 404) return null;
  return Object(await answer.json()).data;
};

describe("a person's own calls", () => {
  let world: ChatWorld;
  beforeAll(async () => {
    world = await openWith("24");
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("stored content of a blocked stream: the text up to the block, with its event id", async () => {
    verifies("content.blocked");
    world.provider.always(says(["Of course. ", "Write to ", "mia.tulip@", "garden.example", " today, ", "she waits."]));
    const streamed = await world.stream("Whom may I write to?");
    expect(streamed.text).not.toContain(MAIL);
    const [event] = streamed.events.flatMap(({ error }) => (error ? [error.event_id] : []));
    const kept = await keptOf(world, streamed);
    expect(kept).toMatchObject([{ purpose: "blocked", event_id: event, cut: false }]);
    const [text] = kept?.[0]?.texts ?? [];
    expect(text).toMatchObject({ stage: "output", param: PARAM, origin: "output" });
    expect(Object(text).text).toContain(`Write to ${MAIL}`);
  });

  test("only what was withheld is kept, and of a call without any nothing", async () => {
    verifies("content.as-the-profile-says", "content.blocked");
    world.provider.always(says(`Write to ${MAIL}.`));
    const blocked = await world.ask("Whom may I write to?");
    expect(blocked.status).toBe(400);
    const text = { stage: "output", param: PARAM, origin: "output", text: `Write to ${MAIL}.` };
    expect(await keptOf(world, blocked)).toMatchObject([{ purpose: "blocked", texts: [text] }]);
    world.provider.always(says("Nobody."));
    expect(await keptOf(world, await world.ask("Whom may I write to?"))).toBeNull();
  });
});

test("for no hours: nothing is kept, and the record binds it all the same", async () => {
  verifies("content.bound");
  await using world = await openWith("0");
  const response = await world.ask(`Write to ${MAIL}, please.`);
  expect(response.status).toBe(400);
  expect(await keptOf(world, response)).toBeNull();
  const { final } = await world.recordsOf(response);
  expect(final.call.content_hmac?.texts).toMatchObject([{ stage: "input", param: "messages[0].content" }]);
  expect(JSON.stringify(final)).not.toContain(MAIL);
});
