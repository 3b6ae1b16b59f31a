/** Axe's verdict on a page, at a fraction of its time. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];
/** Only what is wrong is gathered, and no style sheet is fetched again: the rest took most of the time. */
const QUICK = { resultTypes: ["violations"], preload: false };

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

let source: string | undefined;

async function loadAxe(page: Page): Promise<void> {
  source ??= readFileSync(AXE, "utf8");
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
}

/** Whatever is wrong but the colours. */
export async function findViolations(page: Page): Promise<object[]> {
  const rules = Object.fromEntries(COLOUR_RULES.map((id) => [id, { enabled: false }]));
  await loadAxe(page);
  return listViolations(page, { ...QUICK, rules });
}

/** The ways in which texts were drawn in this process, with each of which axe was content. */
const known = new Set<string>();

/**
 * Texts that can't be read for their colours. Axe looks at each way of drawing a text once: to find out what lies
 * behind one takes most of its time, and a table's rows, or a frame that every screen has, would be looked at again.
 */
export async function findColourViolations(page: Page): Promise<object[]> {
  await loadAxe(page);
  const width = page.viewportSize()?.width;
  const ways = await page.evaluate(markTexts);
  const fresh = ways.flatMap((way, index) => (known.has(`${width} ${way}`) ? [] : [index]));
  if (fresh.length === 0) return [];
  const found = await listViolations(page, { ...QUICK, runOnly: COLOUR_RULES }, fresh);
  if (found.length === 0) for (const way of ways) known.add(`${width} ${way}`);
  return found;
}

/** Runs axe on the page, or on those of the marked texts. */
function listViolations(page: Page, options: object, texts?: readonly number[]): Promise<object[]> {
  return page.evaluate(
    async (given) => {
      const { axe, markedTexts } = globalThis as unknown as {
        axe: { run(context: object, options: object): Promise<{ violations: Violation[] }> };
        markedTexts: Element[];
      };
      const include = given.texts?.map((index) => markedTexts[index]);
      const found = await axe.run(include ? { include } : document, given.options);
      return found.violations.map(({ id, impact, nodes }) => ({
        id,
        impact,
        where: nodes.map(({ target }) => target.join(" ")),
      }));
    },
    { options, texts },
  );
}

/**
 * Leaves one text for each way of drawing in the page, and resolves with the ways: classes and states of the text and all
 * that it lies in, with the colours that come of them. Runs in the page.
 */
function markTexts(): string[] {
  const LOOKS =
    /^(class|disabled|open|data-.*|aria-(selected|current|disabled|expanded|pressed|checked|invalid))$/;
  const ways = new Map<Element, string>();
  const wayOf = (element: Element): string => {
    const before = ways.get(element);
    if (before !== undefined) return before;
    const root = element.getRootNode();
    const parent = element.parentElement ?? (root instanceof ShadowRoot ? root.host : undefined);
    const { color, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    const names = [...element.attributes]
      // A name of a thing says nothing of its looks.
      .filter(({ name, value }) => LOOKS.test(name) && (name === "class" || !/\d/.test(value)))
      .map(({ name, value }) => `${name}=${value}`);
    const own = [element.tagName, names, color, backgroundColor, backgroundImage, opacity].join(
      ";",
    );
    const way = hash((parent ? wayOf(parent) : "") + own);
    ways.set(element, way);
    return way;
  };
  const hash = (text: string): string => {
    let [one, other] = [0xdeadbeef, 0x41c6ce57];
    for (let n = 0; n < text.length; n += 1) {
      const code = text.charCodeAt(n);
      one = Math.imul(one ^ code, 2_654_435_761);
      other = Math.imul(other ^ code, 1_597_334_677);
    }
    return `${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
  };
  const isText = (element: Element): boolean =>
    /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) ||
    [...element.childNodes].some(
      ({ nodeType, nodeValue }) => nodeType === Node.TEXT_NODE && nodeValue?.trim() !== "",
    );
  const texts = new Map<string, Element>();
  const look = (root: Document | ShadowRoot): void => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      if (!isText(element) || !element.checkVisibility()) continue;
      const { fontSize, fontWeight } = getComputedStyle(element);
      const way = `${wayOf(element)} ${fontSize} ${fontWeight}`;
      if (!texts.has(way)) texts.set(way, element);
    }
  };
  look(document);
  (globalThis as unknown as { markedTexts: Element[] }).markedTexts = [...texts.values()];
  return [...texts.keys()];
}
