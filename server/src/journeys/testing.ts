/** A console with the real product, and its users in a real browser. */
import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BrowserContext, Disposable, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { leaveSeat, type Seat, takeSeat } from "#kernel/testing/browser.ts";
import { IS_THOROUGH } from "#kernel/testing/thorough.ts";
import { makeSharedFolder } from "#kernel/testing/shared-folder.ts";
import { startWorld, type World, type WorldOptions } from "#kernel/testing/world.ts";
import { AXE, AXE_ASSET, findColourViolations, findViolations } from "./soundness.ts";

const BUILD = join(import.meta.dirname, "../../../console/build.mjs");

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The errors of scripts and violations of the content security policy. */
  readonly faults: readonly string[];
  /** The screens of this file that axe has looked at. */
  readonly looked: Set<string>;
  /** Ends the visit before the test ends: the next visitor reuses its browser. */
  leave(): Promise<void>;
}

export interface ConsoleFixture {
  readonly world: World;
  readonly origin: string;
  /** A browser signed in with these roles. */
  visit(roles: readonly string[], options?: VisitOptions): Promise<Visitor & { userId: string }>;
  /** A browser with the session of this token. */
  visitAs(token: string, options?: VisitOptions): Promise<Visitor>;
  /** A browser without a session. */
  stranger(options?: VisitOptions): Promise<Visitor>;
}

export interface ConsoleOptions extends WorldOptions {
  /** Uses a fixed `http://localhost` origin: passkeys and identity providers are bound to an origin. */
  readonly isNamed?: boolean;
}

interface VisitOptions {
  readonly width?: number;
  readonly dark?: boolean;
  /** The initial workspace; default: `default`. */
  readonly workspace?: string;
  /** Uses a new browser without cached scripts. */
  readonly isNew?: boolean;
}

/** For a busy machine. */
const WAIT_MAX_MS = 30_000;
/** The first file of a run builds the console, and the others wait for it. */
const START_MAX_MS = 180_000;
const SCREEN_TEXT_MAX = 2_000;
const WIDTH = 1440;
const NARROW_WIDTH = 400;
const viewportOf = (width: number) => ({ width, height: width < 600 ? 800 : 900 });

/**
 * The port of all consoles of this worker, one after the other: with another origin, a browser would load and
 * compile everything again.
 */
let lastPort = 0;

/** Returns that port, unless it is in use. */
async function findPort(): Promise<number> {
  for (const wanted of [lastPort, 0]) {
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once("error", () => done(false)).listen(wanted, "127.0.0.1", () => done(true));
    });
    if (!isFree) continue;
    lastPort = (server.address() as AddressInfo).port;
    await new Promise((done) => server.close(done));
    break;
  }
  return lastPort;
}

/** Builds the console once for all files of a run. */
function builtConsole(): Promise<string> {
  return makeSharedFolder("console", async (draft) => {
    await promisify(execFile)(process.execPath, [BUILD, draft]);
    await copyFile(AXE, join(draft, AXE_ASSET));
  });
}

/** Prints the page of a failed journey: for rare failures, no other information exists. */
async function printPage({ page }: Seat): Promise<void> {
  const text = await page.innerText("body", { timeout: 1_000 }).catch(String);
  process.stderr.write(`\nOn the screen at ${page.url()}:\n${text.slice(0, SCREEN_TEXT_MAX)}\n`);
}

/** Starts the product with its console for all tests of a file; the browsers of a test are closed after it. */
export function useConsole({ isNamed, ...options }: ConsoleOptions = {}): ConsoleFixture {
  const parts: { world?: World; origin?: string } = {};
  const seats = new Set<Seat>();
  const scripts: Disposable[] = [];
  const looked = new Set<string>();
  beforeAll(async () => {
    const port = await findPort();
    const named = isNamed === true ? `http://localhost:${port}` : undefined;
    parts.world = await startWorld({
      work: true,
      consoleFolder: await builtConsole(),
      ...options,
      env: { ...options.env, ...(named !== undefined && { MILLRACE_BASE_URL: named }) },
    });
    const origin = await parts.world.app.listen({ host: "127.0.0.1", port });
    parts.origin = named ?? origin;
  }, START_MAX_MS);
  // An open page would receive and render the changes of later tests.
  afterEach(async ({ task }) => {
    const left = [...seats];
    seats.clear();
    if (task.result?.state === "fail") await Promise.all(left.map(printPage));
    await Promise.all(scripts.splice(0).map((script) => script.dispose()));
    await Promise.all(left.map((seat) => leaveSeat(seat, [parts.origin!])));
  });
  afterAll(() => parts.world?.[Symbol.asyncDispose]());
  const open = async ({ width = WIDTH, dark = false, isNew }: VisitOptions): Promise<Visitor> => {
    const seat = await takeSeat(isNew);
    seats.add(seat);
    const { context, page } = seat;
    context.setDefaultTimeout(WAIT_MAX_MS);
    await page.setViewportSize(viewportOf(width));
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) {
        faults.push(message.text());
      }
    });
    const leave = async (): Promise<void> => {
      seats.delete(seat);
      await leaveSeat(seat, [parts.origin!]);
    };
    return { page, context, faults, looked, leave };
  };
  const visitAs = async (token: string, visit: VisitOptions = {}): Promise<Visitor> => {
    const visitor = await open(visit);
    const url = parts.origin!;
    const cookie = { name: "millrace_session", value: token, url, httpOnly: true };
    await visitor.context.addCookies([cookie]);
    const choosing = visitor.context.addInitScript((slug) => {
      // A workspace that the user has selected is kept.
      if (localStorage.getItem("millrace.workspace") === null)
        localStorage.setItem("millrace.workspace", slug);
    }, visit.workspace ?? "default");
    scripts.push(await choosing);
    return visitor;
  };
  return {
    get world() {
      return parts.world!;
    },
    get origin() {
      return parts.origin!;
    },
    stranger: (visit = {}) => open(visit),
    visitAs,
    async visit(roles, visit = {}) {
      const { token, userId } = await parts.world!.member(roles);
      return { ...(await visitAs(token, visit)), userId };
    },
  };
}

/** Navigates within the page, like a link: a full load takes four times as long. */
export async function moveTo(page: Page, url: string): Promise<void> {
  if (!page.url().startsWith(new URL(url).origin)) return void (await page.goto(url));
  await page.evaluate((to) => history.pushState({}, "", to), url);
}

/** Expects no accessibility violations from axe, and no violations of the content security policy. */
export async function expectSound({ page, faults, looked }: Visitor): Promise<void> {
  expect(faults).toEqual([]);
  const screen = await page.evaluate(nameScreen);
  if (looked.has(screen) && !IS_THOROUGH) return;
  expect(await findViolations(page)).toEqual([]);
  looked.add(screen);
}

/** Expects that the screen is accessible in light and dark, wide and narrow; `expectMore` is called in each. */
export async function expectSoundInEveryLook(
  visitor: Visitor,
  expectMore: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { page } = visitor;
  await expectSound(visitor);
  await expectMore();
  await setTheme(page, "dark");
  // The document is the same one in other colours.
  expect(await findColourViolations(page)).toEqual([]);
  await expectMore();
  await setTheme(page, "light");
  await page.setViewportSize(viewportOf(NARROW_WIDTH));
  expect(await findViolations(page)).toEqual([]);
  await expectMore();
  await page.setViewportSize(viewportOf(WIDTH));
}

/** Expects that an element in this part of the page has the focus, even if the focused one was removed. */
export async function expectFocusKept(page: Page, part = "body *"): Promise<void> {
  await page.waitForFunction((within) => document.activeElement?.closest(within), part);
}

/** The URL without object names, and open dialogs: the same for all states of a screen. */
function nameScreen(): string {
  const above = [
    ...document.querySelectorAll("dialog[open], [role=dialog], :popover-open:not(.toasts)"),
  ];
  const names = above.map((one) => one.getAttribute("aria-label") ?? one.className);
  const query = new URLSearchParams(location.search);
  const parts = ["section", "tab", "panel", "view"].map((name) => query.get(name));
  return [location.pathname.replaceAll(/[^/]*\d[^/]*/g, "*"), ...parts, ...names].join(" ");
}

/** Like the console's theme.js before rendering. */
async function setTheme(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate((name) => (document.documentElement.dataset["theme"] = name), theme);
}

/** Presses the key of an action that cannot be undone, and confirms its dialog. */
export async function pressAndConfirm(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  await confirmAsked(page);
}

/** Confirms the open dialog with its second button: Enter alone would cancel. */
export async function confirmAsked(page: Page): Promise<void> {
  const dialog = page.locator("dialog[open]");
  await dialog.getByRole("button", { name: "Cancel", exact: true }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
}
