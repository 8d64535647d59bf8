import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { BrowserWorld, decide, signIn } from "#test/browser/browser-world";
import { Loopback } from "#test/browser/loopback";
import { OAuthWorld, pkce } from "#test/flow/oauth-world";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { verifies } from "#test/support/verifies";

inChromium("pages under attack", () => {
  let world: OAuthWorld;
  let browsers: BrowserWorld;
  let storageState: Awaited<ReturnType<BrowserContext["storageState"]>>;
  beforeAll(async () => {
    world = await OAuthWorld.open();
    browsers = await BrowserWorld.open(world.hub);
    storageState = await (await browsers.signedIn()).page.context().storageState();
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  /** Signed in already. */
  const ada = () => browsers.visitor({ storageState });

  const consentAddress = async (client_name: string, redirect_uri: string): Promise<string> => {
    const client = await world.register({ client_name, redirect_uris: [redirect_uri] });
    return `${world.issuer}/oauth2/authorize?${world.query(client, pkce().challenge, { redirect_uri })}`;
  };

  /** A page of somebody else's, on this very machine: another origin, but the same site to cookies. */
  const evilPage = (html: string) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(html, { headers: { "content-type": "text/html" } }),
    });

  test("the consent page marks the client's name as unverified", async () => {
    verifies("oauth.browser", "oauth.consent");
    const visitor = await ada();
    await visitor.page.goto(await consentAddress("Claude Code", "https://collector.example/callback"));
    for (const part of ["“Claude Code”", "The name is not verified.", "collector.example", "ada@example.org"]) {
      await eventually(() => visitor.page.locator("main").textContent(), expect.stringContaining(part));
    }
  });

  test("consent: a wildcard includes the single tools below it", async () => {
    verifies("oauth.allowlist");
    await using loopback = new Loopback();
    const visitor = await ada();
    visitor.mayVisit(loopback.url);
    await visitor.page.goto(await consentAddress("IDE", loopback.url));
    const boxes = visitor.page.getByRole("group", { name: "fix" });
    await eventually(() => boxes.getByLabel("echo", { exact: true }).isChecked(), true);
    await boxes.getByLabel("All tools").check();
    await eventually(() => boxes.getByLabel("echo", { exact: true }).isDisabled(), true);
    await visitor.page.getByRole("button", { name: "Allow" }).click();
    await visitor.page.waitForURL(`${loopback.url}?*`);
    await visitor.page.goto(`${world.hub.url}/`);
    expect((await visitor.ask("/api/oauth/clients")).json).toMatchObject({ data: [{ tools: ["fix__*"] }] });
  });

  test("a name that is a script is text", async () => {
    verifies("oauth.browser", "oauth.consent", "sign-in.pages");
    const name = `<img src=x onerror="hacked=1"><script>hacked=1</script>"'&lt;`;
    const visitor = await ada();
    await visitor.page.goto(await consentAddress(name, "http://127.0.0.1:7777/callback"));
    await eventually(() => visitor.page.locator("b").first().textContent(), `“${name}”`);
    expect(await visitor.page.evaluate(() => "hacked" in globalThis)).toBe(false);
    // And if markup got in, it would neither run nor load.
    visitor.foresees(/Content Security Policy|request to https:\/\/collector.example/);
    await visitor.page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "hacked = 1";
      const image = document.createElement("img");
      image.src = "https://collector.example/?cookie";
      document.body.append(script, image);
      document.body.insertAdjacentHTML("beforeend", `<p onclick="hacked = 1" id="trap">x</p>`);
      document.querySelector<HTMLElement>("#trap")?.click();
    });
    const violations = (await visitor.met(/policy violated/, 3)).map((it) => it.split(" ").slice(3).join(" "));
    expect(await visitor.page.evaluate(() => "hacked" in globalThis)).toBe(false);
    expect(new Set(violations)).toEqual(
      new Set(["script-src-elem inline", "script-src-attr inline", "img-src https://collector.example/?cookie"]),
    );
  });

  test("no page of the hub's is shown in another's frame", async () => {
    verifies("oauth.browser", "sign-in.pages");
    const visitor = await ada();
    const consent = await consentAddress("IDE", "http://127.0.0.1:7777/callback");
    const framed = [consent, `${world.hub.url}/login`, `${world.hub.url}/setup`, `${world.hub.url}/`];
    const evil = evilPage(framed.map((it) => `<iframe src="${it.replaceAll("&", "&amp;")}"></iframe>`).join(""));
    visitor.mayVisit(`${evil.url}`);
    visitor.foresees(/frame/i);
    await visitor.page.goto(`${evil.url}`);
    const frames = visitor.page.frames().slice(1);
    expect(frames).toHaveLength(framed.length);
    for (const frame of frames) {
      await frame.waitForURL("chrome-error:**");
      expect(await frame.locator("button").count()).toBe(0);
    }
    await evil.stop(true);
  });

  test("consent buttons ignore clicks right after the window gets focus", async () => {
    verifies("oauth.browser", "oauth.consent");
    const visitor = await ada();
    await visitor.page.goto(await consentAddress("IDE", "http://127.0.0.1:7777/callback"));
    const allow = visitor.page.getByRole("button", { name: "Allow" });
    const open = async () =>
      Promise.all([allow, visitor.page.getByRole("button", { name: "Deny" })].map((it) => it.isEnabled()));
    await visitor.page.waitForFunction(() => !document.querySelector("button")?.disabled);
    expect(await open()).toEqual([true, true]);
    for (const event of ["focus", "visibilitychange"]) {
      // The window in front was closed between the two clicks of a double click.
      const closed = await visitor.page.evaluate((name) => {
        (name === "focus" ? window : document).dispatchEvent(new Event(name));
        const buttons = [...document.querySelectorAll("button")];
        for (const button of buttons) button.click();
        return buttons.map(({ disabled }) => disabled);
      }, event);
      expect([event, closed]).toEqual([event, [true, true]]);
      await visitor.page.waitForFunction(() => !document.querySelector("button")?.disabled);
    }
    expect(visitor.requests).not.toContain("POST /api/auth/oauth2/consent");
  });

  test("a consent page of another or ended session asks for sign-in again", async () => {
    verifies("oauth.browser", "oauth.consent");
    const eve = "eve@example.org";
    await world.member(eve);
    const consents = async () => (await world.records("oauth.consent")).length;
    const before = await consents();
    const visitor = await browsers.signedIn();
    visitor.foresees(/status of 40[19]/);
    const { page } = visitor;
    const asked = page.getByRole("heading", { name: "Connect an app to your tools?" });
    await page.goto(await consentAddress("IDE", "http://127.0.0.1:7777/callback"));
    await page.locator("dd", { hasText: "ada@example.org" }).waitFor();
    // In another tab somebody else signs in: it is ada's tools that stand here, and eve has chosen none.
    const other = await page.context().newPage();
    await other.goto(`${world.hub.url}/login`);
    await signIn({ page: other }, eve);
    await other.waitForURL(`${world.hub.url}/`);
    await other.goto("about:blank");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.locator("dd", { hasText: eve }).waitFor();
    await eventually(async () => [await asked.count(), await consents()], [1, before]);
    // And she signs out there.
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${world.hub.url}/login?*`);
    await signIn(visitor, eve);
    await asked.waitFor();
    expect(await consents()).toBe(before);
  });

  test("another page on this machine neither lets a program in nor signs anybody out", async () => {
    verifies("oauth.browser", "sign-in.origin");
    const visitor = await ada();
    const address = new URL(await consentAddress("IDE", "http://127.0.0.1:7777/callback"));
    const body = JSON.stringify({ query: address.search.slice(1), accept: true, tools: ["*"] });
    const post = `(url, body) => fetch(url, { method: "POST", mode: "no-cors", credentials: "include", body })`;
    const evil = evilPage(`<script type="module">const post = ${post};
      await post(${JSON.stringify(`${world.issuer}/oauth2/consent`)}, ${JSON.stringify(body)});
      await post(${JSON.stringify(`${world.issuer}/sign-out`)}, "");
      document.title = "done";</script>`);
    visitor.mayVisit(`${evil.url}`);
    visitor.foresees(/status of 403|ERR_BLOCKED_BY/);
    await visitor.page.goto(`${evil.url}`);
    await visitor.page.waitForFunction(() => document.title === "done");
    // They are told a moment after what they lead to is seen.
    await eventually(() => visitor.requests, expect.arrayContaining(["POST /api/auth/oauth2/consent"]));
    const consents = async () => {
      const records = await world.records("oauth.consent");
      return records.filter((it) => JSON.stringify(it).includes(address.searchParams.get("client_id") ?? "")).length;
    };
    expect(await consents()).toBe(0);
    await visitor.page.goto(`${world.hub.url}/`);
    expect((await visitor.ask("/api/me")).status).toBe(200);
    // The same from the hub's own page is what a person does there.
    await visitor.page.goto(`${address}`);
    await visitor.page.route("http://127.0.0.1:7777/**", (route) => route.fulfill({ body: "" }));
    visitor.mayVisit("http://127.0.0.1:7777/");
    await decide(visitor, []);
    await visitor.page.waitForURL("http://127.0.0.1:7777/**");
    expect(await consents()).toBe(1);
    await evil.stop(true);
  });
});
