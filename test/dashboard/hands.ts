import type { Page } from "playwright-core";
import { ADA, PASSWORD } from "#test/flow/oauth-house";
import { Hub, type HubOptions } from "#test/support/hub";

/** A hub with nobody but its administrator, who has a password. */
export const ownedHub = async (options: HubOptions = {}): Promise<Hub> => {
  const hub = await Hub.create(options);
  const file = await hub.writeFile(`${PASSWORD}\n`);
  await hub.cli("admin", "create", ADA, "--password-file", file);
  await hub.start();
  return hub;
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
