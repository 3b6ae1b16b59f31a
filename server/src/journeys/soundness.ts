/** Axe's verdict on a page, at a fraction of its time. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { IS_THOROUGH } from "#kernel/testing/thorough.ts";

export const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
/** The path of axe next to the scripts of the tested console. */
export const AXE_ASSET = "assets/axe.js";
/** Marks the texts whose colors are to be checked, and the links that surrounding text may hide. */
const MARKS = { text: "data-fresh-look", link: "data-fresh-link" };
/** The color rules, and the elements that each checks. */
const COLOUR_RULES = [
  { id: "color-contrast", selector: `[${MARKS.text}]` },
  {
    id: "link-in-text-block",
    selector: `a[href][${MARKS.link}], [role=link][${MARKS.link}]`,
  },
];
const COLOUR_IDS = COLOUR_RULES.map(({ id }) => id);
/** Collects only violations, and does not reload style sheets, which took most of the time. */
const QUICK = { resultTypes: ["violations"], preload: false };

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

let source: string | undefined;

/**
 * Axe is half a megabyte, and transferring it to the browser took most of its load time: the console's pages load
 * it from their server, and later from the browser's cache.
 */
async function loadAxe(page: Page): Promise<void> {
  if (await page.evaluate(findAxe, AXE_ASSET)) return;
  source ??= readFileSync(AXE, "utf8");
  await page.evaluate(source);
}

/** Resolves to whether axe is or could be loaded. Runs in the page. */
async function findAxe(path: string): Promise<boolean> {
  if ("axe" in globalThis) return true;
  const isConsole = document.querySelector("#root") !== null;
  if (!isConsole) return false;
  const script = document.createElement("script");
  script.src = new URL(path, document.baseURI).href;
  const loading = new Promise<void>((done) => {
    script.addEventListener("load", () => done());
    script.addEventListener("error", () => done());
  });
  document.head.append(script);
  await loading;
  script.remove();
  return "axe" in globalThis;
}

/** The text styles in this process that axe has found valid. */
const known = new Set<string>();

/** The frame around every screen, which contains a third to two thirds of its elements. */
const FRAMES = [".shell > nav", ".stage > .top", ".stage > nav"];
/** The frames that axe has checked without violations in this process. */
const knownFrames = new Set<string>();

/** Returns all violations. */
export async function findViolations(page: Page): Promise<object[]> {
  return findInPage(page, (texts) => ({
    rules: Object.fromEntries(COLOUR_IDS.map((id) => [id, { enabled: texts.length > 0 }])),
  }));
}

/** Returns texts with insufficient color contrast. */
export async function findColourViolations(page: Page): Promise<object[]> {
  return findInPage(page, (texts) => texts.length > 0 && { runOnly: COLOUR_IDS });
}

/**
 * Checks the colors of each text style once: finding the background of a text takes most of axe's time, and the
 * rows of a table, or the frame of all screens, would be checked again and again.
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
  const frames = (await page.evaluate(readFrames, FRAMES)).map((frame) => `${width} ${frame}`);
  const isKnown = (frame: string): boolean => knownFrames.has(frame) && !IS_THOROUGH;
  const exclude = FRAMES.filter((_, index) => isKnown(frames[index] ?? ""));
  const found = await listViolations(page, { ...QUICK, ...options }, { texts, exclude });
  if (found.length > 0) return found;
  for (const way of ways) known.add(`${width} ${way}`);
  for (const frame of frames) knownFrames.add(frame);
  return found;
}

/**
 * Runs axe on the page: once with all rules, where the color rules see only some of the marked texts. Axe checks
 * those that are not clearly readable: to find the background of a text, it inspects the whole page.
 */
async function listViolations(
  page: Page,
  options: object,
  { texts, exclude }: { readonly texts: readonly number[]; readonly exclude: readonly string[] },
): Promise<object[]> {
  const readable = IS_THOROUGH ? [] : await page.evaluate(listReadable, texts);
  const doubtful = texts.filter((index) => !readable.includes(index));
  return page.evaluate(
    async (given) => {
      const { axe, markedTexts } = globalThis as unknown as {
        axe: {
          configure(spec: object): void;
          run(context: object, options: object): Promise<{ violations: Violation[] }>;
        };
        markedTexts: Element[];
      };
      axe.configure({ rules: given.rules, noHtml: true });
      const pick = (indexes: readonly number[]) => indexes.flatMap((n) => markedTexts[n] ?? []);
      const marked = [
        { mark: given.marks.text, elements: pick(given.doubtful) },
        { mark: given.marks.link, elements: pick(given.texts) },
      ];
      for (const { mark, elements } of marked) {
        for (const element of elements) element.setAttribute(mark, "");
      }
      // A text to check may be inside one of them.
      const exclude = given.exclude.filter(
        (one) => !pick(given.texts).some((it) => it.closest(one)),
      );
      try {
        const found = await axe.run({ exclude }, given.options);
        return found.violations.map(({ id, impact, nodes }) => ({
          id,
          impact,
          where: nodes.map(({ target }) => target.join(" ")),
        }));
      } finally {
        for (const { mark, elements } of marked) {
          for (const element of elements) element.removeAttribute(mark);
        }
      }
    },
    { options, texts, doubtful, exclude, rules: COLOUR_RULES, marks: MARKS },
  );
}

/**
 * Returns the marked texts with enough contrast to their container, without other colored elements between or above
 * them where visible. Axe cannot evaluate background images either. Runs in the page.
 */
function listReadable(texts: readonly number[]): number[] {
  type Colour = readonly [red: number, green: number, blue: number, opacity: number];
  const CONTRAST_MIN = 4.5;
  const { markedTexts } = globalThis as unknown as { markedTexts: Element[] };
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colours = new Map<string, Colour>();
  /** Returns each component between 0 and 1, for any color space. */
  const readColour = (text: string): Colour => {
    const before = colours.get(text);
    if (before) return before;
    if (!canvas) throw new Error("There is no canvas.");
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, opacity = 0] = canvas.getImageData(0, 0, 1, 1).data;
    const read = [red / 255, green / 255, blue / 255, opacity / 255] as const;
    colours.set(text, read);
    return read;
  };
  const blend = (over: Colour, under: Colour): Colour => {
    const mix = (one: number, other: number) => one * over[3] + other * (1 - over[3]);
    return [mix(over[0], under[0]), mix(over[1], under[1]), mix(over[2], under[2]), 1];
  };
  const luminanceOf = ([red, green, blue]: Colour): number => {
    const weigh = (part: number) =>
      part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    return 0.2126 * weigh(red) + 0.7152 * weigh(green) + 0.0722 * weigh(blue);
  };
  const isPlain = ({ opacity, filter, mixBlendMode }: CSSStyleDeclaration) =>
    opacity === "1" && filter === "none" && mixBlendMode === "normal";
  const isBare = (element: Element): boolean => {
    const { backgroundImage, backgroundColor } = getComputedStyle(element);
    return backgroundImage === "none" && readColour(backgroundColor)[3] === 0;
  };
  /** Returns whether only its container is behind the center of a text; unknown outside of the viewport. */
  const isAlone = (element: Element): boolean => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const box = range.getClientRects()[0] ?? element.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return true;
    const others = document.elementsFromPoint(x, y).filter((one) => !one.contains(element));
    return others.every((one) => element.contains(one) || isBare(one));
  };
  const isReadable = (element: Element): boolean => {
    const { color, textShadow } = getComputedStyle(element);
    if (element.getRootNode() !== document || textShadow !== "none") return false;
    const layers: Colour[] = [];
    for (let one: Element | null = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (!isPlain(style)) return false;
      const layer = readColour(style.backgroundColor);
      layers.push(layer);
      if (layer[3] === 1) break;
    }
    if (layers.at(-1)?.[3] !== 1) return false;
    const behind = layers.toReversed().reduce((under, over) => blend(over, under));
    const shades = [blend(readColour(color), behind), behind].map(luminanceOf);
    const contrast = (Math.max(...shades) + 0.05) / (Math.min(...shades) + 0.05);
    return contrast >= CONTRAST_MIN && isAlone(element);
  };
  return texts.filter((index) => markedTexts[index] && isReadable(markedTexts[index]));
}

/** The markup of these parts without counts and the current page, with the colors of the page. Runs in the page. */
function readFrames(selectors: readonly string[]): string[] {
  const { theme } = document.documentElement.dataset;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return selectors.map((selector) => {
    const markup = document.querySelector(selector)?.outerHTML ?? "";
    const frame = markup.replaceAll(/\d+| (aria-current|data-status)="[^"]*"|\bactive\b/g, "");
    return `${theme} ${isDark} ${selector} ${frame}`;
  });
}

/**
 * Keeps one text per style in the page, and resolves with the styles: classes and states of the text and its
 * containers, with the resulting colors. Runs in the page.
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
      // The name of an object does not affect its appearance.
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
