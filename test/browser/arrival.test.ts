import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { BrowserWorld, signIn } from "#test/browser/browser-world";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { inChromium, type Visitor } from "#test/support/browser";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const EVE = "eve@example.org";
const NEW_PASSWORD = "another horse battery";

inChromium("people arrive", () => {
  let hub: Hub;
  let browsers: BrowserWorld;
  beforeAll(async () => {
    // Nobody is there yet, and the hub was started from an empty directory.
    hub = await Hub.started();
    browsers = await BrowserWorld.open(hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
  });

  const home = () => `${hub.url}/`;
  const isAt = (visitor: Visitor, path: string) => visitor.page.waitForURL(`${hub.url}${path}`);
  const alertOf = ({ page }: Visitor) => page.getByRole("alert").filter({ hasText: /./ }).textContent();
  const open = async (link: string, button: string, email?: string): Promise<Visitor> => {
    const visitor = await browsers.visitor();
    await visitor.page.goto(link);
    if (email !== undefined) await visitor.page.getByLabel("E-mail").fill(email);
    await visitor.page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await visitor.page.getByRole("button", { name: button }).click();
    return visitor;
  };

  test("the link that serve writes makes the first administrator, and leaves no trace of its secret", async () => {
    verifies("oauth.browser", "sign-in.first-run");
    const [link, secret = "nothing"] = await hub.said(/http\S+\/setup#([\w-]{43})/);
    const ada = await open(link, "Create", ADA);
    await isAt(ada, "/");
    expect((await ada.ask("/api/me")).json).toMatchObject({ user: { email: ADA, role: "admin" } });
    expect(ada.requests.join()).not.toContain(secret);
    await ada.page.goBack();
    expect(ada.page.url()).not.toContain(secret);
    // A second visitor is led to the sign-in, and the used secret out of the address.
    const late = await browsers.visitor();
    await late.page.goto(link);
    await late.page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(late.page.url()).not.toContain(secret);
    expect(await late.page.getByText("no administrator yet").count()).toBe(0);
  });

  test("an invitation sets a password once", async () => {
    verifies("oauth.browser", "sign-in.invitation");
    const ada = await browsers.signedIn();
    const { json } = await ada.ask("/api/users", "POST", { email: EVE, role: "analyst" });
    const { link } = json as { readonly link: string };
    const shown = await browsers.visitor();
    await shown.page.goto(link);
    // Where browsers look for whose password it is that they are to keep.
    const whose = shown.page.getByLabel("E-mail");
    await shown.page.waitForFunction((email) => document.querySelector("input")?.value === email, EVE);
    expect([await whose.getAttribute("autocomplete"), await whose.isEditable()]).toEqual(["username", false]);
    const eve = await open(link, "Set password");
    await isAt(eve, "/");
    expect((await eve.ask("/api/me")).json).toMatchObject({ user: { email: EVE, role: "analyst" } });
    expect(eve.page.url()).not.toContain("#");
    const late = await browsers.visitor();
    await late.page.goto(link);
    expect(await alertOf(late)).toContain("is used, expired or wrong");
    expect(await late.page.getByRole("textbox", { name: "Password" }).count()).toBe(0);
    await late.page.getByRole("link", { name: "Sign in" }).click();
    await isAt(late, "/login");
    expect(await late.met(/status of 410/)).toHaveLength(1);
  });

  test("a new password ends the other sessions, which the list shows, and signing out ends one's own", async () => {
    verifies("oauth.browser", "sign-in.password-change");
    const here = await browsers.signedIn();
    const there = await browsers.signedIn();
    const sessions = async () => {
      const { json } = await here.ask("/api/me/sessions");
      return (json as { readonly data: readonly { readonly current: boolean; readonly user_agent: string }[] }).data;
    };
    expect((await sessions()).filter(({ current }) => current)).toHaveLength(1);
    expect((await sessions()).length).toBeGreaterThanOrEqual(2);
    expect((await sessions())[0]?.user_agent).toContain("Chrome");
    const change = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    // The page of a session that has ended goes on asking until it is left.
    there.foresees(/status of 401/);
    expect((await here.ask("/api/me/password", "POST", change)).status).toBe(204);
    expect(await sessions()).toHaveLength(1);
    // What is there leads on to the sign-in, before all of it is loaded.
    await there.page.goto(home(), { waitUntil: "commit" });
    await isAt(there, "/login");
    await signIn(there, ADA, PASSWORD);
    expect(await alertOf(there)).toBe("The e-mail address or the password is wrong.");
    await signIn(there, ADA, NEW_PASSWORD);
    await isAt(there, "/");
    await there.page.getByRole("button", { name: "Your account" }).click();
    await there.page.getByRole("menuitem", { name: "Sign out" }).click();
    await isAt(there, "/login");
    // Going back shows nothing of before: pages are kept by no cache.
    await there.page.goto(home(), { waitUntil: "commit" });
    await isAt(there, "/login");
    expect((await here.ask("/api/me")).status).toBe(200);
  });

  test("sign-in throttling answers known and unknown addresses alike", async () => {
    verifies("oauth.browser", "sign-in.backoff");
    const visitor = await browsers.visitor();
    await visitor.page.goto(`${hub.url}/login`);
    const guess = async (): Promise<number> => {
      const answer = visitor.page.waitForResponse("**/api/auth/sign-in");
      await signIn(visitor, "nobody@example.org", "some wrong password");
      return (await answer).status();
    };
    const statuses: number[] = [];
    // The waits double from a second on: however slow this browser is, one of them is longer than its next try takes.
    while (statuses.length < 15 && statuses.at(-1) !== 429) statuses.push(await guess());
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses.at(-1)).toBe(429);
    await visitor.page
      .getByRole("alert")
      .filter({ hasText: /Too many attempts. Try again in \d+ s./ })
      .waitFor();
    visitor.taken(/status of 4(01|29)/);
  });
});
