import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { BrowserWorld, decide, signIn } from "#test/browser/browser-world";
import { Loopback } from "#test/browser/loopback";
import { ADA, OAuthWorld, PASSWORD, pkce } from "#test/flow/oauth-world";
import { WHOAMI } from "#test/flow/tools-world";
import { inChromium, type Visitor } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { type Connected, Keeper, SDK_GENERATIONS } from "#test/support/sdk-program";
import { verifies } from "#test/support/verifies";

const RITA = "rita@example.org";

inChromium("programs connect by themselves", () => {
  let world: OAuthWorld;
  let browsers: BrowserWorld;
  beforeAll(async () => {
    world = await OAuthWorld.open();
    const file = await world.hub.writeFile(`${PASSWORD}\n`);
    await world.hub.cli("admin", "create", RITA, "--password-file", file);
    browsers = await BrowserWorld.open(world.hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  type Arrived = { readonly program: Connected; readonly keeper: Keeper; readonly visitor: Visitor };

  /** From a program that knows an address and nothing else to one that has tools: a person signs in and lets it in. */
  const connect = async (generation: (typeof SDK_GENERATIONS)[number][1], tools: readonly string[]) => {
    await using loopback = new Loopback();
    const keeper = new Keeper(loopback.url, "Test IDE");
    const program = generation(keeper, world.resource);
    await expect(program.connect()).rejects.toThrow();
    const visitor = await browsers.visitor();
    visitor.mayVisit(loopback.url);
    await visitor.page.goto(`${keeper.asked}`);
    await visitor.page.waitForURL((url) => url.pathname === "/login");
    await signIn(visitor);
    await decide(visitor, tools);
    await visitor.page.waitForURL(`${loopback.url}?*`);
    await program.finish(await loopback.parameters);
    keeper.asked = undefined;
    return { program: await program.connect(), keeper, visitor } satisfies Arrived;
  };

  const listed = async (visitor: Visitor, path: string) => {
    const { json } = await visitor.ask(path);
    return json as { readonly data: readonly { readonly id: string; readonly email?: string }[] };
  };

  for (const [name, generation] of SDK_GENERATIONS) {
    test(`the SDK's client ${name}: login, consent, tools, a restart and a silent renewal`, async () => {
      verifies("oauth.browser", "oauth.clients", "oauth.allowlist");
      const { program, keeper, visitor } = await connect(generation, ["fix__add", "fix__echo"]);
      expect((await program.list()).toSorted()).toEqual(["fix__add", "fix__echo", WHOAMI]);
      expect(await program.call("fix__echo", { message: "hello" })).toBe("hello");
      await expect(program.call("fix__slow", {})).rejects.toThrow();
      await world.hub.restart();
      expect(await program.call("fix__echo", { message: "again" })).toBe("again");
      const { length } = visitor.requests;
      const before = keeper.kept?.access_token;
      world.endAccessTokens();
      expect(await program.call("fix__echo", { message: "renewed" })).toBe("renewed");
      expect(keeper.kept?.access_token).not.toBe(before);
      // Nobody was asked for it.
      expect([keeper.asked, visitor.requests.length]).toEqual([undefined, length]);
      await program.close();
    });
  }

  describe("and are out at once", () => {
    const [[, old]] = SDK_GENERATIONS;

    /** Refused, and a renewal too: the program asks its person anew. */
    const expectOut = async ({ program, keeper }: Arrived) => {
      await expect(program.list()).rejects.toThrow();
      expect(keeper.asked?.pathname).toBe("/api/auth/oauth2/authorize");
      await program.close();
    };

    test("when their user disconnects them", async () => {
      verifies("oauth.browser", "oauth.revoke");
      const arrived = await connect(old, ["*"]);
      expect(await arrived.program.list()).toContain("fix__echo");
      const ada = await browsers.signedIn();
      const id = arrived.keeper.clientInformation()?.client_id ?? "";
      expect((await ada.ask(`/api/oauth/clients/${id}`, "DELETE")).status).toBe(204);
      await expectOut(arrived);
    });

    test("when an administrator disables the client", async () => {
      verifies("oauth.browser", "oauth.revoke");
      const arrived = await connect(old, ["*"]);
      expect(await arrived.program.list()).toContain("fix__echo");
      const rita = await browsers.signedIn(RITA);
      const id = arrived.keeper.clientInformation()?.client_id ?? "";
      expect((await rita.ask(`/api/oauth/all-clients/${id}`, "PATCH", { disabled: true })).status).toBe(200);
      await expect(arrived.program.list()).rejects.toThrow();
      await arrived.program.close();
      // Whom the program sends to the hub now is told, and sent nowhere.
      const ada = await browsers.visitor();
      await ada.page.goto(`${world.issuer}/oauth2/authorize?client_id=${id}`);
      await eventually(() => ada.page.getByRole("heading").textContent(), "This app cannot be connected");
      expect(await ada.met(/status of 400/)).toHaveLength(1);
    });

    test("clients and browser sessions end when their user is disabled", async () => {
      verifies("oauth.browser", "oauth.revoke", "sign-in.disable");
      const arrived = await connect(old, ["*"]);
      expect(await arrived.program.list()).toContain("fix__echo");
      const rita = await browsers.signedIn(RITA);
      const ada = (await listed(rita, "/api/users")).data.find(({ email }) => email === ADA);
      const set = (state: string) => rita.ask(`/api/users/${ada?.id}`, "PATCH", { state });
      expect((await set("disabled")).status).toBe(200);
      await expectOut(arrived);
      await arrived.visitor.page.goto(`${world.hub.url}/`);
      await arrived.visitor.page.waitForURL("**/login");
      expect(await arrived.visitor.met(/status of 401/)).toHaveLength(1);
      expect((await set("active")).status).toBe(200);
    });
  });

  test("a no is told to the program, and it has nothing", async () => {
    verifies("oauth.browser", "oauth.consent");
    await using loopback = new Loopback();
    const keeper = new Keeper(loopback.url);
    const [[, old]] = SDK_GENERATIONS;
    await expect(old(keeper, world.resource).connect()).rejects.toThrow();
    const visitor = await browsers.signedIn();
    visitor.mayVisit(loopback.url);
    await visitor.page.goto(`${keeper.asked}`);
    await decide(visitor, "deny");
    expect(Object.fromEntries(await loopback.parameters)).toMatchObject({
      error: "access_denied",
      state: "sdk-state",
      iss: world.issuer,
    });
    expect(await world.records("oauth.deny")).toHaveLength(1);
    // The program's answer has come; the browser may still be on its way there.
    await visitor.page.waitForURL(`${loopback.url}**`);
    await visitor.page.goto(`${world.hub.url}/`);
    const { data } = await listed(visitor, "/api/oauth/clients");
    expect(data.map(({ id }) => id)).not.toContain(keeper.clientInformation()?.client_id);
  });

  test("a program that opens links of its own leaves the page where it is, which says that all is done", async () => {
    verifies("oauth.browser", "oauth.consent");
    const redirect_uri = "cursor://anysphere.cursor-mcp/oauth/callback";
    const client = await world.register({ client_name: "Cursor", redirect_uris: [redirect_uri] });
    const visitor = await browsers.signedIn();
    visitor.mayVisit(redirect_uri);
    // No program of that name is here.
    visitor.foresees(/Failed to launch 'cursor:/);
    const query = world.query(client, pkce().challenge, { redirect_uri });
    await visitor.page.goto(`${world.issuer}/oauth2/authorize?${query}`);
    await eventually(
      () => visitor.page.locator("dd").first().textContent(),
      expect.stringContaining("opens cursor: links"),
    );
    await decide(visitor, ["fix__echo"]);
    await visitor.page.getByRole("heading", { name: "Return to the app" }).waitFor();
    await eventually(() => visitor.page.getByRole("button").count(), 0);
  });
});
