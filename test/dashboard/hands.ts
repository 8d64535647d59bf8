import { afterAll, afterEach, beforeAll } from "bun:test";
import type { Page } from "playwright-core";
import { BrowserWorld } from "#test/browser/browser-world";
import { Browser } from "#test/flow/browser";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { Hub, type HubOptions } from "#test/support/hub";

/** A hub with nobody but its administrator, who has a password. */
export const ownedHub = async (options: HubOptions = {}): Promise<Hub> => {
  const hub = await Hub.create(options);
  const file = await hub.writeFile(`${PASSWORD}\n`);
  await hub.cli("admin", "create", ADA, "--password-file", file);
  await hub.start();
  return hub;
};

/** A hub with a browser before it, for all tests of a group; after each of them nothing went wrong on any page. */
export const worldOf = (open: () => Promise<Hub>) => {
  let opened: { readonly hub: Hub; readonly browsers: BrowserWorld } | undefined;
  const there = () => {
    if (!opened) throw new Error("the world is not open yet");
    return opened;
  };
  beforeAll(async () => {
    const hub = await open();
    opened = { hub, browsers: await BrowserWorld.open(hub) };
  });
  afterEach(() => there().browsers.expectNoTroubles());
  afterAll(async () => {
    await opened?.browsers[Symbol.asyncDispose]();
    await opened?.hub[Symbol.asyncDispose]();
  });
  return {
    get hub() {
      return there().hub;
    },
    get browsers() {
      return there().browsers;
    },
  };
};

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** What a dialog shows once and never again. */
export const secretOn = async (page: Page): Promise<string> =>
  (await page.getByRole("dialog").locator("[data-secret]").textContent()) ?? "";

/** Does something of the menu of one row. */
export const choose = async (page: Page, of: RegExp, item: string): Promise<void> => {
  await page.getByRole("button", { name: of }).click();
  await page.getByRole("menuitem", { name: item }).click();
};

/** Somebody with a password, by Ada's invitation. */
export const invited = async (hub: Hub, email: string, role: string): Promise<void> => {
  const ada = new Browser(hub);
  await ada.signIn(ADA, PASSWORD);
  const { link } = Object(await (await ada.send("/api/users", { json: { email, role } })).json());
  const invitation = /#(.+)$/.exec(link)?.[1] ?? "";
  const accepting = { json: { token: invitation, password: PASSWORD } };
  const accepted = await new Browser(hub).send("/api/auth/invitation/accept", accepting);
  if (!accepted.ok) throw new Error(`not invited: ${accepted.status}`);
};
