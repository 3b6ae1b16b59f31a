/** The screenshots of the guides, taken from a newly furnished product. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchChromium } from "../../../server/src/kernel/testing/browser-program.ts";
import { findChromium } from "../../../server/src/kernel/testing/chromium.ts";
import { dataOf } from "../faults/asker.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { furnish } from "./furnish.ts";
import { House } from "./house.ts";
import { type Picture, picturesOf } from "./shots.ts";

const FOLDER = join(import.meta.dirname, "../../../docs/pictures");
/** A page with an event stream is never idle. */
const SETTLED_MS = 3_000;
const WAIT_MAX_MS = 60_000;

/** `npm run proof -- pictures [name …]`. Writes into docs/pictures. Review them before the commit. */
export const pictures: Proof = { name: "pictures", usage: "[name …]", run };

async function run(names: Options): Promise<Finding> {
  await using stack = new AsyncDisposableStack();
  const data = await mkdtemp(join(tmpdir(), "millrace-pictures-"));
  stack.defer(() => rm(data, { recursive: true, force: true }));
  const house = stack.use(await House.open(data));
  const places = await furnish(house, stack);
  const unequal = await comparePulledCode(house);
  const program = await findChromium();
  if (program === undefined) throw new Error("This needs Chromium. See ADR 0128.");
  const browser = await launchChromium(program, ["--no-sandbox", "--disable-gpu"]);
  stack.defer(() => browser.close());
  await mkdir(FOLDER, { recursive: true });
  const wanted = picturesOf(places).filter(
    ({ name }) => names.length === 0 || names.includes(name),
  );
  const failed: string[] = [];
  for (const picture of wanted) {
    const token = picture.by?.token() ?? house.ownerToken;
    await take(browser, picture, { url: house.url, token }).catch((error: unknown) =>
      failed.push(`${picture.name}: ${String(error)}`),
    );
  }
  return {
    held: failed.length === 0 && unequal.length === 0,
    lines: [`${wanted.length - failed.length} pictures`, ...failed, ...unequal],
  };
}

interface Plan {
  readonly answer: { readonly body: { readonly data: { readonly changes: readonly object[] } } };
}

/** The plan of a folder that was just pulled. It must be empty, unless something can't be expressed as code. */
async function comparePulledCode({ owner }: House): Promise<readonly string[]> {
  const { items } = dataOf<{ readonly items: unknown }>(
    await owner("GET /api/v1/code/export"),
    200,
  );
  const body = { project: "house", items };
  const plan = dataOf<Plan>(await owner("POST /api/v1/code/apply?dryRun=true", { body }), 200);
  const { changes } = plan.answer.body.data;
  return changes.map((change) => `A pulled folder differs: ${JSON.stringify(change)}`);
}

async function take(
  browser: Browser,
  { name, path, size = [1440, 900], arrange }: Picture,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<void> {
  const [width, height] = size;
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: "reduce",
    locale: "en-GB",
  });
  try {
    await context.addCookies([{ name: "millrace_session", value: token, url, httpOnly: true }]);
    await context.addInitScript(() => localStorage.setItem("millrace.workspace", "default"));
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MAX_MS);
    await page.goto(url + path);
    await arrange?.(page);
    await page.waitForTimeout(SETTLED_MS);
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  } finally {
    await context.close();
  }
}
