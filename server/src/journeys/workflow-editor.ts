/** Drives the workflow editor with the keyboard, like a user. */
import type { Page } from "playwright-core";

/** Adds a step: presses the key that opens the dialog, then types words of its name letter by letter. */
export async function pick(page: Page, key: string, text: string): Promise<void> {
  await page.keyboard.press(key);
  await page.getByRole("dialog", { name: "Add step" }).waitFor();
  await page.keyboard.type(text);
  await page.locator(".offer[aria-selected=true]").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Add step" }).waitFor({ state: "hidden" });
}

/** Goes from the fields to the canvas. */
export async function leaveFields(page: Page): Promise<void> {
  const isThere = () => page.evaluate(() => document.activeElement?.className.includes("canvas"));
  while (!(await isThere())) await page.keyboard.press("F6");
}

/** Waits until the run bar shows this text. */
export function barSays(page: Page, words: string): Promise<void> {
  return page.getByRole("group", { name: "Run" }).getByText(words, { exact: true }).waitFor();
}
