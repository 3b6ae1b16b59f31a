/** Axe's verdict on a page, at a fraction of its time. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
/** The rules of colours, and what each of them looks at. */
const COLOUR_RULES = { "color-contrast": ["*"], "link-in-text-block": ["a[href]", "[role=link]"] };
const COLOUR_IDS = Object.keys(COLOUR_RULES);
/** Set on the texts whose colours are to be looked at. */
const MARK = "data-fresh-look";
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

/** The ways in which texts were drawn in this process, with each of which axe was content. */
const known = new Set<string>();

/** Whatever is wrong. */
export async function findViolations(page: Page): Promise<object[]> {
  return findInPage(page, (texts) => ({
    rules: Object.fromEntries(COLOUR_IDS.map((id) => [id, { enabled: texts.length > 0 }])),
  }));
}

/** Texts that can't be read for their colours. */
export async function findColourViolations(page: Page): Promise<object[]> {
  return findInPage(page, (texts) => texts.length > 0 && { runOnly: COLOUR_IDS });
}

/**
 * Axe looks at the colours of each way of drawing a text once: to find out what lies behind one takes most of its time,
 * and a table's rows, or a frame that every screen has, would be looked at again.
 */
async function findInPage(
  page: Page,
  optionsFor: (texts: readonly number[]) => object | false,
): Promise<object[]> {
  await loadAxe(page);
  const width = page.viewportSize()?.width;
  const ways = await page.evaluate(markTexts);
  const texts = ways.flatMap((way, index) => (known.has(`${width} ${way}`) ? [] : [index]));
  const options = optionsFor(texts);
  if (options === false) return [];
  const found = await listViolations(page, { ...QUICK, ...options }, texts);
  if (found.length === 0) for (const way of ways) known.add(`${width} ${way}`);
  return found;
}

/** Runs axe on the page: once for all rules, of which those of colours see just these of the marked texts. */
function listViolations(page: Page, options: object, texts: readonly number[]): Promise<object[]> {
  const rules = Object.entries(COLOUR_RULES).map(([id, selectors]) => ({
    id,
    selector: selectors.map((one) => `${one}[${MARK}]`).join(", "),
  }));
  return page.evaluate(
    async (given) => {
      const { axe, markedTexts } = globalThis as unknown as {
        axe: {
          configure(spec: object): void;
          run(context: object, options: object): Promise<{ violations: Violation[] }>;
        };
        markedTexts: Element[];
      };
      axe.configure({ rules: given.rules });
      const fresh = given.texts.map((index) => markedTexts[index]);
      for (const text of fresh) text?.setAttribute(given.mark, "");
      try {
        const found = await axe.run(document, given.options);
        return found.violations.map(({ id, impact, nodes }) => ({
          id,
          impact,
          where: nodes.map(({ target }) => target.join(" ")),
        }));
      } finally {
        for (const text of fresh) text?.removeAttribute(given.mark);
      }
    },
    { options, texts, rules, mark: MARK },
  );
}

/**
 * Leaves one text for each way of drawing in the page, and resolves with the ways: classes and states of the text and
 * all that it lies in, with the colours that come of them. Runs in the page.
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
