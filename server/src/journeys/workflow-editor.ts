/** The editor of workflows, as a person uses it by keyboard. */
import type { Page, Route } from "playwright-core";
import { expectFocusKept } from "./testing.ts";

/** Adds a step: the key that asks for one, and words of its name. */
export async function pick(page: Page, key: string, text: string): Promise<void> {
  await page.keyboard.press(key);
  await page.getByRole("dialog", { name: "Add a step" }).waitFor();
  await page.keyboard.type(text);
  await page.locator(".offer[aria-selected=true]").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Add a step" }).waitFor({ state: "hidden" });
}

/** Escape closes what a field has open first, and then leads back to the canvas. */
export async function leaveFields(page: Page): Promise<void> {
  const isThere = () => page.evaluate(() => document.activeElement?.className.includes("canvas"));
  while (!(await isThere())) await page.keyboard.press("Escape");
}

/** Waits until the bar of the run says so. */
export function barSays(page: Page, words: string): Promise<void> {
  return page.getByRole("group", { name: "Run" }).getByText(words, { exact: true }).waitFor();
}

/** Adds the first step, and expects that Enter leads into its fields though they come later, and their panel's end back. */
export async function expectFieldsAwaited(page: Page): Promise<void> {
  const fields = /assets\/inspector-.*\.js$/;
  const asked = Promise.withResolvers<Route>();
  await page.route(fields, asked.resolve);
  await pick(page, "/", "set values");
  const file = await asked.promise;
  await page.keyboard.press("Enter");
  await file.continue();
  await expectFocusKept(page, ".inspector-body");
  await page.unroute(fields);
  await page.getByRole("complementary").getByRole("button", { name: "Close" }).click();
  await expectFocusKept(page, ".editor-canvas");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("complementary", { name: "Trigger" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("complementary", { name: /^Step/ }).waitFor();
}
