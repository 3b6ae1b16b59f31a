import type { Page, Request, Response } from "playwright-core";
import type { Figure } from "../../figure.ts";
import { furnishOurOrders, TABLE } from "../../orders.ts";
import { percentile, spreadOf } from "../../statistics.ts";
import { Stage, untilDrawn } from "./stage.ts";

const MANY = 1_000_000;
const OPENINGS = 20;
const EDITS = 20;
const SCROLLS = 120;
/** One notch of a mouse wheel. */
const NOTCH_PX = 120;
const CELL = "[role=grid] [role=gridcell]";
/** Sixty frames per second, except while a page is loaded. */
const TARGETS_MS = { rows: 200, frame: 17, paint: 50, save: 150 } as const;

/** A table of a million records in the grid: first rows, frames while scrolling, and editing a cell. */
export const consoleGrid: Figure = {
  name: "console-grid",
  async measure(rig, { size = MANY }) {
    await using stage = await Stage.open(rig);
    await furnishOurOrders(rig, stage.product, size);
    const page = await stage.owner();
    const rowsMs: number[] = [];
    for (let opening = 0; opening < OPENINGS; opening += 1)
      rowsMs.push(await firstRows(page, stage));
    await untilDrawn(page, CELL);
    const framesMs = await scroll(page);
    const { paintsMs, savesMs } = await edit(page);
    const figures = {
      rows: p95(rowsMs),
      frame: spreadOf(framesMs).median,
      paint: spreadOf(paintsMs).median,
      save: spreadOf(savesMs).median,
    };
    const parts = Object.entries(figures).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`);
    return {
      ours: parts.join(", "),
      target: Object.entries(TARGETS_MS)
        .map(([name, ms]) => `${name} ≤ ${ms} ms`)
        .join(", "),
      reached: Object.entries(TARGETS_MS).every(
        ([name, ms]) => figures[name as keyof typeof figures] <= ms,
      ),
      notes: [
        `${size.toLocaleString("en")} records; ${framesMs.length} frames, p95 ${p95(framesMs).toFixed(0)} ms, the longest ${Math.max(...framesMs).toFixed(0)} ms; ${EDITS} edits`,
      ],
      values: { rowsMs, framesMs, paintsMs, savesMs },
    };
  },
};

const p95 = (timesMs: readonly number[]): number =>
  percentile(
    timesMs.toSorted((a, b) => a - b),
    0.95,
  );

/** From the request of the first records to their response: the share of server and network. */
async function firstRows(page: Page, stage: Stage): Promise<number> {
  const answered = page.waitForResponse((answer) => answer.url().includes(`${TABLE}?`));
  await page.goto(`${stage.origin}${TABLE.replace("/api/v1", "").replace("/records", "")}`);
  return timeOf(await answered);
}

/** From the start of a request to the last byte of its response. The `response` event fires at the first byte. */
async function timeOf(response: Response): Promise<number> {
  await response.finished();
  const { requestStart, responseEnd } = response.request().timing();
  return responseEnd - requestStart;
}

/** Scrolls by wheel, and once far down to pages that were not loaded. */
async function scroll(page: Page): Promise<number[]> {
  const box = await page.locator("[role=grid]").boundingBox();
  if (!box) throw new Error("There is no grid.");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.evaluate(FRAMES);
  for (let turn = 0; turn < SCROLLS; turn += 1) {
    await page.mouse.wheel(0, turn === SCROLLS / 2 ? 5_000_000 : NOTCH_PX);
  }
  return (await page.evaluate("globalThis.endFrames()")) as number[];
}

/** Types into one cell after another. Measures the time until it is drawn and until it is saved. */
async function edit(page: Page): Promise<{ paintsMs: number[]; savesMs: number[] }> {
  await page.locator("[role=grid]").focus();
  await page.keyboard.press("Control+Home");
  const paintsMs: number[] = [];
  const savesMs: number[] = [];
  for (let n = 0; n < EDITS; n += 1) {
    const word = `edit${n}`;
    await page.keyboard.type(word);
    await page.evaluate(AFTER_ENTER);
    const saved = page.waitForResponse((answer) => isEdit(answer.request()));
    await page.keyboard.press("Enter");
    paintsMs.push((await page.evaluate("globalThis.painted")) as number);
    savesMs.push(await timeOf(await saved));
  }
  return { paintsMs, savesMs };
}

function isEdit(request: Request): boolean {
  return request.method() !== "GET" && new URL(request.url()).pathname.startsWith(TABLE);
}

const FRAMES = `
  const framesMs = [];
  let last, isOver = false;
  const draw = (now) => {
    if (last !== undefined) framesMs.push(now - last);
    last = now;
    if (!isOver) requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  globalThis.endFrames = () => { isOver = true; return framesMs; };
`;

/** The event's time is the time of the key press, before any listener runs. */
const AFTER_ENTER = `
  globalThis.painted = new Promise((resolve) => {
    addEventListener("keydown", ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
    }, { capture: true, once: true });
  });
  undefined;
`;
