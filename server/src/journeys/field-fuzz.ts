/** Random typing into every field next to a canvas may change only the focused field. */
import type { Page, Request } from "playwright-core";
import { expect } from "vitest";
import { seeded } from "#kernel/testing/random.ts";

const KEYS = [
  ...Array.from("trdnfzbclvjpxay/?{}[]\"'<> .,1-"),
  "Escape",
  "Enter",
  "Backspace",
  "Delete",
  "Space",
  "ArrowLeft",
  "ControlOrMeta+a",
];
const PRESSES = 14;

/** Keys to press; the same seed produces the same keys in each run. */
export function randomKeys(seed: number): () => readonly string[] {
  const next = seeded(seed);
  return () => Array.from({ length: PRESSES }, () => KEYS[Math.floor(next() * KEYS.length)] ?? "t");
}

/** Numbers the fields in `part`, with all sections open, in page order. */
export function numberFields(page: Page, part: string): Promise<number> {
  return page.evaluate((within) => {
    for (const one of document.querySelectorAll<HTMLDetailsElement>(`${within} details`)) {
      one.open = true;
    }
    const fields = document.querySelectorAll<HTMLElement>(
      `${within} :is(input:not([type=file], [type=color], .hide), textarea, select, .code-host)`,
    );
    const free = [...fields].filter((one) => !one.matches(":disabled") && one.checkVisibility());
    for (const [n, field] of free.entries()) field.dataset["fuzz"] = String(n);
    return free.length;
  }, part);
}

/** Types into a field like a user who has clicked on it; returns its name, or undefined if it no longer exists. */
export async function typeInto(page: Page, n: number, keys: readonly string[]) {
  const field = page.locator(`[data-fuzz="${n}"]`).first();
  if ((await field.count()) === 0) return undefined;
  const name = await field.evaluate((one: HTMLElement) => {
    const inner = one.shadowRoot?.querySelector<HTMLElement>(".cm-content") ?? one;
    inner.focus();
    return inner.getAttribute("aria-label") ?? (one as HTMLInputElement).labels?.[0]?.textContent;
  });
  for (const key of keys) await page.keyboard.press(key);
  return name ?? "a field";
}

/** Pointers of the values that differ. */
export function changedPaths(before: unknown, after: unknown, at = ""): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isBoth = [before, after].every((one) => typeof one === "object" && one !== null);
  if (!isBoth || Array.isArray(before) !== Array.isArray(after)) return [at];
  const names = new Set([...Object.keys(before as object), ...Object.keys(after as object)]);
  const child = (value: unknown, name: string) => (value as Record<string, unknown>)[name];
  return [...names].flatMap((name) =>
    changedPaths(child(before, name), child(after, name), `${at}/${name}`),
  );
}

/** Requests that only a key of the canvas could have caused. */
export function watchStarts(page: Page, forbidden: RegExp): readonly string[] {
  const started: string[] = [];
  page.on("request", (request: Request) => {
    const call = `${request.method()} ${new URL(request.url()).pathname}`;
    if (request.method() !== "GET" && forbidden.test(call)) started.push(call);
  });
  return started;
}

/** Expects that no dialog is open, and that the page is the same. */
export async function expectUnmoved(page: Page, address: string): Promise<void> {
  expect(await page.locator("dialog[open]").count()).toBe(0);
  expect(page.url()).toBe(address);
}
