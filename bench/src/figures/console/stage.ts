import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "../../../../server/src/kernel/testing/browser-program.ts";
import { findChromium } from "../../../../server/src/kernel/testing/chromium.ts";
import type { Product } from "../../endpoint.ts";
import { load } from "../../load.ts";
import { newOrders } from "../../request.ts";
import { logIn, type Rig } from "../../rig.ts";
import { deploy, ORDERS } from "../../workflow.ts";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
const VIEWPORT = { width: 1440, height: 900 };
const RUNS = 200;
const DRAWN_MAX_MS = 60_000;

/** The product with its console and sample data, and a browser. */
export class Stage implements AsyncDisposable {
  readonly product: Product;
  readonly origin: string;
  readonly #browser: Browser;

  private constructor(product: Product, browser: Browser) {
    this.product = product;
    this.origin = `http://127.0.0.1:${product.port}`;
    this.#browser = browser;
  }

  static async open(rig: Rig): Promise<Stage> {
    const program = await findChromium();
    if (program === undefined) throw new Error("This needs Chromium. See ADR 0128.");
    const child = await rig.startPlainProduct();
    const { port } = child;
    // An owner without a name would see the welcome screen first.
    await rig.query("update users set name = 'Ada Lovelace'");
    const product = { ...child, token: await logIn(port) };
    const { hookPath } = await deploy(product, ORDERS);
    await load({ port, status: 200, next: newOrders(hookPath), connections: 4 }, { count: RUNS });
    return new Stage(product, await launchChromium(program, FLAGS));
  }

  /** A page of a browser without stored data. */
  async stranger(): Promise<Page> {
    return (await this.#context()).newPage();
  }

  /** A page of the first owner's browser with an empty cache. */
  async owner(): Promise<Page> {
    const context = await this.#context();
    const value = this.product.token;
    await context.addCookies([{ name: "millrace_session", value, url: this.origin }]);
    await context.addInitScript(`localStorage.setItem("millrace.workspace", "default")`);
    return context.newPage();
  }

  #context(): Promise<BrowserContext> {
    return this.#browser.newContext({ viewport: VIEWPORT });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#browser.close();
  }
}

/**
 * Resolves in the page to the time in milliseconds from `begin`, a script that can start an action, until an element
 * matches and its frame is drawn.
 */
export async function untilDrawn(page: Page, selector: string, begin = "0"): Promise<number> {
  const time = await page.evaluate(`new Promise((resolve) => {
    const begin = ${begin};
    const look = () => {
      if (performance.now() - begin > ${DRAWN_MAX_MS}) resolve(undefined);
      if (document.querySelector(${JSON.stringify(selector)}) === null) return requestAnimationFrame(look);
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
    };
    look();
  })`);
  if (typeof time !== "number") throw new Error(`${page.url()} shows no ${selector}.`);
  return time;
}

/** A click that starts a measurement. */
export function clickOn(selector: string): string {
  return `(() => {
    const begin = performance.now();
    document.querySelector(${JSON.stringify(selector)}).click();
    return begin;
  })()`;
}
